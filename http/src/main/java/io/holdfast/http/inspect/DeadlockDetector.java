package io.holdfast.http.inspect;

import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedCollection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * Finds the sessions that cannot proceed without the expiry of a lease or the timeout of a wait.
 *
 * <p>A session that waits for nothing can proceed, and releases all its holds sooner or later. A
 * waiting session can proceed as soon as one of its waits can be granted: a session with several
 * waits has several threads, and any of them may hold what another session needs. A wait for a
 * lock, whether to read or to write and at any position, can be granted when all holders can
 * proceed: the waiters ahead in the queue are granted for the same reason and can then proceed
 * themselves. For a semaphore one holder that can proceed is enough.
 *
 * <p>A session that waits for a resource that it holds itself blocks itself, unless it is
 * concurrent, that is, executes several requests at once: then another of its threads may hold the
 * resource, and the wait does not show that the session is blocked.
 *
 * <p>All sessions that cannot proceed by these rules are stuck, and they contain cycles. If a
 * session of a cycle is concurrent, the cycle is only a possible deadlock. Time and memory are
 * proportional to the size of the input.
 */
final class DeadlockDetector {
    /**
     * The holders of a resource.
     *
     * @param complete whether {@code sessions} has all holders; holders that are not in it are
     *     assumed to proceed
     */
    record Holders(SequencedCollection<Long> sessions, boolean complete) {}

    /**
     * A member of a cycle: it waits for the resource, which the next member holds.
     *
     * @param concurrent whether the session executes several requests at once
     */
    record Step(long session, ResourceKey resource, boolean concurrent) {}

    private final Map<ResourceKey, Holders> holders;
    private final Map<Long, ? extends SequencedCollection<ResourceKey>> waits;
    private final LongPredicate concurrent;
    private final Set<Long> stuck;

    /**
     * @param holders of the resources that have waiters; waits for other resources are assumed to
     *     be granted
     * @param waits the resources that each waiting session waits for, without duplicates
     * @param concurrent whether a session executes several requests at once
     */
    DeadlockDetector(
            Map<ResourceKey, Holders> holders,
            Map<Long, ? extends SequencedCollection<ResourceKey>> waits,
            LongPredicate concurrent) {
        this.holders = holders;
        this.waits = waits;
        this.concurrent = concurrent;
        this.stuck = new Search().run();
    }

    /** The sessions that cannot proceed. */
    Set<Long> stuck() {
        return Collections.unmodifiableSet(stuck);
    }

    /** Removes the sessions that can proceed until only stuck sessions are left. */
    private final class Search {
        private final Set<Long> blocked = new TreeSet<>();
        private final Map<ResourceKey, List<Long>> waitedForBy = new HashMap<>();
        private final Map<Long, List<ResourceKey>> heldBy = new HashMap<>();
        private final Map<ResourceKey, Blockers> blockers = new HashMap<>();

        /** Number of waits that can block the session, by session. */
        private final Map<Long, Integer> blockingWaits = new HashMap<>();

        private final Deque<Long> runnable = new ArrayDeque<>();

        Set<Long> run() {
            waits.forEach(this::addWaits);
            waitedForBy.keySet().forEach(this::addHolders);
            List.copyOf(waitedForBy.keySet()).forEach(this::update);
            while (!runnable.isEmpty()) {
                Long next = runnable.remove();
                for (ResourceKey resourceKey : heldBy.getOrDefault(next, List.of())) {
                    Blockers left = blockers.get(resourceKey);
                    if (left != null) {
                        left.remove(next);
                        update(resourceKey);
                    }
                }
            }
            return blocked;
        }

        private void addWaits(Long session, SequencedCollection<ResourceKey> resources) {
            int count = 0;
            for (ResourceKey resourceKey : resources) {
                waitedForBy.computeIfAbsent(resourceKey, _ -> new ArrayList<>()).add(session);
                if (!isOwnSlot(session, resourceKey)) {
                    count++;
                }
            }
            if (count > 0) {
                blocked.add(session);
                blockingWaits.put(session, count);
            }
        }

        private void addHolders(ResourceKey resourceKey) {
            Blockers found = new Blockers();
            blockers.put(resourceKey, found);
            Holders known = holders.get(resourceKey);
            if (known == null) {
                return; // not held: granted at once, or when its suspension ends
            }
            boolean oneProceeds = !known.complete();
            Set<Long> waiting = new HashSet<>();
            for (Long session : known.sessions()) {
                if (blocked.contains(session)) {
                    waiting.add(session);
                } else {
                    oneProceeds = true;
                }
            }
            found.oneIsEnough = resourceKey.kind() != ResourceKind.LOCK;
            if (found.oneIsEnough && oneProceeds) {
                return;
            }
            for (Long session : waiting) {
                found.add(session);
                heldBy.computeIfAbsent(session, _ -> new ArrayList<>()).add(resourceKey);
            }
        }

