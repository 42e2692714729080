package io.holdfast.cli.process;

import java.io.IOException;

/** A signal that this process may receive, named as for {@code kill}. */
public enum ProcessSignal {
    HUP(1),
    INT(2),
    QUIT(3),
    USR1(10),
    USR2(12),
    TERM(15);

    private static final int SIGNALLED = 128;

    /** The number on Linux; USR1 and USR2 have other numbers elsewhere. */
    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    /** Returns the exit status of a process that this signal has ended. */
    public int status() {
        return SIGNALLED + number;
    }

    /** Whether a terminal sends it at a key press, to all processes in the foreground. */
    boolean isTyped() {
        return this == INT || this == QUIT;
    }

    /** Whether the signal requests termination. */
    boolean requestsTermination() {
        return this != USR1 && this != USR2;
    }

    void sendTo(long pid) {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + name() + " " + pid)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(); // keeps the order of the signals
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            System.err.println("Warning: cannot forward SIG" + name() + ": " + e.getMessage());
        }
    }
}
