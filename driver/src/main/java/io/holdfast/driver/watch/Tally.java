package io.holdfast.driver.watch;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Event;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Refusal;

import java.util.Map;

/** What happened in one shard, in numbers. One thread at a time counts, any may read. */
final class Tally {
    private final Grid<Kind, Event.Type> events = new Grid<>(Kind.class, Event.Type.class);
    private final Grid<Operation, Kind> done = new Grid<>(Operation.class, Kind.class);
    private final PerEach<Operation, Grid<Kind, Refusal>> refused =
            new PerEach<>(Operation.class, () -> new Grid<>(Kind.class, Refusal.class));
    private final PerEach<Kind, Histogram> waits = new PerEach<>(Kind.class, Histogram::new);
    private final PerEach<Kind, Histogram> holds = new PerEach<>(Kind.class, Histogram::new);
    private final Histogram lateness = new Histogram();
    private final Contention contention = new Contention();

    void count(Event event) {
        events.count(event.kind(), event.type());
        switch (event.type()) {
            case ACQUIRED -> waits(event.kind()).record(event.spanNanos());
            case RELEASED, LOST -> holds(event.kind()).record(event.spanNanos());
            case EXPIRED -> {
                holds(event.kind()).record(event.spanNanos());
                lateness.record(event.lateNanos());
            }
            case WAITING -> contention.count(event.kind(), event.key());
            case OFFERED, TIMED_OUT, GAVE_UP -> {}
        }
    }

    void count(Command.Keyed command, Effect answer) {
        Operation operation = Operation.of(command);
        if (operation == null) {
            return;
        }
        Kind kind = command instanceof Command.Locking locking ? locking.kind() : Kind.MUTEX;
        if (answer instanceof Effect.Refused(_, _, Refusal reason)) {
            refused.of(operation).count(kind, reason);
        } else if (operation != Operation.ACQUIRE) { // events tell what became of that
            done.count(operation, kind);
        }
    }

    long events(Kind kind, Event.Type type) {
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
    void addContended(Map<Contended.Name, Long> sum) {
        contention.addTo(sum);
    }
}
