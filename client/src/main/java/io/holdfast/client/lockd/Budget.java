package io.holdfast.client.lockd;

/** How much of an answer of many lines is kept. */
final class Budget {
    /** What a kept line costs besides its text, in bytes, roughly. */
    private static final int PER_LINE = 100;

    private final long limit;
    private long used;

    Budget(long limit) {
        this.limit = limit;
    }

    void take(String line) throws BadAnswerException {
        used += PER_LINE + line.length();
        if (used > limit) {
            throw new BadAnswerException("An answer of more than " + limit + " bytes");
        }
    }
}
