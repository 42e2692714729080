package io.holdfast.cli.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that runs in place of this process: it inherits input, output, working directory and
 * environment, signals are forwarded to it, and its exit status is returned.
 */
public final class ChildCommand {
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    private static final Pattern ERROR_NUMBER = Pattern.compile("error[=:] ?([0-9]+)");
    private static final String NO_SUCH_FILE = "2";

    private final List<String> commandLine;
    private final Consumer<Map<String, String>> variables;

    public ChildCommand(List<String> commandLine) {
        this(commandLine, same -> {});
    }

    /**
     * @param variables changes the environment variables of the command
     */
    public ChildCommand(List<String> commandLine, Consumer<Map<String, String>> variables) {
        this.commandLine = List.copyOf(commandLine);
        this.variables = variables;
    }

    /** The command did not start; {@link #status()} is what shells return in this case. */
    public static final class NotStartedException extends Exception {
        private final int status;

        private NotStartedException(String message, int status, Throwable cause) {
            super(message, cause);
            this.status = status;
        }

        /** 127 if the command was not found, 126 if it cannot be executed. */
        public int status() {
            return status;
        }
    }

    /**
     * Runs the command to its end; signals are forwarded to it and do not interrupt the wait.
     *
     * @return its exit status; 128 + N if signal N ended it
     */
    public int run(SignalRelay signals) throws NotStartedException {
        return start(signals).await();
    }

    /** Starts the command; signals are forwarded to it from now on. */
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
            // Only the cause's message: the outer one contains the command's name, which may look
            // alike.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            Matcher number = ERROR_NUMBER.matcher(String.valueOf(cause.getMessage()));
            String name = commandLine.getFirst();
            throw number.find() && number.group(1).equals(NO_SUCH_FILE)
                    ? new NotStartedException("command not found: " + name, NOT_FOUND, e)
                    : new NotStartedException("cannot execute: " + name, NOT_EXECUTABLE, e);
        }
    }
}
