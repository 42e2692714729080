package io.holdfast.engine.lock;

/** The numbers by which the hashes of different types of records differ. */
final class HashedRecords {
    static final int RESOURCE = 1;
    static final int HOLD = 2;
    static final int WAITER = 3;
    static final int SESSION = 4;

    private HashedRecords() {}
}
