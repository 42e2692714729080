package io.holdfast.engine;

/**
 * A byte string under a key. One with a time to live ends by it; one without is forgotten when it
 * has been idle for long enough.
 */
final class Value extends Entry {
    ByteString content = ByteString.EMPTY;

    /** Whether it has a time to live. */
    boolean expires;

    Value(Key key) {
        super(key);
    }
}
