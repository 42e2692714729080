package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** How a lock file is used. Every user of a lock has settings of its own; none is in the file. */
public final class LockFileConfig {
    /** After which time the published programs take a lock for stale. */
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
        // Age is counted in whole seconds: below one, a lock that was refreshed just now is stale.
        require(
                staleTimeout == null || staleTimeout.compareTo(MIN_STALE_TIMEOUT) >= 0,
                "staleTimeout must be at least 1 s; neverStale() is for no timeout at all");
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

    /** Stale after an hour, a try every 100 ms, wait for ever, no tag, heartbeat on. */
    public static LockFileConfig defaults() {
        return builder().build();
    }

    /** Begins with the defaults. */
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

    /** How long {@link FileSemaphore#acquire()} waits; empty: for ever. */
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

    /** How often a holder refreshes its lock: as set, else a quarter of the stale timeout. */
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

    /** The process id to record; empty: this process's own. */
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

    /** Stops nothing, whatever becomes of it: who warns has something else to do. */
    Consumer<String> onWarning() {
        return text -> {
            try {
                onWarning.accept(text);
            } catch (RuntimeException e) {
                // A warning about warnings would reach nobody.
            }
        };
    }

    /** Sets what shall not be as usual. */
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

        /** Finds the logger when there is something to say: finding it is slow. */
        private static void log(System.Logger.Level level, @Nullable String text) {
            System.getLogger("io.holdfast.lockfile").log(level, text);
        }

        /**
         * An hour by default, a second at least. Age is counted in whole seconds, and must be
         * greater.
         */
        public Builder staleTimeout(Duration value) {
            staleTimeout = value;
            return this;
        }

        /** No lock is ever taken over. */
        public Builder neverStale() {
            staleTimeout = null;
            return this;
        }

        /** Age alone by default. */
        public Builder stalePolicy(StalePolicy value) {
            stalePolicy = value;
            return this;
        }

        /**
         * 100 ms by default. Where the system tells of deleted files, a lock that comes free is
         * tried at once.
         */
        public Builder retryInterval(Duration value) {
            retryInterval = value;
            return this;
        }

        /** For ever by default. Zero is one attempt. */
        public Builder acquireTimeout(Duration value) {
            acquireTimeout = value;
            return this;
        }

        /** None by default. What could end a line becomes a blank. */
        public Builder tag(String value) {
            tag = value;
            return this;
        }

        /** 10000 characters by default, and at most; what is longer is cut. */
        public Builder maxTagLength(int value) {
            maxTagLength = value;
            return this;
        }

        /**
         * Zero by default: how long after making the file to look whether it is still ours before
         * reporting success. 20 to 50 ms make sense beside programs that overwrite locks.
         */
        public Builder settleTime(Duration value) {
            settleTime = value;
            return this;
        }

        /** On by default: a holder refreshes its lock, so that nobody finds it stale. */
        public Builder heartbeat(boolean value) {
            heartbeat = value;
            return this;
        }

        /** A quarter of the stale timeout by default. */
        public Builder heartbeatInterval(Duration value) {
            heartbeatInterval = value;
            return this;
        }

        /**
         * On by default: what is held when the JVM ends in order is released, even if threads are
         * still at work under the lock. Nobody is told then if it was lost.
         */
        public Builder releaseOnExit(boolean value) {
            releaseOnExit = value;
            return this;
        }

        /**
         * Off by default: whether a symbolic link at the path stands for the file that it leads to.
         * Otherwise a link there is nobody's lock, and never removed.
         */
        public Builder followLinks(boolean value) {
            followLinks = value;
            return this;
        }

        /**
         * Off by default: whether other users shall be unable to read the file, and so to judge it.
         */
        public Builder privateFile(boolean value) {
            privateFile = value;
            return this;
        }

        /** This process by default: the process to record as the holder. */
        public Builder pid(long value) {
            pid = value;
            return this;
        }

        /** The system's by default: the wall clock that dates and judges locks. */
        public Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        /** The system's by default: finds the process of an id. */
        public Builder processes(LongFunction<Optional<ProcessHandle>> value) {
            processes = value;
            return this;
        }

        /**
         * Called once when it is found that the lock was lost: by a heartbeat in a thread of the
         * library, else by the thread that asks or releases. By default an error is logged.
         */
        public Builder onLost(Consumer<LockLostException> value) {
            onLost = value;
            return this;
        }

        /** Logged by default: what is worth knowing and stops nothing. */
        public Builder onWarning(Consumer<String> value) {
            onWarning = value;
            return this;
        }

        /**
         * The settings, checked.
         *
         * @throws IllegalArgumentException if a value makes no sense
         */
        public LockFileConfig build() {
            return new LockFileConfig(this);
        }
    }
}
