package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;
import io.holdfast.console.options.WholeNumbers;
import io.holdfast.console.output.JsonLine;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

@Command(
        name = "explain",
        description =
                "Explains why a key is blocked: its holders and waiters in order, since when, what"
                        + " else they hold, and deadlocks. Exit status 1 if the key is not in use.")
final class ExplainCommand extends InspectionCommand {
    static final class LimitConverter implements ITypeConverter<Integer> {
        private static final int MAX_LIMIT = 1000;

        @Override
        public Integer convert(String text) {
            return Math.toIntExact(WholeNumbers.convert(text, MAX_LIMIT));
        }
    }

    @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "The namespace of the key (default: that of the server's HTTP address).")
    private @Nullable String namespace;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "10",
            converter = LimitConverter.class,
            description = "Maximum number of holders, and of waiters, to show (default: 10).")
    private int max;

    @Option(
            names = {"-j", "--json"},
            defaultValue = "false",
            description = "Print one line of JSON.")
    private boolean json;

    ExplainCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(HttpReader server) throws ReadException, InterruptedException {
        KeyExplanation keyExplanation = explain(server);
        if (json) {
            Printer.out(json(keyExplanation));
        } else if (keyExplanation.sentences().isEmpty()) {
            Printer.out(TerminalText.escaped(key) + " is free: it has no holders and no waiters.");
        } else {
            Stream.concat(keyExplanation.sentences().stream(), keyExplanation.lines().stream())
                    .map(TerminalText::escaped)
                    .forEach(Printer::out);
        }
        return keyExplanation.isInUse() ? DONE : ABSENT;
    }

    private KeyExplanation explain(HttpReader server) throws ReadException, InterruptedException {
        JsonValue.ObjectValue page = page(server);
        Map<Long, JsonValue.ObjectValue> connections = new LinkedHashMap<>();
        for (long number : connections(page)) {
            try {
                connections.put(number, server.get("/v1/connections/" + number, Map.of()));
            } catch (ReadException e) {
                if (!e.isAbsent()) { // it may have closed since
                    throw e;
                }
            }
        }
        JsonValue.ObjectValue waits =
                page.all("resources").isEmpty()
                        ? new JsonValue.ObjectValue(Map.of())
                        : server.get("/v1/waits", Map.of());
        return new KeyExplanation(page, connections, waits, max);
    }

    private JsonValue.ObjectValue page(HttpReader server)
            throws ReadException, InterruptedException {
        Map<String, String> query = new LinkedHashMap<>();
        // As path segments these would be removed from the URL.
        boolean asSegment = !List.of("", ".", "..").contains(key);
        if (!asSegment) {
            query.put("key", key);
        }
        if (namespace != null) {
            query.put("namespace", namespace);
        }
        query.put("limit", Integer.toString(Math.max(1, max)));
        try {
            return server.get("/v1/keys/" + (asSegment ? HttpReader.encoded(key) : "-"), query);
        } catch (ReadException e) {
            if (e.isAbsent()) {
                return new JsonValue.ObjectValue(Map.of());
            }
            throw e;
        }
    }

    /** Returns the connections whose other holds and waits are shown. */
    private Set<Long> connections(JsonValue.ObjectValue page) {
        Set<Long> numbers = new HashSet<>();
        for (JsonValue.ObjectValue resource : page.all("resources")) {
            for (String part : List.of("holders", "waiters")) {
                resource.all(part).stream()
                        .limit(max)
                        .filter(member -> member.optional("connection").isPresent())
                        .forEach(member -> numbers.add((long) member.number("connection")));
            }
        }
        return numbers;
    }

    private String json(KeyExplanation keyExplanation) {
        return new JsonLine()
                .put("key", key)
                .put("in_use", keyExplanation.isInUse())
                .put("explanation", String.join(" ", keyExplanation.sentences()))
                .raw("resources", array(keyExplanation.key().all("resources")))
                .raw("connections", array(List.copyOf(keyExplanation.connections().values())))
                .raw("cycles", array(keyExplanation.cycles()))
                .toString();
    }

    private static String array(List<? extends JsonValue> values) {
        return new JsonValue.ArrayValue(List.copyOf(values)).toString();
    }
}
