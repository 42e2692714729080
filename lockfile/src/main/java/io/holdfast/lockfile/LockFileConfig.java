package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The settings with which a process uses a lock file. They are not stored in the file, so each user
 * of a lock can have different ones.
 */
public final class LockFileConfig {
    /** The stale timeout of the published programs. */
    static final Duration DEFAULT_STALE_TIMEOUT = Duration.ofHours(1);

    private static final Duration MIN_STALE_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration MAX_HEARTBEAT_INTERVAL = Duration.ofHours(1);
    private static final int MAX_TAG_LENGTH = 10_000;
    private static final long MAX_PID = 4294967295L;

    private final @Nullable Duration staleTimeout;
    private final StalePolicy stalePolicy;
    private final Duration retryInterval;
    private final @Nullable Duration acquireTimeout;
    private final @Nullable String tag;
    private final int maxTagLength;
    private final Duration settleTime;
    private final boolean heartbeat;
    private final @Nullable Duration heartbeatInterval;
    private final boolean releaseOnExit;
    private final boolean followLinks;
    private final boolean privateFile;
    private final @Nullable Long pid;
    private final InstantSource clock;
    private final LongFunction<Optional<ProcessHandle>> processes;
    private final Consumer<LockLostException> onLost;
    private final Consumer<String> onWarning;

    private LockFileConfig(Builder from) {
        staleTimeout = from.staleTimeout;
        stalePolicy = from.stalePolicy;
        retryInterval = from.retryInterval;
        acquireTimeout = from.acquireTimeout;
        tag = from.tag;
        maxTagLength = from.maxTagLength;
        settleTime = from.settleTime;
        heartbeat = from.heartbeat;
        heartbeatInterval = from.heartbeatInterval;
        releaseOnExit = from.releaseOnExit;
        followLinks = from.followLinks;
        privateFile = from.privateFile;
        pid = from.pid;
        clock = from.clock;
        processes = from.processes;
        onLost = from.onLost;
        onWarning = from.onWarning;
        // Age is counted in whole seconds: with less than one second, a lock that has just been
        // refreshed would be stale.
        require(
                staleTimeout == null || staleTimeout.compareTo(MIN_STALE_TIMEOUT) >= 0,
                "staleTimeout must be at least 1 s; use neverStale() for no timeout");
        require(isPositive(retryInterval), "retryInterval must be positive");
        require(
                acquireTimeout == null || !acquireTimeout.isNegative(),
                "acquireTimeout is negative");
        require(
                maxTagLength >= 0 && maxTagLength <= MAX_TAG_LENGTH,
                "maxTagLength must be 0 to " + MAX_TAG_LENGTH);
        require(!settleTime.isNegative(), "settleTime is negative");
        require(
                heartbeatInterval == null
                        || (isPositive(heartbeatInterval)
                                && heartbeatInterval.compareTo(MAX_HEARTBEAT_INTERVAL) <= 0),
                "heartbeatInterval must be positive and at most an hour");
        require(
                heartbeatInterval == null
                        || staleTimeout == null
                        || heartbeatInterval.multipliedBy(2).compareTo(staleTimeout) <= 0,
                "heartbeatInterval must be at most half of staleTimeout");
        require(pid == null || (pid >= 0 && pid <= MAX_PID), "pid must be 0 to " + MAX_PID);
    }

