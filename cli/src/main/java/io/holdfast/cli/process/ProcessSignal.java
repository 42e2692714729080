package io.holdfast.cli.process;

import java.io.IOException;

/** A signal that somebody may send us, by the name that {@code kill} knows it by. */
public enum ProcessSignal {
    HUP(1),
    INT(2),
    QUIT(3),
    USR1(10),
    USR2(12),
    TERM(15);

    private static final int SIGNALLED = 128;

    /** As Linux counts them; elsewhere those of USR1 and USR2 are others. */
    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    /** The exit status that stands for an end by this signal. */
    public int status() {
        return SIGNALLED + number;
    }

    /** Whether a key of a terminal sends it, to all processes in the foreground. */
    boolean isTyped() {
        return this == INT || this == QUIT;
    }

    /** Whether who sends it wants an end. */
    boolean asksToEnd() {
        return this != USR1 && this != USR2;
    }

    void sendTo(long pid) {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + name() + " " + pid)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(); // the next signal must not overtake it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            System.err.println("Warning: cannot pass on SIG" + name() + ": " + e.getMessage());
        }
    }
}
