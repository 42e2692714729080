package io.holdfast.client.memory;

import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.Timeline;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** An acquire under way. Guarded by the server's monitor. */
final class MemoryAttempt implements Attempt {
    final MemoryService service;
    final Acquisition what;
    final long deadline;
    private final Consumer<Outcome> done;
    long askedAt;
    boolean cancelled;
    boolean over;
    Timeline.@Nullable Timer timer;

    /** A grant that could not be told because the connection was cut. */
    @Nullable MemoryHold untold;

    MemoryAttempt(MemoryService service, Acquisition what, Consumer<Outcome> done, long now) {
        this.service = service;
        this.what = what;
        this.done = done;
        long end = now + what.waitNanos();
        deadline = end < now ? Long.MAX_VALUE : end;
        askedAt = now;
    }

    void end(Outcome outcome) {
        if (!over) {
            over = true;
            if (timer != null) {
                timer.cancel();
            }
            service.server.effect(() -> done.accept(outcome));
        }
    }

    @Override
    public void cancel() {
        service.cancel(this);
    }
}
