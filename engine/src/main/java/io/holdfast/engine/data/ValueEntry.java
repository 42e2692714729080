package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.hash.FieldHash;

/**
 * A byte string with a key. With a time to live it expires; without, it is dropped when it has been
 * idle for {@link EngineSettings#idleNanos}, unless the settings keep values.
 */
final class ValueEntry extends DataEntry {
    private static final int HASHED_TYPE = 6;

    ByteString content = ByteString.EMPTY;

    /** The hash of the content, if the state has a hash: reading a value does not hash it again. */
    long contentHash;

    /** Whether it has a time to live. */
    boolean expires;

    ValueEntry(Key key) {
        super(key);
    }

    @Override
    protected void hashFields(FieldHash out) {
        hashEntry(HASHED_TYPE, out);
        out.number(content.length()).number(contentHash).flag(expires);
    }
}
