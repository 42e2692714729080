package io.holdfast.engine.data;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;

/** A counter. It is dropped when it is 0 and has been idle for {@link EngineSettings#idleNanos}. */
final class CounterEntry extends DataEntry {
    long value;

    CounterEntry(Key key) {
        super(key);
    }
}
