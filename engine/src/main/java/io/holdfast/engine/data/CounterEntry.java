package io.holdfast.engine.data;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.hash.FieldHash;

/** A counter. It is dropped when it is 0 and has been idle for {@link EngineSettings#idleNanos}. */
final class CounterEntry extends DataEntry {
    private static final int HASHED_TYPE = 5;

    long value;

    CounterEntry(Key key) {
        super(key);
    }

    @Override
    protected void hashFields(FieldHash out) {
        hashEntry(HASHED_TYPE, out);
        out.number(value);
    }
}
