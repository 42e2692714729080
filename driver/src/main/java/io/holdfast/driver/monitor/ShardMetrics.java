package io.holdfast.driver.monitor;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;

import java.util.Map;

/** The metrics of one shard. One thread at a time may count; any may read. */
final class ShardMetrics {
    private final CounterTable<ResourceKind, KeyEvent.Type> events =
            new CounterTable<>(ResourceKind.class, KeyEvent.Type.class);
    private final CounterTable<OperationType, ResourceKind> done =
            new CounterTable<>(OperationType.class, ResourceKind.class);
    private final PerEnumValue<OperationType, CounterTable<ResourceKind, Refusal>> refused =
            new PerEnumValue<>(
                    OperationType.class,
                    () -> new CounterTable<>(ResourceKind.class, Refusal.class));
    private final PerEnumValue<ResourceKind, Histogram> waits =
            new PerEnumValue<>(ResourceKind.class, Histogram::new);
    private final PerEnumValue<ResourceKind, Histogram> holds =
            new PerEnumValue<>(ResourceKind.class, Histogram::new);
    private final Histogram lateness = new Histogram();
    private final TopContendedKeys topContendedKeys = new TopContendedKeys();

    void count(KeyEvent keyEvent) {
        events.count(keyEvent.kind(), keyEvent.type());
        switch (keyEvent.type()) {
            case ACQUIRED -> waits(keyEvent.kind()).record(keyEvent.durationNanos());
            case RELEASED, LOST -> holds(keyEvent.kind()).record(keyEvent.durationNanos());
            case EXPIRED -> {
                holds(keyEvent.kind()).record(keyEvent.durationNanos());
                lateness.record(keyEvent.lateNanos());
            }
            case WAITING -> topContendedKeys.count(keyEvent.kind(), keyEvent.key());
            case OFFERED, TIMED_OUT, GAVE_UP -> {}
        }
    }

    void count(Command.Keyed command, Effect result) {
        OperationType operationType = OperationType.of(command);
        if (operationType == null) {
            return;
        }
        ResourceKind resourceKind =
                command instanceof Command.Locking locking ? locking.kind() : ResourceKind.LOCK;
        if (result instanceof Effect.Refused(_, _, Refusal reason)) {
            refused.of(operationType).count(resourceKind, reason);
        } else if (operationType
                != OperationType.ACQUIRE) { // the results of acquires are counted by events
            done.count(operationType, resourceKind);
        }
    }

    long events(ResourceKind resourceKind, KeyEvent.Type type) {
        return events.get(resourceKind, type);
    }

    long done(OperationType operationType, ResourceKind resourceKind) {
        return done.get(operationType, resourceKind);
    }

    long refused(OperationType operationType, ResourceKind resourceKind, Refusal reason) {
        return refused.of(operationType).get(resourceKind, reason);
    }

    Histogram waits(ResourceKind resourceKind) {
        return waits.of(resourceKind);
    }

    Histogram holds(ResourceKind resourceKind) {
        return holds.of(resourceKind);
    }

    Histogram lateness() {
        return lateness;
    }

    /** Adds the most contended keys to a sum. */
    void addContended(Map<ContendedKey.ResourceId, Long> sum) {
        topContendedKeys.addTo(sum);
    }
}
