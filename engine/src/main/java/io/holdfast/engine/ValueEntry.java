package io.holdfast.engine;

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
