package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Makes the lines of text that {@code top} shows. */
final class TopScreenText {
    /**
     * Lines beside the rows: two with numbers, one about the view, the table header and the help.
     */
    private static final int BESIDE_ROWS = 5;

    /** Maximum number of deadlocks to show. */
    private static final int MAX_CYCLES = 3;

    private static final String HELP =
            "q quit  k keys  c connections  w waits  s sort  r reverse  / filter  arrows scroll";

    private TopScreenText() {}

    /** Returns the number of rows that fit on a screen of this height in lines. */
    static int rows(int height) {
        return Math.max(1, height - BESIDE_ROWS);
    }

    /**
     * Returns all lines of a screen.
     *
     * @param message the last error, or the filter that is being typed; empty for the help line
     */
    static List<String> lines(
            String url,
            TopSample topSample,
            TopQuery topQuery,
            String message,
            int width,
            int height) {
        List<String> lines = new ArrayList<>(head(url, topSample));
        boolean fits = topSample.query().view() == topQuery.view();
        lines.add(about(topSample, topQuery, fits));
        if (fits) {
            List<String> cycles = cycles(topSample);
            lines.addAll(cycles);
            lines.addAll(TopRows.table(topSample).lines(width));
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
                .map(line -> TerminalText.cut(TerminalText.escaped(line), width))
                .toList();
    }

    /** Returns the lines for a file or a pipe. */
    static List<String> plain(String url, TopSample topSample) {
        List<String> lines = new ArrayList<>(head(url, topSample));
        lines.add(about(topSample, topSample.query(), true));
        lines.addAll(cycles(topSample));
        lines.addAll(TopRows.table(topSample).lines(TextTable.UNLIMITED));
        return lines.stream().map(TerminalText::escaped).toList();
    }

    private static List<String> head(String url, TopSample topSample) {
        JsonValue.ObjectValue overview = topSample.overview();
        JsonValue.ObjectValue totals = overview.fields("totals");
        JsonValue.ObjectValue series = overview.fields("series");
        return List.of(
                "Holdfast "
                        + TerminalText.escaped(overview.text("version"))
                        + " at "
                        + TerminalText.escaped(url)
                        + ", up "
                        + DurationFormatter.text(overview.number("uptime_s"))
                        + ", connections "
                        + (long) totals.number("connections")
                        + quarantine(overview),
                deadlocks(topSample)
                        + "waiting "
                        + (long)
                                (totals.number("lock_waiters") + totals.number("semaphore_waiters"))
                        + ", longest wait "
                        + DurationFormatter.text(totals.optional("longest_wait_s"))
                        + ", wait p99 "
                        + millis(lastPresent(series, "wait_p99_ms"))
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

    private static String quarantine(JsonValue.ObjectValue overview) {
        OptionalDouble left = overview.optional("quarantine_left_s");
        return left.isEmpty() ? "" : ", RESTART QUARANTINE for " + DurationFormatter.text(left);
    }

    /** At the beginning of the line, so that it is visible on a narrow terminal too. */
    private static String deadlocks(TopSample topSample) {
        long certain = topSample.deadlocks().stream().filter(InspectionText::isCertain).count();
        return counted(certain, "DEADLOCK")
                + counted(topSample.deadlocks().size() - certain, "POSSIBLE DEADLOCK");
    }

    private static String counted(long count, String what) {
        return count == 0 ? "" : count + " " + what + (count == 1 ? ", " : "S, ");
    }

    private static String about(TopSample topSample, TopQuery topQuery, boolean fits) {
        StringBuilder line = new StringBuilder(topQuery.view().title());
        if (fits) {
            int total = TopRows.total(topSample);
            int first = Math.min(topSample.query().offset(), total);
            int shown = TopRows.table(topSample).rows().size();
            line.append(' ');
            line.append(shown == 0 ? "0" : (first + 1) + "-" + (first + shown));
            line.append(" of ").append(total);
        }
        line.append(", ").append(topQuery.sorting().text());
        line.append(topQuery.reversed() ? ", reversed" : "");
        if (!topQuery.filter().isEmpty()) {
            line.append(", with \"").append(TerminalText.escaped(topQuery.filter())).append('"');
        }
        return line.toString();
    }

    /** Returns the deadlocks, in the view of waits only. */
    private static List<String> cycles(TopSample topSample) {
        List<String> lines = new ArrayList<>();
        if (topSample.query().view() != TopView.WAITS) {
            return lines;
        }
        for (JsonValue.ArrayValue members : topSample.deadlocks()) {
            if (lines.size() == MAX_CYCLES) {
                lines.add("and " + (topSample.deadlocks().size() - MAX_CYCLES) + " more deadlocks");
                break;
            }
            lines.add(
                    InspectionText.deadlock(members).toUpperCase(Locale.ROOT)
                            + ": "
                            + InspectionText.cycle(members));
        }
        return lines;
    }

    /** Returns the value of the last second. */
    private static String last(JsonValue.ObjectValue series, String name) {
        JsonValue.ArrayValue values = series.list(name);
        return values != null
                        && !values.values().isEmpty()
                        && values.values().getLast() instanceof JsonValue.NumberValue(double value)
                ? Long.toString(Math.round(value))
                : "0";
    }

    /** Returns the last value that is present. */
    private static OptionalDouble lastPresent(JsonValue.ObjectValue series, String name) {
        JsonValue.ArrayValue values = series.list(name);
        if (values != null) {
            for (JsonValue each : values.values().reversed()) {
                if (each instanceof JsonValue.NumberValue(double value)) {
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
                : DurationFormatter.text(value / 1000);
    }
}
