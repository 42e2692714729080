package io.holdfast.cli.watch;

/** A key press. */
sealed interface KeyPress {
    /** A key that types a character. */
    record Typed(int character) implements KeyPress {}

    /** A control key. */
    enum SpecialKey implements KeyPress {
        UP,
        DOWN,
        PAGE_UP,
        PAGE_DOWN,
        HOME,
        END,
        ENTER,
        ERASE,
        ESCAPE,
        /** Ctrl-C. */
        INTERRUPT,
        /** The terminal was closed: the end of its input. */
        GONE
    }
}
