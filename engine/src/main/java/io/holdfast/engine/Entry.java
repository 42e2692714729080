package io.holdfast.engine;

/** A counter, a value or a list. */
abstract sealed class Entry extends Named permits Counter, Value, ItemList {
    Entry(Key key) {
        super(key);
    }
}
