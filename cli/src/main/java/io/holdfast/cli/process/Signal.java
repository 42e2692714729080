package io.holdfast.cli.process;

/** A signal that somebody may send us, by the name that {@code kill} knows it by. */
public enum Signal {
    HUP(1),
    INT(2),
    QUIT(3),
    USR1(10),
    USR2(12),
    TERM(15);

    private static final int SIGNALLED = 128;

    /** As Linux counts them; elsewhere those of USR1 and USR2 are others. */
    private final int number;

    Signal(int number) {
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
}
