package io.holdfast.cluster.node;

import io.holdfast.engine.Effect;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What sessions are not told yet, because this node may be far behind: a lease that was granted a
 * while ago may be over. Once something that the node says after that has got into its copy of the
 * state, the age of everything before it is known.
 *
 * <p>Guarded by the lock of the state.
 */
final class Doubts {
    /** A lease is told of if no more than this part of it is gone. */
    private static final int PART = 2;

    /** Nobody waits longer for that: then it is refused. */
    private static final long MOST_NANOS = 200_000_000L;

    /** Who hears what becomes of it. */
    interface Ear {
        void tell(ReplicatedSession session, Effect effect);

        void refuse(ReplicatedSession session, Effect effect);
    }

    private record Kept(Effect effect, long stateNanos) {}

    private static final class Line {
        final List<Kept> effects = new ArrayList<>(1);
        long sinceNanos;
    }

    private final Map<ReplicatedSession, Line> lines = new LinkedHashMap<>();

    private static long leaseNanos(Effect effect) {
        return switch (effect) {
            case Effect.Granted granted -> granted.leaseNanos();
            case Effect.Renewed renewed -> renewed.leaseNanos();
            default -> Long.MAX_VALUE;
        };
    }

    /**
     * Keeps an effect if it is in doubt, or if another one of its session is.
     *
     * @param stateNanos the time of the state
     * @param heardNanos what is in the state now was not there before this time
     */
    boolean keep(
            ReplicatedSession session,
            Effect effect,
            long stateNanos,
            long heardNanos,
            long nowNanos) {
        boolean old = nowNanos - heardNanos > leaseNanos(effect) / (2 * PART);
        if (!old && (lines.isEmpty() || !lines.containsKey(session))) {
            return false;
        }
        Line line = lines.computeIfAbsent(session, _ -> new Line());
        line.effects.add(new Kept(effect, stateNanos));
        if (old) {
            line.sinceNanos = nowNanos;
        }
        return true;
    }

    /** Lets go of what is certain now, and of what has been in doubt for too long. */
    void settle(long stateNanos, long heardNanos, long nowNanos, Ear ear) {
        Iterator<Map.Entry<ReplicatedSession, Line>> rest = lines.entrySet().iterator();
        while (rest.hasNext()) {
            Map.Entry<ReplicatedSession, Line> next = rest.next();
            Line line = next.getValue();
            boolean certain = heardNanos - line.sinceNanos >= 0;
            if (!certain && nowNanos - line.sinceNanos <= MOST_NANOS) {
                continue;
            }
            rest.remove();
            for (Kept kept : line.effects) {
                long ageNanos = stateNanos - kept.stateNanos + nowNanos - heardNanos;
                boolean leased = leaseNanos(kept.effect) != Long.MAX_VALUE;
                if (leased && (!certain || ageNanos > leaseNanos(kept.effect) / PART)) {
                    ear.refuse(next.getKey(), kept.effect);
                } else {
                    ear.tell(next.getKey(), kept.effect);
                }
            }
        }
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    void clear() {
        lines.clear();
    }
}
