package io.holdfast.cluster.driver;

import io.holdfast.engine.Effect;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What sessions are not told yet, because this node may be far behind: a lease that was granted a
 * while ago may be over. Once something that the node says after that has got into its copy of the
 * state, the age of everything before it is known.
 *
 * <p>Guarded by the lock of the state.
 */
final class StaleGrantFilter {
    /** A lease is told of if no more than this part of it is gone. */
    private static final int PART = 2;

    /** Nobody waits longer for that: then it is refused. */
    private static final long MAX_NANOS = 200_000_000L;

    private static final long NO_LEASE = Long.MAX_VALUE;

    /** Who hears what becomes of it. */
    interface GrantListener {
        void deliver(ReplicatedSession session, Effect effect);

        void reject(ReplicatedSession session, Effect effect);
    }

    /**
     * What is kept.
     *
     * @param stateNanos the time of the state when it happened
     * @param sinceNanos what is said after this settles it
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
     * Keeps an effect if it is in doubt, or if another one of its session is.
     *
     * @param stateNanos the time of the state
     * @param heardNanos what is in the state now was not there before this time
     */
    boolean holdBack(
            ReplicatedSession session,
            Effect effect,
            long stateNanos,
            long heardNanos,
            long nowNanos) {
        boolean old = nowNanos - heardNanos > leaseNanos(effect) / (2 * PART);
        if (!old && (heldBack.isEmpty() || !heldBack.containsKey(session))) {
            return false;
        }
        heldBack.computeIfAbsent(session, _ -> new ArrayDeque<>(1))
                .addLast(new HeldBackEffect(effect, stateNanos, nowNanos));
        return true;
    }

    /** Lets go of what is certain now, and of what has been in doubt for too long, in order. */
    void releaseReady(
            long stateNanos, long heardNanos, long nowNanos, GrantListener grantListener) {
        Iterator<Map.Entry<ReplicatedSession, Deque<HeldBackEffect>>> rest =
                heldBack.entrySet().iterator();
        while (rest.hasNext()) {
            Map.Entry<ReplicatedSession, Deque<HeldBackEffect>> line = rest.next();
            Deque<HeldBackEffect> effects = line.getValue();
            for (HeldBackEffect next = effects.peekFirst();
                    next != null;
                    next = effects.peekFirst()) {
                boolean certain = heardNanos - next.sinceNanos >= 0;
                if (!certain && nowNanos - next.sinceNanos <= MAX_NANOS) {
                    break;
                }
                effects.removeFirst();
                long ageNanos = stateNanos - next.stateNanos + nowNanos - heardNanos;
                long leaseNanos = leaseNanos(next.effect);
                if (leaseNanos != NO_LEASE && (!certain || ageNanos > leaseNanos / PART)) {
                    grantListener.reject(line.getKey(), next.effect);
                } else {
                    grantListener.deliver(line.getKey(), next.effect);
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
