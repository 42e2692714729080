package io.holdfast.cli.serve;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Parses the settings of socketlock, which come from flags or a URL. */
final class SocketlockValues {
    /** Timeout of a request and of an offer if none, or one that is not positive, is given. */
    static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);

    private SocketlockValues() {}

    /** Returns empty for an unknown policy. */
    static Optional<QueuePolicy> policy(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "fifo" -> Optional.of(QueuePolicy.FIFO);
            case "reader", "read", "readerpreferred" -> Optional.of(QueuePolicy.READER_PREFERRED);
            case "writer", "write", "writerpreferred" -> Optional.of(QueuePolicy.WRITER_PREFERRED);
            default -> Optional.empty();
        };
    }

    /**
     * As in the original, a timeout that is not positive means the default, and such a maximum TTL
     * unlimited.
     */
    static SocketlockTimeouts limits(Duration request, Duration confirm, Duration maxTtl) {
        return new SocketlockTimeouts(
                wait(request), wait(confirm), maxTtl.isPositive() ? maxTtl : Duration.ZERO);
    }

    private static Duration wait(Duration given) {
        return given.isPositive() ? given : DEFAULT_WAIT;
    }
}
