package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A counter, a value or a list. */
abstract sealed class DataEntry extends KeyedState permits CounterEntry, ValueEntry, ListEntry {
    /** The client that created it; not part of the snapshot. */
    Quotas.@Nullable Client creator;

    DataEntry(Key key) {
        super(key);
    }
}
