package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Adds the events of keys to the list of an observer, if there is one. */
final class KeyEventRecorder {
    private final EngineState state;
    private @Nullable List<KeyEvent> events;

    KeyEventRecorder(EngineState state) {
        this.state = state;
    }

    void recordTo(List<KeyEvent> list) {
        events = list;
    }

    void record(KeyEvent.Type type, Waiter waiter) {
        long waited = state.nowNanos - waiter.sinceNanos;
        record(type, waiter.resource, waiter.session.id, waiter.mode(), 0, waited, 0);
    }

    /** A request that does not wait was not granted. */
    void timedOut(Command.Acquire c, Resource resource) {
        record(KeyEvent.Type.TIMED_OUT, resource, c.session(), c.attributes().mode(), 0, 0, 0);
    }

    /** A hold or an offer began. */
    void began(KeyEvent.Type type, Hold hold, long requestedNanos) {
        record(type, hold, state.nowNanos - requestedNanos, 0);
    }

    /**
     * A hold or an offer ended.
     *
     * @param leaseEndNanos the deadline of the hold
     */
    void ended(KeyEvent.Type type, Hold hold, long leaseEndNanos) {
        long since = type == KeyEvent.Type.GAVE_UP ? hold.requestedNanos() : hold.sinceNanos;
        long late = type == KeyEvent.Type.EXPIRED ? state.nowNanos - leaseEndNanos : 0;
        record(type, hold, state.nowNanos - since, late);
    }

    private void record(KeyEvent.Type type, Hold hold, long durationNanos, long lateNanos) {
        record(
                type,
                hold.resource,
                hold.session.id,
                hold.mode(),
                hold.fence,
                durationNanos,
                lateNanos);
    }

    private void record(
            KeyEvent.Type type,
            Resource resource,
            long session,
            ReadWriteMode readWriteMode,
            long fence,
            long durationNanos,
            long lateNanos) {
        if (events != null) {
            events.add(
                    new KeyEvent(
                            type,
                            resource.kind(),
                            resource.key,
                            session,
                            readWriteMode,
                            fence,
                            state.nowNanos,
                            durationNanos,
                            lateNanos,
                            resource.holders(),
                            resource.waiters));
        }
    }
}
