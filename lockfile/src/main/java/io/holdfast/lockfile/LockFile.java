package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * What a reader makes of the bytes of a lock file. Pure: no file is touched in here.
 *
 * @param content what kind of bytes they are
 * @param holder present if the content is valid
 * @param modified when the file was last modified
 * @param timestampEnded false if the line of the timestamp may be cut short
 * @param pidEnded false if the line of the pid may be cut short
 */
public record LockFile(
        LockFileContent content,
        @Nullable Holder holder,
        Instant modified,
        boolean timestampEnded,
        boolean pidEnded) {
    /** How many bytes of a file are read at most. */
    public static final int READ_LIMIT = 65536;

    /** Takes the bytes up to {@link #READ_LIMIT}; what follows is passed over. */
    public static LockFile parse(byte[] bytes, Instant modified) {
        return LockFileReader.read(bytes, modified);
    }

    /** Whether the lock is older than the timeout, in whole seconds. */
    public boolean isStale(Instant now, Duration timeout) {
        return content != LockFileContent.FOREIGN && age(now).compareTo(timeout) > 0;
    }

    /** Whether its holder has released it, but could not remove it: it is stale for everybody. */
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
        // A difference is taken only where it is positive: a far future cannot wrap around.
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

    /** The bytes that a lock file of this holder consists of. */
    static byte[] write(Holder holder) {
        return LockFileWriter.write(holder);
    }

    /** The text as it can stand in one line of a lock file. */
    static String tag(String text, int maxLength) {
        return LockFileWriter.cut(LockFileWriter.clean(text), maxLength);
    }
}
