package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * The parsed content of a lock file. Parsing is pure: it does not access a file.
 *
 * @param content the kind of content
 * @param holder present if the content is valid
 * @param modified when the file was last modified
 * @param timestampEnded false if the timestamp line has no line feed, so that it may be truncated
 * @param pidEnded false if the pid line has no line feed, so that it may be truncated
 */
public record LockFile(
        LockFileContent content,
        @Nullable Holder holder,
        Instant modified,
        boolean timestampEnded,
        boolean pidEnded) {
    /** The maximum number of bytes that are read of a file. */
    public static final int READ_LIMIT = 65536;

    /** Parses the bytes up to {@link #READ_LIMIT} and ignores the rest. */
    public static LockFile parse(byte[] bytes, Instant modified) {
        return LockFileReader.read(bytes, modified);
    }

    /** Whether the lock is older than the timeout, in whole seconds. */
    public boolean isStale(Instant now, Duration timeout) {
        return content != LockFileContent.FOREIGN && age(now).compareTo(timeout) > 0;
    }

    /**
     * Whether its holder has released it but could not remove the file: it is stale for every user.
     */
    boolean isAbandoned() {
        return holder != null
                && pidEnded
                && timestampEnded
                && holder.pid() == 0
                && holder.timestamp() == 0;
    }

    /** How old the lock is, in whole seconds; zero if that is not known, or in the future. */
    Duration age(Instant now) {
        long seconds = now.getEpochSecond();
        long origin = content == LockFileContent.FOREIGN ? seconds : origin();
        // Subtract only if the result is positive: a timestamp far in the future would overflow.
        return origin >= seconds ? Duration.ZERO : Duration.ofSeconds(seconds - origin);
    }

    private long origin() {
        if (holder == null) {
            return modified.getEpochSecond();
        }
        return timestampEnded
                ? holder.timestamp()
                : Math.max(holder.timestamp(), modified.getEpochSecond());
    }

    /** The content of a lock file of this holder. */
    static byte[] write(Holder holder) {
        return LockFileWriter.write(holder);
    }

    /** The text without characters that could end the line, cut to {@code maxLength}. */
    static String tag(String text, int maxLength) {
        return LockFileWriter.cut(LockFileWriter.clean(text), maxLength);
    }
}
