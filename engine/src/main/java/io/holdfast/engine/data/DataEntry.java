package io.holdfast.engine.data;

import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.view.KeyedState;

import org.jspecify.annotations.Nullable;

/** A counter, a value or a list. */
abstract sealed class DataEntry extends KeyedState permits CounterEntry, ValueEntry, ListEntry {
    /** The client that created it; not part of the snapshot. */
    Quotas.@Nullable Client creator;

    DataEntry(Key key) {
        super(key);
    }

    /**
     * @param type the number by which the hashes of different types of records differ
     */
    final void hashEntry(int type, FieldHash out) {
        out.number(type).key(key).number(lastActivityNanos);
        hashDeadline(out);
    }
}
