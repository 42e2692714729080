package io.holdfast.cli.watch;

import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.options.WholeNumbers;
import io.holdfast.console.output.Printer;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

@Command(
        name = "top",
        description =
                "Shows held keys, connections and waiters, live. Without a terminal, or with"
                        + " --once, it prints one table and exits.",
        footer = {
            "",
            "Keys: q quits; k, c and w show keys, connections, and waits with deadlocks; s changes"
                + " the sort column, r reverses the order; / filters, escape removes the filter;"
                + " arrows, page up and down, home and end scroll."
        })
final class TopCommand extends InspectionCommand {
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

    static final class LimitConverter implements ITypeConverter<Integer> {
        private static final int MAX_LIMIT = 20_000;

        @Override
        public Integer convert(String text) {
            return Math.toIntExact(WholeNumbers.convert(text, MAX_LIMIT));
        }
    }

    @Option(names = "--once", defaultValue = "false", description = "Print one table and exit.")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Refresh interval (default: 1s).")
    @SuppressWarnings("NullAway.Init")
    private Duration interval;

    @Option(
            names = "--view",
            paramLabel = "VIEW",
            defaultValue = "keys",
            description = "keys, connections or waits (default: keys).")
    @SuppressWarnings("NullAway.Init")
    private TopView topView;

    @Option(
            names = "--sort",
            paramLabel = "NAME",
            description =
                    "Sort column. keys: waiters, held, lease or key; connections: waits, holds,"
                        + " open, name or connection; waits: waited, connection or key (default:"
                        + " the first).")
    private @Nullable String sort;

    @Option(names = "--reverse", defaultValue = "false", description = "Reverse the sort order.")
    private boolean reverse;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Only names that contain this text.")
    @SuppressWarnings("NullAway.Init")
    private String filter;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            converter = LimitConverter.class,
            description = "Maximum number of rows of the printed table (default: 20).")
    private int max;

    TopCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(HttpReader server) throws ReadException, InterruptedException {
        TopSample first = TopSample.read(server, query());
        String kind = environment().getOrDefault("TERM", "");
        if (once || !RawTerminal.isThere(kind)) {
            TopScreenText.plain(server.url(), first).forEach(Printer::out);
            return DONE;
        }
        try {
            return LiveTop.run(
                    server, first, interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval);
        } catch (IOException e) {
            throw new ReadException("the terminal cannot be used: " + FailureText.of(e), e);
        }
    }

    private TopQuery query() {
        int number = 0;
        if (sort != null) {
            number =
                    topView.numberOf(sort)
                            .orElseThrow(
                                    () ->
                                            wrong(
                                                    "'"
                                                            + sort
                                                            + "' is not one of "
                                                            + String.join(
                                                                    ", ", topView.sortNames())));
        }
        return new TopQuery(topView, number, reverse, filter, 0, Math.max(1, max));
    }
}
