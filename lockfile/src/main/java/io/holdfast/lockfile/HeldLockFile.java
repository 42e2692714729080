package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A lock file that we made. Not for use by several threads at once.
 *
 * <p>As long as the file is open its identity cannot pass to another one. Where it cannot stay open
 * the nonce among its bytes tells it from others.
 */
final class HeldLockFile {
    private final Holder holder;
    private final Object identity;
    private final LockFileSystem.@Nullable OwnFile file;
    private final long stampedNanos;
    private byte[] bytes;

    /** What a write that failed may have left behind. */
    private byte[] maybeBytes;

    /**
     * @param file null where no file can stay open
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

    boolean isSeenIn(@Nullable ObservedFile seen) {
        return seen != null && (seen.is(identity, bytes) || seen.is(identity, maybeBytes));
    }

    boolean hasIdentity(ObservedFile seen) {
        return seen.entry().identity().equals(identity);
    }

    /** Our content with another time, as long as it was before. */
    byte[] stamped(long seconds) {
        byte[] result = bytes.clone();
        put(result, "timestamp=", seconds);
        return result;
    }

    /** Our content without us: of no process, and older than everything. */
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

    /** Overwrites the digits after the first such key; what is missing in front becomes zeros. */
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
