package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A counter, a value or a list. */
abstract sealed class Entry extends Named permits Counter, Value, ItemList {
    /** Who made it; not part of the state that is written. */
    Ledger.@Nullable Client creator;

    Entry(Key key) {
        super(key);
    }
}
