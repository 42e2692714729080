package io.holdfast.testsupport;

import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends signals to processes, and starts processes that react to them.
 *
 * <p>A process inherits the signals that its parent ignores: under {@code nohup ./mvnw verify &}
 * that is SIGHUP, SIGINT and SIGQUIT. A test that sends one of them starts its process with {@link
 * #withDefaultSignals}.
 */
public final class ProcessSignals {
    /** Bit n - 1 represents signal n: SIGHUP is 1, SIGINT 2, SIGQUIT 3, SIGTERM 15. */
    private static final BigInteger SENT_BY_TESTS = BigInteger.valueOf(0b100_0000_0000_0111);

    private static final List<String> RESET = List.of("env", "--default-signal");

    private ProcessSignals() {}

    /**
     * Sends a signal, named without SIG. Uses the kill of the shell, because not every machine has
     * a program of that name.
     */
    public static void send(String name, long pid) throws IOException, InterruptedException {
        Process kill =
                new ProcessBuilder("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, "" + pid)
                        .redirectErrorStream(true)
                        .start();
        String problem = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (kill.waitFor() != 0) {
            throw new AssertionError("cannot send SIG" + name + " to " + pid + ": " + problem);
        }
    }

    /**
     * Returns a command line that starts the command with no signal ignored.
     *
     * @throws TestAbortedException if signals are ignored here and nothing can undo it
     */
    public static List<String> withDefaultSignals(List<String> command) {
        if (!Inherited.ANY_IGNORED) {
            return command;
        }
        if (!Inherited.CAN_RESET) {
            throw new TestAbortedException(
                    "signals are ignored here (as under nohup), and env cannot reset them");
        }
        List<String> all = new ArrayList<>(RESET);
        all.addAll(command);
        return all;
    }

    /** Whether the line {@code SigIgn} of a process status names a signal that tests send. */
    static boolean ignoresAny(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> new BigInteger(line.substring("SigIgn:".length()).strip(), 16))
                .anyMatch(ignored -> ignored.and(SENT_BY_TESTS).signum() != 0);
    }

    /** The signal state that this JVM has inherited; determined at first use. */
    private static final class Inherited {
        private static final boolean ANY_IGNORED = anyIgnored();
        private static final boolean CAN_RESET = ANY_IGNORED && canReset();

        private static boolean anyIgnored() {
            // The JVM handles these signals itself, so its own status does not show what a child
            // inherits.
            try {
                Process child =
                        new ProcessBuilder("sh", "-c", "exec cat /proc/self/status").start();
                try (var lines = child.inputReader().lines()) {
                    return ignoresAny(lines.toList());
                }
            } catch (IOException e) {
                return true; // unknown: reset them, if possible
            }
        }

        private static boolean canReset() {
            try {
                List<String> command = new ArrayList<>(RESET);
                command.add("true");
                return new ProcessBuilder(command).start().waitFor() == 0;
            } catch (IOException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
