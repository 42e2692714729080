package io.holdfast.driver.monitor;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Refusal;

import java.util.Map;

/** What happened in one shard, in numbers. One thread at a time counts, any may read. */
final class ShardMetrics {
    private final CounterTable<Kind, KeyEvent.Type> events =
            new CounterTable<>(Kind.class, KeyEvent.Type.class);
    private final CounterTable<Operation, Kind> done =
            new CounterTable<>(Operation.class, Kind.class);
    private final PerEnumValue<Operation, CounterTable<Kind, Refusal>> refused =
            new PerEnumValue<>(
                    Operation.class, () -> new CounterTable<>(Kind.class, Refusal.class));
    private final PerEnumValue<Kind, Histogram> waits =
            new PerEnumValue<>(Kind.class, Histogram::new);
    private final PerEnumValue<Kind, Histogram> holds =
            new PerEnumValue<>(Kind.class, Histogram::new);
    private final Histogram lateness = new Histogram();
    private final TopContendedKeys topContendedKeys = new TopContendedKeys();

    void count(KeyEvent keyEvent) {
        events.count(keyEvent.kind(), keyEvent.type());
        switch (keyEvent.type()) {
            case ACQUIRED -> waits(keyEvent.kind()).record(keyEvent.spanNanos());
            case RELEASED, LOST -> holds(keyEvent.kind()).record(keyEvent.spanNanos());
            case EXPIRED -> {
                holds(keyEvent.kind()).record(keyEvent.spanNanos());
                lateness.record(keyEvent.lateNanos());
            }
            case WAITING -> topContendedKeys.count(keyEvent.kind(), keyEvent.key());
            case OFFERED, TIMED_OUT, GAVE_UP -> {}
        }
    }

    void count(Command.Keyed command, Effect answer) {
        Operation operation = Operation.of(command);
        if (operation == null) {
            return;
        }
        Kind kind = command instanceof Command.Locking locking ? locking.kind() : Kind.LOCK;
        if (answer instanceof Effect.Refused(_, _, Refusal reason)) {
            refused.of(operation).count(kind, reason);
        } else if (operation != Operation.ACQUIRE) { // events tell what became of that
            done.count(operation, kind);
        }
    }

    long events(Kind kind, KeyEvent.Type type) {
        return events.get(kind, type);
    }

    long done(Operation operation, Kind kind) {
        return done.get(operation, kind);
    }

    long refused(Operation operation, Kind kind, Refusal reason) {
        return refused.of(operation).get(kind, reason);
    }

    Histogram waits(Kind kind) {
        return waits.of(kind);
    }

    Histogram holds(Kind kind) {
        return holds.of(kind);
    }

    Histogram lateness() {
        return lateness;
    }

    /** Adds the keys that were most waited for. */
    void addContended(Map<ContendedKey.ResourceId, Long> sum) {
        topContendedKeys.addTo(sum);
    }
}
