package io.holdfast.cli.watch;

/** A key that was pressed. */
sealed interface Key {
    /** One that writes something. */
    record Typed(int character) implements Key {}

    /** One that does something. */
    enum Named implements Key {
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
