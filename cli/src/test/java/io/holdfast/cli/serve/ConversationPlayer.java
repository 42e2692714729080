package io.holdfast.cli.serve;

import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays a {@link ConversationScript} against a running server, step by step:
 *
 * <pre>
 * a open                   connect client a
 * a &gt; l                    a sends the line "l"
 * a &gt;&gt; raw\x00text         a sends these bytes verbatim (\n \r \t \0 \xNN \\)
 * a &lt; ok {t:token} 33      a receives exactly this line; "~2" at the end: within 2 seconds, not 5
 * a eof                    the server closes a's connection; "~2" as above
 * a silent 0.3             a receives nothing for 0.3 seconds
 * a * 3                    the next 3 lines that a receives may be in any order
 * a close                  close a's connection
 * sleep 1.5
 * </pre>
 *
 * Lines that begin with {@code #} or {@code @} are not steps.
 */
final class ConversationPlayer implements AutoCloseable {
    private static final Pattern WITHIN = Pattern.compile("\\s+~(\\d+(?:\\.\\d+)?)$");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9a-fA-F]{2}|[nrt0\\\\])");
    private static final double USUAL_SECONDS = 5;

    private final SocketAddress server;
    private final Duration slack;
    private final Map<String, ConversationClient> clients = new LinkedHashMap<>();
    private final Map<String, String> captured = new HashMap<>();
    private final Map<String, UnorderedLines> loose = new HashMap<>();

    /** The begin of the next silence: the last step that sent something or had to wait. */
    private long lastEventNanos = System.nanoTime();

    /** Lines of one client that may arrive in any order. */
    private record UnorderedLines(int count, List<String> expected) {}

    /** An expected line and its timeout. */
    private record ExpectedLine(String text, Duration within) {}

    private ConversationPlayer(SocketAddress server, Duration slack) {
        this.server = server;
        this.slack = slack;
    }

    /**
     * Fails with the number of the line that the server did not match.
     *
     * @param slack time added to every timeout, for slow machines
     */
    static void play(ConversationScript conversationScript, SocketAddress server, Duration slack)
            throws InterruptedException {
        try (ConversationPlayer player = new ConversationPlayer(server, slack)) {
            int number = 0;
            for (String line : conversationScript.lines()) {
                number++;
                try {
                    player.step(line);
                } catch (ConversationMismatch | IOException e) {
                    throw new AssertionError(
                            "%s:%d: %s: %s"
                                    .formatted(
                                            conversationScript.name(),
                                            number,
                                            line.strip(),
                                            e.getMessage()),
                            e);
                }
            }
            player.loose.forEach(
                    (who, lines) -> {
                        throw new AssertionError(
                                "%s: %s waits for %d lines, but only %d follow"
                                        .formatted(
                                                conversationScript.name(),
                                                who,
                                                lines.count(),
                                                lines.expected().size()));
                    });
        }
    }

    private void step(String line) throws IOException, InterruptedException {
        String text = line.stripLeading();
        if (text.isEmpty() || text.startsWith("#") || text.startsWith("@")) {
            return;
        }
        String[] args = text.split(" ", 3);
        String who = args[0];
        if (who.equals("sleep")) {
            Thread.sleep(seconds(Double.parseDouble(args[1])));
            lastEventNanos = System.nanoTime();
            return;
        }
        String verb = args.length > 1 ? args[1] : "";
        String argument = args.length > 2 ? args[2] : "";
        if (!verb.equals("<") && !verb.equals("silent")) {
            lastEventNanos = System.nanoTime();
        }
        switch (verb) {
            case "open" -> open(who);
            case ">" -> client(who).send(LinePattern.fill(argument, captured) + "\n");
            case ">>" -> client(who).send(unescaped(LinePattern.fill(argument, captured)));
            case "<" -> receive(who, argument);
            case "eof" -> client(who).expectEnd(expectedLine(" " + argument).within());
            case "silent" -> {
                lastEventNanos += seconds(Double.parseDouble(argument)).toNanos();
                client(who).expectSilence(lastEventNanos);
            }
            case "*" ->
                    loose.put(
                            who, new UnorderedLines(Integer.parseInt(argument), new ArrayList<>()));
            case "close" -> close(who);
            default -> throw new ConversationMismatch("no such step");
        }
    }

    private void open(String who) throws IOException {
        ConversationClient before = clients.put(who, new ConversationClient(server));
        if (before != null) {
            before.close();
        }
    }

    private void close(String who) throws IOException {
        client(who).close();
        clients.remove(who);
    }

    private ConversationClient client(String who) {
        ConversationClient client = clients.get(who);
        if (client == null) {
            throw new ConversationMismatch(who + " is not open");
        }
        return client;
    }

    private void receive(String who, String argument) throws IOException {
        ExpectedLine next = expectedLine(argument);
        UnorderedLines lines = loose.get(who);
        if (lines == null) {
            receiveOne(who, new ArrayList<>(List.of(next.text())), next.within());
            return;
        }
        lines.expected().add(next.text());
        if (lines.expected().size() == lines.count()) {
            loose.remove(who);
            while (!lines.expected().isEmpty()) {
                receiveOne(who, lines.expected(), next.within());
            }
        }
    }

    /** Receives a line and removes it from the expected ones. */
    private void receiveOne(String who, List<String> expected, Duration within) throws IOException {
        ConversationClient client = client(who);
        String got = client.line(within);
        if (client.waited()) {
            lastEventNanos = System.nanoTime();
        }
        for (String text : expected) {
            Optional<Map<String, String>> found = new LinePattern(text, captured).match(got);
            if (found.isPresent()) {
                captured.putAll(found.get());
                expected.remove(text);
                return;
            }
        }
        throw new ConversationMismatch("expected " + expected + ", got \"" + got + "\"");
    }

    private ExpectedLine expectedLine(String argument) {
        Matcher within = WITHIN.matcher(argument);
        return within.find()
                ? new ExpectedLine(
                        argument.substring(0, within.start()),
                        seconds(Double.parseDouble(within.group(1))).plus(slack))
                : new ExpectedLine(argument, seconds(USUAL_SECONDS).plus(slack));
    }

    private static Duration seconds(double value) {
        return Duration.ofMillis(Math.round(value * 1000));
    }

    private static String unescaped(String text) {
        return ESCAPE.matcher(text)
                .replaceAll(
                        escape ->
                                Matcher.quoteReplacement(
                                        switch (escape.group(1)) {
                                            case "n" -> "\n";
                                            case "r" -> "\r";
                                            case "t" -> "\t";
                                            case "0" -> "\0";
                                            case "\\" -> "\\";
                                            default ->
                                                    Character.toString(
                                                            Integer.parseInt(
                                                                    escape.group(1).substring(1),
                                                                    16));
                                        }));
    }

    @Override
    public void close() {
        for (ConversationClient client : clients.values()) {
            try {
                client.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
