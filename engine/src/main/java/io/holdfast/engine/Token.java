package io.holdfast.engine;

/**
 * The secret that releases and renews a hold: its fence, and a random salt that cannot be guessed
 * from the fence.
 */
public record Token(long fence, long salt) {
    /** Omits the salt, which is secret. */
    @Override
    public String toString() {
        return "Token[fence=" + Long.toUnsignedString(fence) + ", salt=***]";
    }
}
