package io.holdfast.cli.docs;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs an example and throws an {@link AssertionError} if the output differs. */
final class ExamplePlayer implements AutoCloseable {
    private final String page;
    private final ExampleServer server;
    private final Duration timeout;
    private final Expectation expectation = new Expectation();
    private final Map<String, Terminal> terminals = new HashMap<>();

    private ExamplePlayer(String page, ExampleServer server, Duration timeout) {
        this.page = page;
        this.server = server;
        this.timeout = timeout;
    }

    /**
     * Runs an example that starts its own server.
     *
     * @param timeout how long to wait for a line
     */
    static void play(Example example, Duration timeout) throws IOException, InterruptedException {
        if (!(example.steps().getFirst() instanceof Example.Step.Serve(_, var args))) {
            throw new IllegalArgumentException(example.where() + " has no server of its own");
        }
        try (var server = new ExampleServer(args);
                var player = new ExamplePlayer(example.where(), server, timeout)) {
            for (Example.Step step : example.steps()) {
                switch (step) {
                    case Example.Step.Serve _ -> {}
                    case Example.Step.Interrupt _ -> server.interrupt();
                    default -> player.take(step);
                }
            }
            player.end();
        }
    }

    /** Runs an example against a running server. */
    static void play(Example example, ExampleServer server, Duration timeout)
            throws IOException, InterruptedException {
        try (var player = new ExamplePlayer(example.where(), server, timeout)) {
            for (Example.Step step : example.steps()) {
                player.take(step);
            }
            player.end();
        }
    }

    private void take(Example.Step step) throws IOException, InterruptedException {
        switch (step) {
            case Example.Step.Run(int line, var command, var seen) -> run(line, command, seen);
            case Example.Step.Open(_, var name, var command) ->
                    terminals.put(name, new Terminal(server.here(command), timeout));
            case Example.Step.Type(_, var name, var request) ->
                    terminal(name).type(request.stream().map(expectation::filled).toList());
            case Example.Step.See(int line, var name, var seen) ->
                    compare(line, seen, terminal(name).read());
            case Example.Step.Serve(int line, _) -> throw differs(line, "a server of its own");
            case Example.Step.Interrupt(int line) -> throw differs(line, "no server to end");
        }
    }

    private void run(int line, String command, List<String> expected)
            throws IOException, InterruptedException {
        List<String> seen;
        try (var terminal = new Terminal(server.here(expectation.filled(command)), timeout)) {
            seen = terminal.end();
        }
        if (seen == null) {
            throw differs(line, "the command does not end");
        }
        for (int i = 0; i < expected.size(); i++) {
            compare(line + 1 + i, expected.get(i), i < seen.size() ? seen.get(i) : null);
        }
        if (seen.size() > expected.size()) {
            throw differs(
                    line + expected.size(),
                    "there is more: " + seen.subList(expected.size(), seen.size()));
        }
    }

    /** Ends the input of every terminal. */
    private void end() throws IOException, InterruptedException {
        for (Map.Entry<String, Terminal> open : terminals.entrySet()) {
            List<String> rest = open.getValue().end();
            if (rest == null) {
                throw new AssertionError(page + ": " + open.getKey() + " does not end");
            }
            if (!rest.isEmpty()) {
                throw new AssertionError(page + ": more in " + open.getKey() + ": " + rest);
            }
        }
    }

    private Terminal terminal(String name) {
        return Objects.requireNonNull(terminals.get(name), name);
    }

    private void compare(int line, String expected, @Nullable String seen) {
        if (seen == null) {
            throw differs(line, "nothing comes, instead of: " + expected);
        }
        if (!expectation.matches(expected, seen)) {
            throw differs(line, "expected: " + expected + "\n     but got: " + seen);
        }
    }

    private AssertionError differs(int line, String what) {
        return new AssertionError(page.replaceFirst(":\\d+$", ":" + line) + ": " + what);
    }

    @Override
    public void close() {
        terminals.values().forEach(Terminal::close);
    }
}
