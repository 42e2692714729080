package io.holdfast.cli.serve;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** What the settings of socketlock mean, whether they come as flags or in a URL. */
final class SocketlockValues {
    /** What a request or an offer may wait, if nothing or nothing sensible is said. */
    static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);

    private SocketlockValues() {}

    /** Nothing for a policy that nobody knows. */
    static Optional<QueuePolicy> policy(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "fifo" -> Optional.of(QueuePolicy.FIFO);
            case "reader", "read", "readerpreferred" -> Optional.of(QueuePolicy.READER_PREFERRED);
            case "writer", "write", "writerpreferred" -> Optional.of(QueuePolicy.WRITER_PREFERRED);
            default -> Optional.empty();
        };
    }

    /** As in the original, a wait that is not above zero is the usual one, and such a TTL none. */
    static SocketlockTimeouts limits(Duration request, Duration confirm, Duration maxTtl) {
        return new SocketlockTimeouts(
                wait(request), wait(confirm), maxTtl.isPositive() ? maxTtl : Duration.ZERO);
    }

    private static Duration wait(Duration given) {
        return given.isPositive() ? given : DEFAULT_WAIT;
    }
}
