package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A lock file that this process created. Not thread-safe.
 *
 * <p>While the file is open, its identity (inode) cannot be reused by another file. Where it cannot
 * stay open, the nonce in its content distinguishes it from others.
 */
final class HeldLockFile {
    private final Holder holder;
    private final Object identity;
    private final LockFileSystem.@Nullable OwnFile file;
    private final long stampedNanos;
    private byte[] bytes;

    /** The content that a failed write may have left in the file. */
    private byte[] maybeBytes;

    /**
     * @param file null where a file cannot stay open
     * @param stampedNanos when the timestamp was taken, by {@link System#nanoTime}
     */
    HeldLockFile(
            Holder holder,
            Object identity,
            byte[] bytes,
            LockFileSystem.@Nullable OwnFile file,
            long stampedNanos) {
        this.holder = holder;
        this.identity = identity;
        this.bytes = bytes;
        this.maybeBytes = bytes;
        this.file = file;
        this.stampedNanos = stampedNanos;
    }

    Holder holder() {
        return holder;
    }

    LockFileSystem.@Nullable OwnFile file() {
        return file;
    }

    long stampedNanos() {
        return stampedNanos;
    }

    boolean matches(@Nullable LockFileObservation observed) {
        return observed != null
                && (observed.is(identity, bytes) || observed.is(identity, maybeBytes));
    }

    boolean hasIdentity(LockFileObservation observed) {
        return observed.entry().identity().equals(identity);
    }

    /** The content with another timestamp, with the same length as before. */
    byte[] stamped(long seconds) {
        byte[] result = bytes.clone();
        put(result, "timestamp=", seconds);
        return result;
    }

    /** The content with pid 0 and timestamp 0: a released lock, which is stale for every user. */
    byte[] abandoned() {
        byte[] result = stamped(0);
        put(result, "pid=", 0);
        return result;
    }

    void writing(byte[] content) {
        maybeBytes = content;
    }

    void written(byte[] content) {
        bytes = content;
        maybeBytes = content;
    }

    /** Overwrites the digits after the first occurrence of the key, padded with leading zeros. */
    private static void put(byte[] content, String key, long number) {
        int from = new String(content, StandardCharsets.ISO_8859_1).indexOf(key) + key.length();
        int to = from;
        while (content[to] != '\n') {
            to++;
        }
        Arrays.fill(content, from, to, (byte) '0');
        byte[] digits = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(digits.length, to - from);
        System.arraycopy(digits, digits.length - length, content, to - length, length);
    }
}
