package io.holdfast.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.security.SecureRandom;

/** Cryptographically random numbers, generated in blocks to amortize the cost. Thread-safe. */
public final class SaltGenerator {
    private static final int BLOCK_BYTES = 4096;

    private final SecureRandom random = new SecureRandom();

    @GuardedBy("this")
    private final byte[] block = new byte[BLOCK_BYTES];

    @GuardedBy("this")
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
