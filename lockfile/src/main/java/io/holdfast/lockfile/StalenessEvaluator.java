package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Evaluates an observed lock file: its age, whether its process runs, whether it may be taken over.
 */
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

    /** Whether the settings permit taking the lock over. */
    boolean mayBeTakenOver(LockFileObservation observed) {
        return isOld(observed)
                && (config.stalePolicy() == StalePolicy.AGE
                        || alive(observed.file()) != ProcessLiveness.YES);
    }

    /** Whether the file is the one evaluated before, and may still be taken over. */
    boolean mayStillBeTakenOver(LockFileObservation again, LockFileObservation evaluated) {
        return again.isSame(evaluated) && mayBeTakenOver(again);
    }

    private boolean isOld(LockFileObservation observed) {
        return config.staleTimeout()
                .map(limit -> observed.file().isStale(now(), limit))
                .orElse(false);
    }

    private ProcessLiveness alive(LockFile file) {
        Holder holder = file.holder();
        if (holder == null
                || !file.pidEnded()
                || holder.pid() == 0
                || holder.pid() > Integer.MAX_VALUE
                || isOnOtherHost(holder)) {
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

    private static boolean isOnOtherHost(Holder holder) {
        return holder.host() != null && !holder.host().equals(OwnProcess.HOST);
    }

    /** Whether two processes with the same id are known to have started at different times. */
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
                && !isOnOtherHost(holder)
                && !isOther(holder.start(), OwnProcess.START);
    }

    LockFileStatus status(@Nullable LockFileObservation observed) {
        if (observed == null) {
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
        Holder holder = observed.file().holder();
        Instant now = now();
        return new LockFileStatus(
                path,
                found(observed),
                observed.file().content(),
                holder,
                observed.file().age(now),
                isOld(observed),
                mayBeTakenOver(observed),
                alive(observed.file()),
                holder != null && holder.timestamp() > now.getEpochSecond(),
                isOwn(observed.file()));
    }

    private static LockFileStatus.Found found(LockFileObservation observed) {
        return switch (observed.entry().kind()) {
            case FILE ->
                    observed.bytes() == null
                            ? LockFileStatus.Found.UNREADABLE_FILE
                            : LockFileStatus.Found.FILE;
            case FOLDER -> LockFileStatus.Found.FOLDER;
            case LINK -> LockFileStatus.Found.LINK;
            case OTHER -> LockFileStatus.Found.OTHER;
        };
    }
}