        /** Marks sessions as runnable if the remaining blockers of the resource allow it. */
        private void update(ResourceKey resourceKey) {
            Blockers left = blockers.get(resourceKey);
            if (left == null) {
                return;
            }
            List<Long> waiting = waitedForBy.getOrDefault(resourceKey, List.of());
            if (left.isEmpty()) {
                blockers.remove(resourceKey);
                waiting.forEach(this::markRunnable);
            } else if (left.isOnlyOne()
                    && concurrent.test(left.sum)
                    && waiting.contains(left.sum)) {
                // blocked only by another thread of the same session
                if (blockingWaits.merge(left.sum, -1, Integer::sum) == 0) {
                    markRunnable(left.sum);
                }
            }
        }

        private void markRunnable(Long session) {
            if (blocked.remove(session)) {
                runnable.add(session);
            }
        }
    }

    /** The holders of a resource that wait themselves. */
    private static final class Blockers {
        int count;

        /** Sum of the session ids: with one blocker left, its id. */
        long sum;

        boolean oneIsEnough;

        void add(long session) {
            count++;
            sum += session;
        }

        void remove(long session) {
            count = oneIsEnough ? 0 : count - 1;
            sum -= session;
        }

        boolean isEmpty() {
            return count == 0;
        }

        /** Whether exactly one blocker is left and all blockers have to proceed. */
        boolean isOnlyOne() {
            return count == 1 && !oneIsEnough;
        }
    }

    /** Whether another thread of the same session may release a permit that this wait needs. */
    private boolean isOwnSlot(Long session, ResourceKey resourceKey) {
        Holders known = holders.get(resourceKey);
        return known != null
                && resourceKey.kind() != ResourceKind.LOCK
                && concurrent.test(session)
                && known.sessions().contains(session);
    }

    /**
     * Returns up to {@code max} cycles, which have no session in common, in order of the session
     * from which they are found; each begins with its lowest session.
     */
    List<List<Step>> cycles(int max) {
        List<List<Step>> cycles = new ArrayList<>();
        Map<Long, Integer> visited = new HashMap<>(); // session to the number of its walk
        int walk = 0;
        for (Long start : stuck) {
            if (cycles.size() == max) {
                break;
            }
            walk++;
            List<Step> path = new ArrayList<>();
            @Nullable Long at = start;
            while (at != null && !visited.containsKey(at)) {
                visited.put(at, walk);
                Move move = moveFrom(at);
                path.add(new Step(at, move.resource(), concurrent.test(at)));
                at = move.holder();
            }
            if (at != null && visited.getOrDefault(at, 0) == walk) {
                cycles.add(rotated(path, at));
            }
        }
        return cycles;
    }

    private record Move(ResourceKey resource, Long holder) {}

    /**
     * A holder that blocks the session. The choice is fixed for each session, so every walk ends in
     * a cycle and no two cycles share a session.
     */
    private Move moveFrom(Long session) {
        for (ResourceKey resourceKey : waitsOf(session)) {
            Holders known = holders.get(resourceKey);
            if (known != null && !isOwnSlot(session, resourceKey)) {
                for (Long holder : known.sessions()) {
                    boolean itself = holder.equals(session) && concurrent.test(session);
                    if (stuck.contains(holder) && !itself) {
                        return new Move(resourceKey, holder);
                    }
                }
            }
        }
        throw new IllegalStateException("blocked session without a blocker");
    }

    private SequencedCollection<ResourceKey> waitsOf(Long session) {
        SequencedCollection<ResourceKey> resources = waits.get(session);
        return resources == null ? List.of() : resources;
    }

    /** The cycle at the end of a path that returned to a session. */
    private static List<Step> rotated(List<Step> path, Long to) {
        int first = 0;
        while (path.get(first).session() != to) {
            first++;
        }
        List<Step> cycle = new ArrayList<>(path.subList(first, path.size()));
        int lowest = 0;
        for (int i = 1; i < cycle.size(); i++) {
            if (cycle.get(i).session() < cycle.get(lowest).session()) {
                lowest = i;
            }
        }
        Collections.rotate(cycle, -lowest);
        return cycle;
    }
}
