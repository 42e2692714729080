package io.holdfast.cli.watch;

/** A key that was pressed. */
sealed interface KeyPress {
    /** One that writes something. */
    record Typed(int character) implements KeyPress {}

    /** One that does something. */
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
        /** The terminal is gone. */
        GONE
    }
}
