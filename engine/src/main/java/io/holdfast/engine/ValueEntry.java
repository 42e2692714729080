package io.holdfast.engine;

/**
 * A byte string under a key. One with a time to live ends by it; one without is forgotten when it
 * has been idle for long enough.
 */
final class ValueEntry extends DataEntry {
    ByteString content = ByteString.EMPTY;

    /** Whether it has a time to live. */
    boolean expires;

    ValueEntry(Key key) {
        super(key);
    }
}
