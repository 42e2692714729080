package io.holdfast.engine;

/** What proves possession of a hold: its fence, and salt that nobody can guess from the fence. */
public record Token(long fence, long salt) {
    /** Salt is a secret. */
    @Override
    public String toString() {
        return "Token[fence=" + Long.toUnsignedString(fence) + ", salt=***]";
    }
}
