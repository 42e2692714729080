package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * An event of the primary. Fields that do not apply to its type are empty, zero or null.
 *
 * @param clientId the client id of the connection; bytes that are not valid UTF-8 are shown as
 *     U+FFFD, here and in {@code lockId}
 * @param ttl zero for none
 * @param reason the text after REQFAIL
 */
public record LockEvent(
        Type type,
        Instant time,
        String clientId,
        String lockId,
        @Nullable LockMode mode,
        Duration ttl,
        String reason) {
    /** The type of an event. */
    public enum Type {
        HELLO,
        CLIENT_CONNECTED,
        CONNECTED,
        CLIENT_DISCONNECTED,
        PING,
        PONG,
        LOCK_REQUESTED,
        LOCK_OFFERED,
        LOCK_CONFIRMED,
        LOCK_RELEASED,
        LOCK_REJECTED,
        STATUS_OK,
        STATUS_TIMEOUT,
        REQUEST_FAILED;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** The name of the event in the other implementations, such as {@code lock_offered}. */
        public String text() {
            return text;
        }
    }

    /**
     * Is notified of every event, one at a time and in order, on a thread of its own. If the
     * listener is too slow, events are dropped; if it throws, it is still called for the next one.
     */
    @FunctionalInterface
    public interface Listener {
        /** Called after the event, asynchronously. */
        void happened(LockEvent event);
    }
}