    private static boolean isPositive(Duration value) {
        return !value.isNegative() && !value.isZero();
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /**
     * Stale timeout of an hour, retry interval of 100 ms, no acquire timeout, no tag, heartbeat on.
     */
    public static LockFileConfig defaults() {
        return builder().build();
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A lock older than this may be taken over; empty: never. */
    public Optional<Duration> staleTimeout() {
        return Optional.ofNullable(staleTimeout);
    }

    public StalePolicy stalePolicy() {
        return stalePolicy;
    }

    public Duration retryInterval() {
        return retryInterval;
    }

    /** How long {@link FileSemaphore#acquire()} waits; empty: no timeout. */
    public Optional<Duration> acquireTimeout() {
        return Optional.ofNullable(acquireTimeout);
    }

    public Optional<String> tag() {
        return Optional.ofNullable(tag);
    }

    public int maxTagLength() {
        return maxTagLength;
    }

    public Duration settleTime() {
        return settleTime;
    }

    public boolean heartbeat() {
        return heartbeat;
    }

    /**
     * How often a holder refreshes its lock: the configured interval, or else a quarter of the
     * stale timeout, at most an hour.
     */
    public Duration heartbeatInterval() {
        if (heartbeatInterval != null) {
            return heartbeatInterval;
        }
        Duration quarter =
                (staleTimeout == null ? DEFAULT_STALE_TIMEOUT : staleTimeout).dividedBy(4);
        return quarter.compareTo(MAX_HEARTBEAT_INTERVAL) > 0 ? MAX_HEARTBEAT_INTERVAL : quarter;
    }

    public boolean releaseOnExit() {
        return releaseOnExit;
    }

    public boolean followLinks() {
        return followLinks;
    }

    public boolean privateFile() {
        return privateFile;
    }

    /** The process id to record; empty: that of this process. */
    public Optional<Long> pid() {
        return Optional.ofNullable(pid);
    }

    InstantSource clock() {
        return clock;
    }

    LongFunction<Optional<ProcessHandle>> processes() {
        return processes;
    }

    Consumer<LockLostException> onLost() {
        return onLost;
    }

    /**
     * The warning callback; its exceptions are discarded, so that they do not interrupt the
     * operation that warns.
     */
    Consumer<String> onWarning() {
        return text -> {
            try {
                onWarning.accept(text);
            } catch (RuntimeException e) {
                // There is no other callback to report it to.
            }
        };
    }

    /** Sets what differs from the defaults. */
    public static final class Builder {
        private @Nullable Duration staleTimeout = DEFAULT_STALE_TIMEOUT;
        private StalePolicy stalePolicy = StalePolicy.AGE;
        private Duration retryInterval = Duration.ofMillis(100);
        private @Nullable Duration acquireTimeout;
        private @Nullable String tag;
        private int maxTagLength = MAX_TAG_LENGTH;
        private Duration settleTime = Duration.ZERO;
        private boolean heartbeat = true;
        private @Nullable Duration heartbeatInterval;
        private boolean releaseOnExit = true;
        private boolean followLinks;
        private boolean privateFile;
        private @Nullable Long pid;
        private InstantSource clock = InstantSource.system();
        private LongFunction<Optional<ProcessHandle>> processes = ProcessHandle::of;
        private Consumer<LockLostException> onLost =
                lost -> log(System.Logger.Level.ERROR, lost.getMessage());
        private Consumer<String> onWarning = text -> log(System.Logger.Level.WARNING, text);

        private Builder() {}

        /** Looks the logger up only when there is something to log, because the lookup is slow. */
        private static void log(System.Logger.Level level, @Nullable String text) {
            System.getLogger("io.holdfast.lockfile").log(level, text);
        }

        /**
         * How old a lock must be to be stale: an hour by default, a second at least. Age is counted
         * in whole seconds, and must be greater than this.
         */
        public Builder staleTimeout(Duration value) {
            staleTimeout = value;
            return this;
        }

        /** Never takes over a lock. */
        public Builder neverStale() {
            staleTimeout = null;
            return this;
        }

        /** When a stale lock may be taken over: by its age alone by default. */
        public Builder stalePolicy(StalePolicy value) {
            stalePolicy = value;
            return this;
        }

        /**
         * The interval between attempts while waiting: 100 ms by default. Where the system reports
         * deleted files, the next attempt follows a release at once.
         */
        public Builder retryInterval(Duration value) {
            retryInterval = value;
            return this;
        }

        /**
         * How long {@link FileSemaphore#acquire()} waits: no timeout by default. Zero means one
         * attempt.
         */
        public Builder acquireTimeout(Duration value) {
            acquireTimeout = value;
            return this;
        }

        /**
         * Free text to record with the lock: none by default. Characters that could end a line
         * become spaces.
         */
        public Builder tag(String value) {
            tag = value;
            return this;
        }

        /**
         * The maximum length of a tag: 10000 characters by default, which is the upper limit.
         * Longer tags are truncated.
         */
        public Builder maxTagLength(int value) {
            maxTagLength = value;
            return this;
        }

        /**
         * How long to wait after creating the file before checking that it has not been replaced
         * and reporting success: zero by default. Use 20 to 50 ms if other programs that overwrite
         * locks use the same file.
         */
        public Builder settleTime(Duration value) {
            settleTime = value;
            return this;
        }

        /**
         * Whether a holder refreshes the timestamp of its lock, so that it does not become stale:
         * on by default.
         */
        public Builder heartbeat(boolean value) {
            heartbeat = value;
            return this;
        }

        /** How often a holder refreshes its lock: every quarter of the stale timeout by default. */
        public Builder heartbeatInterval(Duration value) {
            heartbeatInterval = value;
            return this;
        }

        /**
         * Whether held locks are released when the JVM shuts down regularly, even if threads still
         * work under the lock: on by default. {@code onLost} is not called then.
         */
        public Builder releaseOnExit(boolean value) {
            releaseOnExit = value;
            return this;
        }

        /**
         * Whether a symbolic link at the path is followed to its target: off by default. Otherwise
         * a link at the path counts as held, and only force removes it.
         */
        public Builder followLinks(boolean value) {
            followLinks = value;
            return this;
        }

        /**
         * Whether the file is readable only for its owner: off by default. Other users can then not
         * see whether the lock is stale.
         */
        public Builder privateFile(boolean value) {
            privateFile = value;
            return this;
        }

        /** The process id to record as the holder: that of this process by default. */
        public Builder pid(long value) {
            pid = value;
            return this;
        }

        /** The wall clock for timestamps and ages: the system clock by default. */
        public Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        /** Looks up a process by its id: {@link ProcessHandle#of} by default. */
        public Builder processes(LongFunction<Optional<ProcessHandle>> value) {
            processes = value;
            return this;
        }

        /**
         * Called once when the lock is found to be lost: in a thread of the library if a heartbeat
         * finds it, otherwise in the thread that calls {@link Guard#isStillOwner} or releases. By
         * default an error is logged.
         */
        public Builder onLost(Consumer<LockLostException> value) {
            onLost = value;
            return this;
        }

        /**
         * Called with warnings about conditions that do not stop an operation. By default they are
         * logged.
         */
        public Builder onWarning(Consumer<String> value) {
            onWarning = value;
            return this;
        }

        /**
         * Checks and returns the settings.
         *
         * @throws IllegalArgumentException if a value is invalid
         */
        public LockFileConfig build() {
            return new LockFileConfig(this);
        }
    }
}
