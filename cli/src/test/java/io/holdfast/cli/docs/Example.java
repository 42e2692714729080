package io.holdfast.cli.docs;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A console block: what a reader types and sees, in one terminal or in several.
 *
 * <pre>
 * # terminal 2          the following lines are in this terminal; "# server" is one, too
 * $ printf ... | nc ... a command that ends; the following lines are its output
 * $ nc -N ...           stays open: three lines typed (one, to lockd's port), one line seen, and
 *                       so on; a line that begins with "sig " is always seen
 * $ nc -N -U /tmp/...   stays open and uses socketlock: the verb decides which lines are seen
 * $ ./holdfast ...      a server for this block alone; only ^C may follow
 * </pre>
 */
record Example(String where, String heading, List<Step> steps) {
    /** The port of dflockd on the pages. */
    static final int DFLOCKD_PORT = 6388;

    /** The port of lockd on the pages. */
    static final int LOCKD_PORT = 9999;

    /** The folder of a socket on the pages; replaced by a temporary folder. */
    static final Pattern FOLDER = Pattern.compile("/tmp/(?=[a-z]+\\.sock\\b)");

    private static final Pattern TALK = Pattern.compile("nc -N 127\\.0\\.0\\.1 (6388|9999)");
    private static final Pattern SOCKETLOCK = Pattern.compile("nc -N -U " + FOLDER + "\\S+");
    private static final Pattern SOCKETLOCK_ANSWER =
            Pattern.compile(
                    "CONNECTED \\S+|\\S+ (CONNECTED|READLOCK|WRITELOCK|LOCKOK|LOCKTIMEOUT|REQFAIL"
                            + "|PONG)\\b.*");
    private static final Pattern PIPE = Pattern.compile(".* \\| " + TALK);
    private static final String SERVE = "./holdfast ";
    private static final Pattern PLACE = Pattern.compile("# (terminal [1-9]|server)");
    private static final Pattern PRINTF = Pattern.compile("printf '([^']*)'");

    sealed interface Step {
        int line();

        /** Starts a server for this example. */
        record Serve(int line, List<String> args) implements Step {}

        /** Interrupts that server. */
        record Interrupt(int line) implements Step {}

        /** Runs a command to its end. */
        record Run(int line, String command, List<String> seen) implements Step {}

        /** Starts a command that keeps reading its input. */
        record Open(int line, String terminal, String command) implements Step {}

        record Type(int line, String terminal, List<String> request) implements Step {}

        record See(int line, String terminal, String seen) implements Step {}
    }

    /** A request of an example. If it has one line, the first word is the command. */
    record Request(String command, String key) {}

    private static int requestLines(int port) {
        return port == LOCKD_PORT ? 1 : 3;
    }

    private static int portOf(Matcher talk) {
        return Integer.parseInt(talk.group(1));
    }

    static Example of(String page, Page.Block block) {
        return new Parser(page, block).parse();
    }

    boolean hasOwnServer() {
        return steps.getFirst() instanceof Step.Serve;
    }

    /** Returns all requests, typed or sent with printf. */
    List<Request> requests() {
        List<Request> requests = new ArrayList<>();
        for (Step step : steps) {
            switch (step) {
                case Step.Type(_, _, var typed) -> addRequests(typed, typed.size(), requests);
                case Step.Run(_, var command, _) -> {
                    Matcher printed = PRINTF.matcher(command);
                    while (printed.find()) {
                        List<String> lines = Arrays.asList(printed.group(1).split("\\\\n", -1));
                        boolean lockd = command.endsWith(" " + LOCKD_PORT);
                        addRequests(
                                lines, requestLines(lockd ? LOCKD_PORT : DFLOCKD_PORT), requests);
                    }
                }
                case Step.Serve _, Step.Interrupt _, Step.Open _, Step.See _ -> {}
            }
        }
        return requests;
    }

    private static void addRequests(List<String> lines, int each, List<Request> requests) {
        for (int i = 0; i + each <= lines.size(); i += each) {
            if (each > 1) {
                requests.add(new Request(lines.get(i), lines.get(i + 1)));
            } else if (!lines.get(i).isEmpty()) {
                String[] args = lines.get(i).split(" ", 2);
                requests.add(new Request(args[0], args.length > 1 ? args[1] : ""));
            }
        }
    }

    private static final class Parser {
        private final String page;
        private final Page.Block block;
        private final List<Step> steps = new ArrayList<>();

        /** Terminals with a command that reads, and whether a response is outstanding. */
        private final Map<String, Boolean> talking = new HashMap<>();

        /** The number of lines of a request in a terminal. */
        private final Map<String, Integer> requestLines = new HashMap<>();

        /** Terminals in which the verb of a line decides whether it is typed. */
        private final Set<String> socketlock = new HashSet<>();

        private String terminal = "terminal 1";
        private int next;

        Parser(String page, Page.Block block) {
            this.page = page;
            this.block = block;
        }

        Example parse() {
            while (next < block.lines().size()) {
                String line = block.lines().get(next);
                Matcher place = PLACE.matcher(line);
                if (place.matches()) {
                    terminal = place.group(1);
                    next++;
                } else if (line.startsWith("$ ")) {
                    command(line.substring(2));
                } else if (line.equals("^C") && terminal.equals("server")) {
                    steps.add(new Step.Interrupt(number(next++)));
                } else {
                    talk(line);
                }
            }
            if (steps.isEmpty()) {
                throw malformed("there is no command in it");
            }
            talking.forEach(
                    (place, waiting) -> {
                        if (waiting) {
                            throw malformed("the last answer in " + place + " is missing");
                        }
                    });
            return new Example(page + ":" + block.line(), block.heading(), List.copyOf(steps));
        }

        private void command(String command) {
            int line = number(next++);
            Matcher talk = TALK.matcher(command);
            if (talking.containsKey(terminal) || socketlock.contains(terminal)) {
                throw malformed("something else still runs in " + terminal);
            }
            if (command.startsWith(SERVE)) {
                if (!steps.isEmpty() || !terminal.equals("server")) {
                    throw malformed("a server comes first, and in \"# server\"");
                }
                String args = command.substring(SERVE.length()).replace("'", "");
                steps.add(new Step.Serve(line, List.of(args.split(" "))));
            } else if (talk.matches()) {
                talking.put(terminal, false);
                requestLines.put(terminal, requestLines(portOf(talk)));
                steps.add(new Step.Open(line, terminal, command));
            } else if (SOCKETLOCK.matcher(command).matches()) {
                socketlock.add(terminal);
                steps.add(new Step.Open(line, terminal, command));
            } else if (PIPE.matcher(command).matches()) {
                int from = next;
                while (next < block.lines().size() && !isMark(block.lines().get(next))) {
                    next++;
                }
                steps.add(new Step.Run(line, command, block.lines().subList(from, next)));
            } else {
                throw malformed("a command must be, or end with, " + TALK + " or " + SOCKETLOCK);
            }
        }

        private void talk(String line) {
            if (socketlock.contains(terminal)) {
                int number = number(next++);
                steps.add(
                        SOCKETLOCK_ANSWER.matcher(line).matches()
                                ? new Step.See(number, terminal, line)
                                : new Step.Type(number, terminal, List.of(line)));
                return;
            }
            Boolean waiting = talking.get(terminal);
            if (waiting == null) {
                throw malformed("nothing that reads runs in " + terminal);
            }
            if (waiting || line.startsWith("sig ")) {
                steps.add(new Step.See(number(next++), terminal, line));
                talking.put(terminal, waiting && line.startsWith("sig "));
                return;
            }
            int from = next;
            next += requestLines.getOrDefault(terminal, 1);
            if (next > block.lines().size()) {
                throw malformed("a request has three lines");
            }
            List<String> request = block.lines().subList(from, next);
            if (request.stream().anyMatch(Parser::isMark)) {
                throw malformed("a request has three lines");
            }
            steps.add(new Step.Type(number(from), terminal, request));
            talking.put(terminal, true);
        }

        private static boolean isMark(@Nullable String line) {
            return line != null && (line.startsWith("$ ") || line.startsWith("# "));
        }

        private int number(int index) {
            return block.line() + index;
        }

        private IllegalArgumentException malformed(String reason) {
            int at = number(Math.min(next, block.lines().size()));
            return new IllegalArgumentException(page + ":" + at + ": " + reason);
        }
    }
}
