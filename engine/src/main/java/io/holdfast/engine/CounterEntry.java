package io.holdfast.engine;

/** A number that many add to. Forgotten when it has been 0 and idle for long enough. */
final class CounterEntry extends DataEntry {
    long value;

    CounterEntry(Key key) {
        super(key);
    }
}
