package io.holdfast.client.lockd;

/** How much of an answer of many lines is kept. */
final class ListingSizeLimit {
    /** What a kept line costs besides its text, in bytes, roughly. */
    private static final int PER_LINE = 100;

    private final long limit;
    private long used;

    ListingSizeLimit(long limit) {
        this.limit = limit;
    }

    void take(String line) throws LockdProtocolException {
        used += PER_LINE + line.length();
        if (used > limit) {
            throw new LockdProtocolException("An answer of more than " + limit + " bytes");
        }
    }
}
