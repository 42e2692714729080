package io.holdfast.engine.lock;

import io.holdfast.engine.Quotas;

/** Collects the keys that have had neither holders nor waiters for the idle time. */
final class IdleKeys {
    private final EngineState state;

    IdleKeys(EngineState state) {
        this.state = state;
    }

    /**
     * If the resource is unused, schedules its collection, or drops it at once if it is transient.
     */
    void mark(Resource resource, Quotas quotas) {
        if (!resource.isUnused() || resource.suspended) {
            return;
        }
        if (!resource.retained) {
            state.drop(resource);
            quotas.returnTransientKey(resource.key, resource.creator);
        } else if (!resource.isScheduled()) {
            schedule(resource);
        }
    }

    /** Schedules all keys again. */
    void reschedule() {
        for (Resource resource : state.all) {
            state.idleEnds.remove(resource);
            if (resource.isUnused() && !resource.suspended && resource.retained) {
                schedule(resource);
            }
        }
    }

    /** Drops keys whose idle time is over, examining at most {@code max}. */
    void collect(int max, Quotas quotas) {
        long before = before(state.nowNanos);
        state.data.collect(before, max, quotas);
        for (int i = 0; i < max; i++) {
            Resource resource = state.idleEnds.pollDue(before);
            if (resource == null) {
                return;
            }
            if (!resource.isUnused() || resource.suspended) {
                continue; // scheduled again when it becomes idle
            }
            if (end(resource) > before) {
                schedule(resource);
            } else {
                state.drop(resource);
                quotas.returnKey(resource.key, resource.creator);
            }
        }
    }

    /** Whether a collection at this time may drop anything. */
    boolean hasCollectable(long now) {
        long before = before(Math.max(state.nowNanos, now));
        return state.idleEnds.next() <= before || state.data.hasCollectable(before);
    }

    /**
     * Keys whose idle time ends up to this time are collected: they must have been idle for longer
     * than the setting, except that 0 collects at once.
     */
    private long before(long now) {
        return state.settings.idleNanos() == 0 ? now : now - 1;
    }

    private void schedule(Resource resource) {
        state.idleEnds.schedule(resource, end(resource));
    }

    private long end(Resource resource) {
        return state.settings.idleEnd(resource.lastActivityNanos);
    }
}
