package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** An acquire in progress. Guarded by the server's monitor. */
final class MemoryAttempt implements AcquireAttempt {
    final MemoryService service;
    final AcquireRequest what;
    final long deadline;
    private final Consumer<AcquireOutcome> done;
    long requestedAt;
    boolean cancelled;
    boolean ended;
    TimerClock.@Nullable Timer timer;

    /** A grant that could not be delivered because the connection was cut. */
    @Nullable MemoryHold undeliveredGrant;

    MemoryAttempt(
            MemoryService service, AcquireRequest what, Consumer<AcquireOutcome> done, long now) {
        this.service = service;
        this.what = what;
        this.done = done;
        long end = now + what.waitNanos();
        deadline = end < now ? Long.MAX_VALUE : end;
        requestedAt = now;
    }

    void end(AcquireOutcome acquireOutcome) {
        if (!ended) {
            ended = true;
            if (timer != null) {
                timer.cancel();
            }
            service.server.effect(() -> done.accept(acquireOutcome));
        }
    }

    @Override
    public void cancel() {
        service.cancel(this);
    }
}
