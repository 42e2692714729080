package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;

/**
 * A byte string with a key. With a time to live it expires; without, it is dropped when it has been
 * idle for {@link EngineSettings#idleNanos}, unless the settings keep values.
 */
final class ValueEntry extends DataEntry {
    ByteString content = ByteString.EMPTY;

    /** Whether it has a time to live. */
    boolean expires;

    ValueEntry(Key key) {
        super(key);
    }
}
