package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Something that happened at the primary. What an event does not have is empty, zero or null.
 *
 * @param clientId of the connection that it is about; bytes that are no UTF-8 show as U+FFFD, here
 *     and in {@code lockId}
 * @param ttl zero for none
 * @param reason the text behind REQFAIL
 */
public record LockEvent(
        Type type,
        Instant time,
        String clientId,
        String lockId,
        @Nullable LockMode mode,
        Duration ttl,
        String reason) {
    /** What happened. */
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

        /** The name that the other programs give it, as in {@code lock_offered}. */
        public String text() {
            return text;
        }
    }

    /**
     * Hears of every event, one at a time and in order, on a thread of its own. A listener that is
     * slow loses events; one that throws is called again for the next.
     */
    @FunctionalInterface
    public interface Listener {
        /** It happened a moment ago; nothing waits for this method. */
        void happened(LockEvent event);
    }
}
