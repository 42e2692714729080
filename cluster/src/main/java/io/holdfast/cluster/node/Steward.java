package io.holdfast.cluster.node;

import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.EntryEncoding;
import io.holdfast.cluster.entry.Rules;
import io.holdfast.cluster.state.Replica;

/** What the node that leads does for all: it lets time pass and sees to the rules. */
final class Steward {
    private static final long AGAIN_NANOS = 200_000_000L;
    private static final long IDLE_NANOS = 50_000_000L;
    private static final int COLLECT_SLICE = 1024;

    private final Log log;
    private final Rules rules;
    private final long collectNanos;
    private final ReplicatedDriver.Surroundings surroundings;

    /** Until when an entry of ours may still be on its way. */
    private long busyNanos = Long.MIN_VALUE;

    /** How far the state was when we proposed it. */
    private long proposedAt = -1;

    private long nextCollectNanos = Long.MIN_VALUE;

    Steward(Log log, Rules rules, long collectNanos, ReplicatedDriver.Surroundings surroundings) {
        this.log = log;
        this.rules = rules;
        this.collectNanos = collectNanos;
        this.surroundings = surroundings;
    }

    /** Proposes what is due, if this node leads; how long until there may be more. */
    long pulse(Replica replica, long now) {
        if (!log.isLeader()) {
            return IDLE_NANOS;
        }
        if (now < busyNanos && replica.entries() == proposedAt) {
            return Math.min(IDLE_NANOS, busyNanos - now);
        }
        if (replica.cluster() == null) {
            propose(new Entry.Found(surroundings.draw(), surroundings.wallNanos()), replica, now);
            return AGAIN_NANOS;
        }
        if (!replica.rules().equals(rules)) {
            propose(new Entry.Govern(rules), replica, now);
            return AGAIN_NANOS;
        }
        long due = replica.nextDueNanos();
        if (due == Long.MAX_VALUE && !replica.engine().hasCollectable(Long.MAX_VALUE - 1)) {
            return IDLE_NANOS;
        }
        boolean started = replica.term() == log.term();
        long time = replica.timeNanos() + (started ? Math.max(0, now - replica.stampNanos()) : 0);
        if (!started || due <= time) {
            propose(new Entry.Tick(), replica, now);
            return IDLE_NANOS;
        }
        if (now >= nextCollectNanos) {
            if (replica.engine().hasCollectable(time)) {
                propose(new Entry.Collect(COLLECT_SLICE), replica, now);
                return IDLE_NANOS;
            }
            nextCollectNanos = now + collectNanos;
        }
        return Math.min(IDLE_NANOS, due - time);
    }

    private void propose(Entry entry, Replica replica, long now) {
        busyNanos = now + AGAIN_NANOS;
        proposedAt = replica.entries();
        byte[] bytes = EntryEncoding.encode(entry);
        surroundings.later(() -> log.propose(bytes, _ -> {}));
    }
}
