package io.holdfast.engine;

/** A number that many add to. Forgotten when it has been 0 and idle for long enough. */
final class Counter extends Entry {
    long value;

    Counter(Key key) {
        super(key);
    }
}
