package io.holdfast.socketlock;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * The settings of a client, and of the primary if this process becomes it. A duration of zero or
 * less means the default.
 *
 * @param policy the queue policy of the primary
 * @param requestTimeout how long a request may wait for an offer; enforced by the primary
 * @param confirmTimeout how long an offer may wait for its confirmation; enforced by the primary
 * @param maxTtl the maximum time to live that may be requested; zero for no limit; enforced by the
 *     primary
 * @param statusInterval how often a client checks with the primary that its lock is still held
 * @param heartbeat how long a connection may be idle before a client sends a PING
 * @param clientId the id of this client; empty for a generated one
 * @param listener is notified of the events of the primary while this process is the primary
 */
public record LockConfig(
        SocketLockQueuePolicy policy,
        Duration requestTimeout,
        Duration confirmTimeout,
        Duration maxTtl,
        Duration statusInterval,
        Duration heartbeat,
        String clientId,
        LockEvent.Listener listener) {
    /**
     * The grace period: how long a new primary waits for the holders of its predecessor to
     * re-assert their holds.
     */
    public static final Duration GRACE = Duration.ofSeconds(5);

    /** The listener that ignores all events. */
    static final LockEvent.Listener NO_LISTENER = event -> {};

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
                    "A client id must have up to "
                            + MAX_ID_LENGTH
                            + " visible ASCII characters, and must not be HELLO or CONNECTED.");
        }
    }

    private static Duration positiveOr(Duration defaultValue, Duration given) {
        return given.isZero() || given.isNegative() ? defaultValue : given;
    }

    /** Policy FIFO, request timeout of 30 s, confirm timeout of 30 s, no maximum time to live. */
    public static LockConfig defaults() {
        return builder().build();
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets what differs from the defaults. */
    public static final class Builder {
        private SocketLockQueuePolicy policy = SocketLockQueuePolicy.FIFO;
        private Duration requestTimeout = Duration.ZERO;
        private Duration confirmTimeout = Duration.ZERO;
        private Duration maxTtl = Duration.ZERO;
        private Duration statusInterval = Duration.ZERO;
        private Duration heartbeat = Duration.ZERO;
        private String clientId = "";
        private LockEvent.Listener listener = NO_LISTENER;

        private Builder() {}

        /** FIFO by default. */
        public Builder policy(SocketLockQueuePolicy value) {
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

        /** Zero, which means no limit, by default. */
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

        /** Empty, which means a generated id, by default. */
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
