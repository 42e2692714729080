package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Says what to think of a lock file that was seen. */
final class StalenessEvaluator {
    private static final long START_TOLERANCE_MILLIS = 1000;

    private final Path path;
    private final LockFileConfig config;

    StalenessEvaluator(Path path, LockFileConfig config) {
        this.path = path;
        this.config = config;
    }

    Instant now() {
        return config.clock().instant();
    }

    /** Whether the settings allow to take the lock over. */
    boolean mayBeTaken(ObservedFile seen) {
        return isOld(seen)
                && (config.stalePolicy() == StalePolicy.AGE
                        || alive(seen.file()) != ProcessLiveness.YES);
    }

    /** Whether what was judged before is there again, and still to be taken over. */
    boolean isStillToBeTaken(ObservedFile again, ObservedFile judged) {
        return again.isSame(judged) && mayBeTaken(again);
    }

    private boolean isOld(ObservedFile seen) {
        return config.staleTimeout().map(limit -> seen.file().isStale(now(), limit)).orElse(false);
    }

    private ProcessLiveness alive(LockFile file) {
        Holder holder = file.holder();
        if (holder == null
                || !file.pidEnded()
                || holder.pid() == 0
                || holder.pid() > Integer.MAX_VALUE
                || isElsewhere(holder)) {
            return ProcessLiveness.UNKNOWN;
        }
        Optional<ProcessHandle> process =
                config.processes().apply(holder.pid()).filter(ProcessHandle::isAlive);
        if (process.isEmpty()) {
            return ProcessLiveness.NO;
        }
        return isOther(holder.start(), OwnProcess.start(process.get()))
                ? ProcessLiveness.NO
                : ProcessLiveness.YES;
    }

    private static boolean isElsewhere(Holder holder) {
        return holder.host() != null && !holder.host().equals(OwnProcess.HOST);
    }

    /** Whether two processes with the same id started at different times, as far as is known. */
    private static boolean isOther(@Nullable Long start, @Nullable Long otherStart) {
        return start != null
                && otherStart != null
                && Math.abs(start - otherStart) > START_TOLERANCE_MILLIS;
    }

    private static boolean isOwn(LockFile file) {
        Holder holder = file.holder();
        return holder != null
                && file.pidEnded()
                && holder.pid() == OwnProcess.PID
                && !isElsewhere(holder)
                && !isOther(holder.start(), OwnProcess.START);
    }

    LockFileStatus status(@Nullable ObservedFile seen) {
        if (seen == null) {
            return new LockFileStatus(
                    path,
                    LockFileStatus.Found.NOTHING,
                    LockFileContent.FOREIGN,
                    null,
                    Duration.ZERO,
                    false,
                    true,
                    ProcessLiveness.UNKNOWN,
                    false,
                    false);
        }
        Holder holder = seen.file().holder();
        Instant now = now();
        return new LockFileStatus(
                path,
                found(seen),
                seen.file().content(),
                holder,
                seen.file().age(now),
                isOld(seen),
                mayBeTaken(seen),
                alive(seen.file()),
                holder != null && holder.timestamp() > now.getEpochSecond(),
                isOwn(seen.file()));
    }

    private static LockFileStatus.Found found(ObservedFile seen) {
        return switch (seen.entry().kind()) {
            case FILE ->
                    seen.bytes() == null
                            ? LockFileStatus.Found.UNREADABLE_FILE
                            : LockFileStatus.Found.FILE;
            case FOLDER -> LockFileStatus.Found.FOLDER;
            case LINK -> LockFileStatus.Found.LINK;
            case OTHER -> LockFileStatus.Found.OTHER;
        };
    }
}
