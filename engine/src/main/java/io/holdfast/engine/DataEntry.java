package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A counter, a value or a list. */
abstract sealed class DataEntry extends KeyedState permits CounterEntry, ValueEntry, ListEntry {
    /** Who made it; not part of the state that is written. */
    Quotas.@Nullable Client creator;

    DataEntry(Key key) {
        super(key);
    }
}
