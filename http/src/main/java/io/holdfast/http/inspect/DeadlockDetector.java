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
 * Finds out who can never go on by itself, were it not for the end of a lease or of a wait.
 *
 * <p>A session that waits for nothing goes on, and gives back all it holds sooner or later. One
 * that waits goes on as soon as one of its waits is granted: behind a session with several waits
 * are several threads, and any of them may have what another session needs. A lock, whoever waits
 * for it to read or to write and at whatever place, is granted when all who hold it have gone on:
 * those ahead in line are granted by the same and then go on themselves. Of a semaphore one holder
 * is enough.
 *
 * <p>Who waits for what it holds itself does not help itself, unless it does several things at
 * once: then another of its threads may have it, and that wait says nothing about the session.
 *
 * <p>Everybody who does not go on by these rules is stuck, and among them there are cycles. Where
 * one in a cycle does several things at once, the cycle is only possibly a deadlock. Work and
 * memory are in proportion to what is given.
 */
final class DeadlockDetector {
    /**
     * Who holds a key.
     *
     * @param complete whether these are all of them; others are taken to go on
     */
    record Holders(SequencedCollection<Long> sessions, boolean complete) {}

    /**
     * One in a cycle: it waits for the spot, which the next one holds.
     *
     * @param concurrent whether it does several things at once
     */
    record Step(long session, ResourceKey spot, boolean concurrent) {}

    private final Map<ResourceKey, Holders> holders;
    private final Map<Long, ? extends SequencedCollection<ResourceKey>> waits;
    private final LongPredicate concurrent;
    private final Set<Long> stuck;

    /**
     * @param holders of the keys that are waited for; of others it is taken that they are granted
     * @param waits of each session that waits, every key once
     * @param concurrent tells the sessions that do several things at once
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

    /** The sessions that cannot go on. */
    Set<Long> stuck() {
        return Collections.unmodifiableSet(stuck);
    }

    /** Lets everybody go on who can. */
    private final class Search {
        private final Set<Long> rest = new TreeSet<>();
        private final Map<ResourceKey, List<Long>> waitedForBy = new HashMap<>();
        private final Map<Long, List<ResourceKey>> heldBy = new HashMap<>();
        private final Map<ResourceKey, Blockers> blockers = new HashMap<>();

        /** How many waits of a session that does several things at once count. */
        private final Map<Long, Integer> counting = new HashMap<>();

        private final Deque<Long> going = new ArrayDeque<>();

        Set<Long> run() {
            waits.forEach(this::addWaits);
            waitedForBy.keySet().forEach(this::addHolders);
            List.copyOf(waitedForBy.keySet()).forEach(this::look);
            while (!going.isEmpty()) {
                Long gone = going.remove();
                for (ResourceKey resourceKey : heldBy.getOrDefault(gone, List.of())) {
                    Blockers left = blockers.get(resourceKey);
                    if (left != null) {
                        left.remove(gone);
                        look(resourceKey);
                    }
                }
            }
            return rest;
        }

        private void addWaits(Long session, SequencedCollection<ResourceKey> spots) {
            int count = 0;
            for (ResourceKey resourceKey : spots) {
                waitedForBy.computeIfAbsent(resourceKey, _ -> new ArrayList<>()).add(session);
                if (!isOwnSlot(session, resourceKey)) {
                    count++;
                }
            }
            if (count > 0) {
                rest.add(session);
                counting.put(session, count);
            }
        }

        private void addHolders(ResourceKey resourceKey) {
            Blockers found = new Blockers();
            blockers.put(resourceKey, found);
            Holders known = holders.get(resourceKey);
            if (known == null) {
                return; // it is about to be granted, or will be when it is no longer suspended
            }
            boolean oneGoes = !known.complete();
            Set<Long> waiting = new HashSet<>();
            for (Long session : known.sessions()) {
                if (rest.contains(session)) {
                    waiting.add(session);
                } else {
                    oneGoes = true;
                }
            }
            found.oneIsEnough = resourceKey.kind() != ResourceKind.LOCK;
            if (found.oneIsEnough && oneGoes) {
                return;
            }
            for (Long session : waiting) {
                found.add(session);
                heldBy.computeIfAbsent(session, _ -> new ArrayList<>()).add(resourceKey);
            }
        }

        /** Whether somebody goes on because of how a key stands now. */
        private void look(ResourceKey resourceKey) {
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
                // only another thread of the same session is in its way
                if (counting.merge(left.sum, -1, Integer::sum) == 0) {
                    markRunnable(left.sum);
                }
            }
        }

        private void markRunnable(Long session) {
            if (rest.remove(session)) {
                going.add(session);
            }
        }
    }

    /** Those who hold a key, and wait. */
    private static final class Blockers {
        int count;

        /** Of their numbers: of one, it is the number. */
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

        /** Whether one is left, of those who all have to go on. */
        boolean isOnlyOne() {
            return count == 1 && !oneIsEnough;
        }
    }

    /** Whether another thread of the session may give back a slot that this one waits for. */
    private boolean isOwnSlot(Long session, ResourceKey resourceKey) {
        Holders known = holders.get(resourceKey);
        return known != null
                && resourceKey.kind() != ResourceKind.LOCK
                && concurrent.test(session)
                && known.sessions().contains(session);
    }

    /**
     * A cycle of each knot of stuck sessions, so many at most, the one with the lowest session
     * first; each begins with its lowest session.
     */
    List<List<Step>> cycles(int most) {
        List<List<Step>> cycles = new ArrayList<>();
        Map<Long, Integer> visited = new HashMap<>(); // session to the number of its walk
        int walk = 0;
        for (Long start : stuck) {
            if (cycles.size() == most) {
                break;
            }
            walk++;
            List<Step> path = new ArrayList<>();
            @Nullable Long at = start;
            while (at != null && !visited.containsKey(at)) {
                visited.put(at, walk);
                Move move = moveFrom(at);
                path.add(new Step(at, move.spot(), concurrent.test(at)));
                at = move.holder();
            }
            if (at != null && visited.getOrDefault(at, 0) == walk) {
                cycles.add(rotated(path, at));
            }
        }
        return cycles;
    }

    private record Move(ResourceKey spot, Long holder) {}

    /**
     * One who stands in the way, always the same of each session: so every walk ends in a cycle,
     * and no two cycles have a session in common.
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
        SequencedCollection<ResourceKey> spots = waits.get(session);
        return spots == null ? List.of() : spots;
    }

    /** The cycle at the end of a path that came back to a session. */
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
