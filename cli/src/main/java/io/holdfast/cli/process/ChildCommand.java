package io.holdfast.cli.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that runs as if it stood in our place: it has our input, output, folder and variables,
 * it gets our signals, and its exit status is meant to become ours.
 */
public final class ChildCommand {
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    private static final Pattern ERROR_NUMBER = Pattern.compile("error[=:] ?([0-9]+)");
    private static final String NO_SUCH_FILE = "2";

    private final List<String> commandLine;
    private final Consumer<Map<String, String>> variables;

    public ChildCommand(List<String> words) {
        this(words, same -> {});
    }

    /**
     * @param variables changes those that the command gets
     */
    public ChildCommand(List<String> words, Consumer<Map<String, String>> variables) {
        this.commandLine = List.copyOf(words);
        this.variables = variables;
    }

    /** The command did not start; {@link #status()} is what shells return then. */
    public static final class NotStartedException extends Exception {
        private final int status;

        private NotStartedException(String message, int status, Throwable cause) {
            super(message, cause);
            this.status = status;
        }

        /** 127 if there is no such command, 126 if there is. */
        public int status() {
            return status;
        }
    }

    /**
     * Runs the command to its end, whatever signals come; they are passed on.
     *
     * @return its exit status, 128 and the number of the signal if one ended it
     */
    public int run(SignalRelay signals) throws NotStartedException {
        return start(signals).await();
    }

    /** Starts the command; signals are passed on to it from now on. */
    public RunningCommand start(SignalRelay signals) throws NotStartedException {
        RunningCommand running = new RunningCommand(start());
        signals.passOnTo(running::send);
        return running;
    }

    private Process start() throws NotStartedException {
        ProcessBuilder builder = new ProcessBuilder(commandLine).inheritIO();
        variables.accept(builder.environment());
        try {
            return builder.start();
        } catch (IOException e) {
            // The cause's message is about the error alone; the other has the command's name in it.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            Matcher number = ERROR_NUMBER.matcher(String.valueOf(cause.getMessage()));
            String name = commandLine.getFirst();
            throw number.find() && number.group(1).equals(NO_SUCH_FILE)
                    ? new NotStartedException("command not found: " + name, NOT_FOUND, e)
                    : new NotStartedException("cannot execute: " + name, NOT_EXECUTABLE, e);
        }
    }
}
