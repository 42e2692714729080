package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Executor;

/**
 * The state that all parts of a plain service share.
 *
 * @param executor serializes all changes of state
 * @param threads runs blocking tasks; not limited in number
 */
record PlainServiceState(
        ServiceConfig config,
        TimerClock clock,
        SerialExecutor executor,
        Executor threads,
        PlainConnector dialer) {
    /** In effect unlimited, but small enough that adding it to a clock value does not overflow. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    long now() {
        return clock.nanoTime();
    }

    /** Runs the task in the executor after the delay. */
    TimerClock.Timer after(long nanos, Runnable task) {
        return clock.schedule(Math.min(nanos, MAX_NANOS), () -> executor.execute(task));
    }

    long readTimeoutNanos() {
        return config.readTimeout().toNanos();
    }

    /**
     * The failure for an error response or an unexpected one. Contains only the first field of the
     * response, never a token.
     */
    ServiceException refused(String response) {
        String code = response.split(" ", 2)[0];
        Kind kind = code.equals("error_auth") ? Kind.AUTHENTICATION : Kind.REFUSED;
        return new ServiceException(
                kind, dialer.name() + " refused the request: " + code, code, null);
    }

    ServiceException failure(Kind kind, String what, @Nullable Throwable cause) {
        return new ServiceException(kind, dialer.name() + ": " + what, "", cause);
    }
}
