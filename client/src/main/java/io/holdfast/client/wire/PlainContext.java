package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Executor;

/**
 * What all parts of one plain service share.
 *
 * @param executor where everything is decided
 * @param threads where everything that may block is done; never in short supply
 */
record PlainContext(
        WireConfig config,
        TimerClock timeline,
        CallerRunsSerialExecutor executor,
        Executor threads,
        PlainConnector dialer) {
    /** Centuries, and far from any overflow. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    long now() {
        return timeline.nanoTime();
    }

    /** Runs the task in a turn, later. */
    TimerClock.Timer after(long nanos, Runnable task) {
        return timeline.schedule(Math.min(nanos, MAX_NANOS), () -> executor.execute(task));
    }

    long readLimitNanos() {
        return config.readTimeout().toNanos();
    }

    /** The server said no, or nothing that makes sense; only its word is quoted, never a token. */
    ServiceException refused(String answer) {
        String word = answer.split(" ", 2)[0];
        Kind kind = word.equals("error_auth") ? Kind.AUTHENTICATION : Kind.REFUSED;
        return new ServiceException(kind, dialer.name() + " refused it: " + word, word, null);
    }

    ServiceException failure(Kind kind, String what, @Nullable Throwable cause) {
        return new ServiceException(kind, dialer.name() + ": " + what, "", cause);
    }
}
