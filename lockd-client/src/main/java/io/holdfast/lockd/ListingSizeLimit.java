package io.holdfast.lockd;

/** The memory limit of a response of many lines. */
final class ListingSizeLimit {
    /** The approximate memory overhead of a stored line, in bytes. */
    private static final int BYTES_PER_LINE = 100;

    private final long limit;
    private long used;

    ListingSizeLimit(long limit) {
        this.limit = limit;
    }

    void add(String line) throws LockdProtocolException {
        used += BYTES_PER_LINE + line.length();
        if (used > limit) {
            throw new LockdProtocolException("A response of more than " + limit + " bytes");
        }
    }
}
