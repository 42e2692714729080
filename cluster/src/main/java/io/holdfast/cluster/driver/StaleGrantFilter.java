package io.holdfast.cluster.driver;

import io.holdfast.engine.Effect;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holds back effects whose age is unknown because this node may be far behind: a lease that was
 * granted a while ago may be over. Once a batch that this node sent after an effect has been
 * applied, the age of the effect is known.
 *
 * <p>Guarded by the lock of the state.
 */
final class StaleGrantFilter {
    /** A grant is delivered if at most 1/PART of its lease has passed. */
    private static final int PART = 2;

    /** The maximum time that an effect is held back; then it is refused. */
    private static final long MAX_NANOS = 200_000_000L;

    private static final long NO_LEASE = Long.MAX_VALUE;

    /** Receives the effects that were held back. */
    interface GrantListener {
        void deliver(ReplicatedSession session, Effect effect);

        void reject(ReplicatedSession session, Effect effect);
    }

    /**
     * An effect that is held back.
     *
     * @param stateNanos the state time at which it happened
     * @param sinceNanos when it was held back; contact after this time makes its age known
     */
    private record HeldBackEffect(Effect effect, long stateNanos, long sinceNanos) {}

    private final Map<ReplicatedSession, Deque<HeldBackEffect>> heldBack = new LinkedHashMap<>();

    private static long leaseNanos(Effect effect) {
        return switch (effect) {
            case Effect.Granted granted -> granted.leaseNanos();
            case Effect.Renewed renewed -> renewed.leaseNanos();
            default -> NO_LEASE;
        };
    }

    /**
     * Holds an effect back if it may be too old, or if another effect of its session is held back.
     * Returns whether it does.
     *
     * @param stateNanos the state time
     * @param contactNanos a time before which the current state was not reached
     */
    boolean holdBack(
            ReplicatedSession session,
            Effect effect,
            long stateNanos,
            long contactNanos,
            long nowNanos) {
        boolean old = nowNanos - contactNanos > leaseNanos(effect) / (2 * PART);
        if (!old && (heldBack.isEmpty() || !heldBack.containsKey(session))) {
            return false;
        }
        heldBack.computeIfAbsent(session, _ -> new ArrayDeque<>(1))
                .addLast(new HeldBackEffect(effect, stateNanos, nowNanos));
        return true;
    }

    /**
     * Delivers or rejects, in order, the effects whose age is known and those that have been held
     * back for too long.
     */
    void releaseReady(
            long stateNanos, long contactNanos, long nowNanos, GrantListener grantListener) {
        Iterator<Map.Entry<ReplicatedSession, Deque<HeldBackEffect>>> rest =
                heldBack.entrySet().iterator();
        while (rest.hasNext()) {
            Map.Entry<ReplicatedSession, Deque<HeldBackEffect>> entry = rest.next();
            Deque<HeldBackEffect> effects = entry.getValue();
            for (HeldBackEffect next = effects.peekFirst();
                    next != null;
                    next = effects.peekFirst()) {
                boolean ageKnown = contactNanos - next.sinceNanos >= 0;
                if (!ageKnown && nowNanos - next.sinceNanos <= MAX_NANOS) {
                    break;
                }
                effects.removeFirst();
                long ageNanos = stateNanos - next.stateNanos + nowNanos - contactNanos;
                long leaseNanos = leaseNanos(next.effect);
                if (leaseNanos != NO_LEASE && (!ageKnown || ageNanos > leaseNanos / PART)) {
                    grantListener.reject(entry.getKey(), next.effect);
                } else {
                    grantListener.deliver(entry.getKey(), next.effect);
                }
            }
            if (effects.isEmpty()) {
                rest.remove();
            }
        }
    }

    boolean isEmpty() {
        return heldBack.isEmpty();
    }

    void clear() {
        heldBack.clear();
    }
}
