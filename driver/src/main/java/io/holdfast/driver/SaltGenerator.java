package io.holdfast.driver;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.security.SecureRandom;

/** Secure random numbers, drawn in blocks: one call of the generator serves many requests. */
public final class SaltGenerator {
    private static final int BLOCK_BYTES = 4096;

    private final SecureRandom random = new SecureRandom();
    private final byte[] block = new byte[BLOCK_BYTES];
    private final LongBuffer numbers = ByteBuffer.wrap(block).asLongBuffer();

    public SaltGenerator() {
        numbers.position(numbers.limit());
    }

    public synchronized long next() {
        if (!numbers.hasRemaining()) {
            random.nextBytes(block);
            numbers.rewind();
        }
        return numbers.get();
    }
}
