package io.holdfast.client.socketlock;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How a lock is used and, should this process become the primary, how it is served. A duration of
 * zero or less stands for the default.
 *
 * @param policy of the primary
 * @param requestTimeout how long a request may wait for an offer; kept by the primary
 * @param confirmTimeout how long an offer may wait for its answer; kept by the primary
 * @param maxTtl the longest time to live that may be asked for; zero for any; kept by the primary
 * @param statusInterval how often a client asks whether its lock is still held
 * @param heartbeat how long a connection may be silent before a client sends a PING
 * @param clientId what this client calls itself; empty for a generated id
 * @param listener hears what happens while this process is the primary
 */
public record LockConfig(
        Policy policy,
        Duration requestTimeout,
        Duration confirmTimeout,
        Duration maxTtl,
        Duration statusInterval,
        Duration heartbeat,
        String clientId,
        LockEvent.Listener listener) {
    /** How long a new primary waits for the holders that its predecessor left behind. */
    public static final Duration GRACE = Duration.ofSeconds(5);

    /** The listener of those who want to hear nothing. */
    static final LockEvent.Listener NOBODY = event -> {};

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(30);
    private static final int MAX_ID_LENGTH = 1024;
    private static final Pattern ID = Pattern.compile("(?:(?!HELLO$|CONNECTED$)[!-~]+)?");

    public LockConfig {
        requestTimeout = positiveOr(LIMIT, requestTimeout);
        confirmTimeout = positiveOr(LIMIT, confirmTimeout);
        maxTtl = positiveOr(Duration.ZERO, maxTtl);
        statusInterval = positiveOr(STATUS_INTERVAL, statusInterval);
        heartbeat = positiveOr(HEARTBEAT, heartbeat);
        if (clientId.length() > MAX_ID_LENGTH || !ID.matcher(clientId).matches()) {
            throw new IllegalArgumentException(
                    "A client id is up to "
                            + MAX_ID_LENGTH
                            + " visible ASCII characters, and neither HELLO nor CONNECTED.");
        }
    }

    private static Duration positiveOr(Duration usual, Duration given) {
        return given.isZero() || given.isNegative() ? usual : given;
    }

    /** Policy FIFO, 30 s to be offered a lock, 30 s to confirm it, no longest time to live. */
    public static LockConfig defaults() {
        return builder().build();
    }

    /** Begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets what shall not be as usual. */
    public static final class Builder {
        private Policy policy = Policy.FIFO;
        private Duration requestTimeout = Duration.ZERO;
        private Duration confirmTimeout = Duration.ZERO;
        private Duration maxTtl = Duration.ZERO;
        private Duration statusInterval = Duration.ZERO;
        private Duration heartbeat = Duration.ZERO;
        private String clientId = "";
        private LockEvent.Listener listener = NOBODY;

        private Builder() {}

        /** FIFO by default. */
        public Builder policy(Policy value) {
            policy = value;
            return this;
        }

        /** 30 s by default. */
        public Builder requestTimeout(Duration value) {
            requestTimeout = value;
            return this;
        }

        /** 30 s by default. */
        public Builder confirmTimeout(Duration value) {
            confirmTimeout = value;
            return this;
        }

        /** Zero, that is any, by default. */
        public Builder maxTtl(Duration value) {
            maxTtl = value;
            return this;
        }

        /** 10 s by default. */
        public Builder statusInterval(Duration value) {
            statusInterval = value;
            return this;
        }

        /** 30 s by default. */
        public Builder heartbeat(Duration value) {
            heartbeat = value;
            return this;
        }

        /** Empty, that is a generated one, by default. */
        public Builder clientId(String value) {
            clientId = value;
            return this;
        }

        /** None by default. */
        public Builder listener(LockEvent.Listener value) {
            listener = value;
            return this;
        }

        public LockConfig build() {
            return new LockConfig(
                    policy,
                    requestTimeout,
                    confirmTimeout,
                    maxTtl,
                    statusInterval,
                    heartbeat,
                    clientId,
                    listener);
        }
    }
}
