package io.holdfast.cli.watch;

import io.holdfast.cli.json.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What {@code top} shows, as lines of text. */
final class Screen {
    /** Two lines with numbers, one about the view, a headline, and one with keys. */
    private static final int BESIDE_ROWS = 5;

    /** How much of a list of deadlocks is shown. */
    private static final int MOST_CYCLES = 3;

    private static final String HELP =
            "q quit  k keys  c connections  w waits  s sort  r reverse  / filter  arrows scroll";

    private Screen() {}

    /** How many rows fit on so many lines. */
    static int rows(int height) {
        return Math.max(1, height - BESIDE_ROWS);
    }

    /**
     * All lines of a screen.
     *
     * @param message what went wrong, or what is being typed; empty for the help
     */
    static List<String> lines(
            String url, Sample sample, Query wanted, String message, int width, int height) {
        List<String> lines = new ArrayList<>(head(url, sample));
        boolean fits = sample.query().view() == wanted.view();
        lines.add(about(sample, wanted, fits));
        if (fits) {
            List<String> cycles = cycles(sample);
            lines.addAll(cycles);
            lines.addAll(Rows.table(sample).lines(width));
        }
        while (lines.size() > Math.max(1, height - 1)) {
            lines.removeLast();
        }
        while (lines.size() < height - 1) {
            lines.add("");
        }
        lines.add(message.isEmpty() ? HELP : message);
        return lines.stream()
                .limit(height)
                .map(line -> Cells.cut(Cells.escaped(line), width))
                .toList();
    }

    /** The same for a file or a pipe. */
    static List<String> plain(String url, Sample sample) {
        List<String> lines = new ArrayList<>(head(url, sample));
        lines.add(about(sample, sample.query(), true));
        lines.addAll(cycles(sample));
        lines.addAll(Rows.table(sample).lines(Table.UNLIMITED));
        return lines.stream().map(Cells::escaped).toList();
    }

    private static List<String> head(String url, Sample sample) {
        Json.Fields overview = sample.overview();
        Json.Fields totals = overview.fields("totals");
        Json.Fields series = overview.fields("series");
        return List.of(
                "Holdfast "
                        + Cells.escaped(overview.text("version"))
                        + " at "
                        + Cells.escaped(url)
                        + ", up "
                        + Spans.text(overview.number("uptime_s"))
                        + ", connections "
                        + (long) totals.number("connections"),
                deadlocks(sample)
                        + "waiting "
                        + (long)
                                (totals.number("lock_waiters") + totals.number("semaphore_waiters"))
                        + ", longest wait "
                        + Spans.text(totals.optional("longest_wait_s"))
                        + ", wait p99 "
                        + millis(known(series, "wait_p99_ms"))
                        + ", held "
                        + (long)
                                (totals.number("locks_held")
                                        + totals.number("semaphore_holders")
                                        + totals.number("shared_holders"))
                        + ", acquired "
                        + last(series, "acquired")
                        + "/s, timeouts "
                        + last(series, "timed_out")
                        + "/s, lost "
                        + last(series, "lost")
                        + "/s");
    }

    /** First in the line, so that it is seen on a narrow terminal too. */
    private static String deadlocks(Sample sample) {
        long certain = sample.deadlocks().stream().filter(Names::isCertain).count();
        return counted(certain, "DEADLOCK")
                + counted(sample.deadlocks().size() - certain, "POSSIBLE DEADLOCK");
    }

    private static String counted(long count, String what) {
        return count == 0 ? "" : count + " " + what + (count == 1 ? ", " : "S, ");
    }

    private static String about(Sample sample, Query wanted, boolean fits) {
        StringBuilder line = new StringBuilder(wanted.view().title());
        if (fits) {
            int total = Rows.total(sample);
            int first = Math.min(sample.query().offset(), total);
            int shown = Rows.table(sample).rows().size();
            line.append(' ');
            line.append(shown == 0 ? "0" : (first + 1) + "-" + (first + shown));
            line.append(" of ").append(total);
        }
        line.append(", ").append(wanted.sorting().text());
        line.append(wanted.reversed() ? ", reversed" : "");
        if (!wanted.filter().isEmpty()) {
            line.append(", with \"").append(Cells.escaped(wanted.filter())).append('"');
        }
        return line.toString();
    }

    /** In the view of waits. */
    private static List<String> cycles(Sample sample) {
        List<String> lines = new ArrayList<>();
        if (sample.query().view() != View.WAITS) {
            return lines;
        }
        for (Json.Items members : sample.deadlocks()) {
            if (lines.size() == MOST_CYCLES) {
                lines.add("and " + (sample.deadlocks().size() - MOST_CYCLES) + " more deadlocks");
                break;
            }
            lines.add(
                    Names.deadlock(members).toUpperCase(Locale.ROOT) + ": " + Names.cycle(members));
        }
        return lines;
    }

    /** Of the last second. */
    private static String last(Json.Fields series, String name) {
        Json.Items values = series.list(name);
        return values != null
                        && !values.values().isEmpty()
                        && values.values().getLast() instanceof Json.Numeral(double value)
                ? Long.toString(Math.round(value))
                : "0";
    }

    /** Of the last second in which there was any. */
    private static OptionalDouble known(Json.Fields series, String name) {
        Json.Items values = series.list(name);
        if (values != null) {
            for (Json each : values.values().reversed()) {
                if (each instanceof Json.Numeral(double value)) {
                    return OptionalDouble.of(value);
                }
            }
        }
        return OptionalDouble.empty();
    }

    private static String millis(OptionalDouble millis) {
        if (millis.isEmpty()) {
            return "-";
        }
        double value = millis.getAsDouble();
        return value < 1000
                ? String.format(Locale.ROOT, value < 10 ? "%.1fms" : "%.0fms", value)
                : Spans.text(value / 1000);
    }
}
