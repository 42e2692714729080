package io.holdfast.http.inspect;

import io.holdfast.engine.Kind;

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

/**
 * Finds out who can never go on by itself, were it not for the end of a lease or of a wait.
 *
 * <p>A session that waits for nothing goes on, and gives back all it holds sooner or later. One
 * that waits goes on as soon as one of its waits is granted: behind a session with several waits
 * are several threads, and any of them may have what another session needs. A lock, whoever waits
 * for it to read or to write and at whatever place, is granted when all who hold it have gone on:
 * those ahead in line are granted by the same and then go on themselves. Of a semaphore one holder
 * is enough. Who waits for what it holds itself does not help itself.
 *
 * <p>Everybody who does not go on by these rules is stuck, and among them there are cycles. Work
 * and memory are in proportion to what is given.
 */
final class Deadlocks {
    /**
     * Who holds a key.
     *
     * @param complete whether these are all of them; others are taken to go on
     */
    record Holders(SequencedCollection<Long> sessions, boolean complete) {}

    /** One in a cycle: it waits for the spot, which the next one holds. */
    record Step(long session, Spot spot) {}

    private final Map<Spot, Holders> holders;
    private final Map<Long, ? extends SequencedCollection<Spot>> waits;
    private final Set<Long> stuck;

    /**
     * @param holders of the keys that are waited for; of others it is taken that they are granted
     * @param waits of each session that waits
     */
    Deadlocks(Map<Spot, Holders> holders, Map<Long, ? extends SequencedCollection<Spot>> waits) {
        this.holders = holders;
        this.waits = waits;
        this.stuck = findStuck();
    }

    /** The sessions that cannot go on. */
    Set<Long> stuck() {
        return Collections.unmodifiableSet(stuck);
    }

    private Set<Long> findStuck() {
        Map<Long, List<Spot>> heldBy = new HashMap<>();
        Map<Spot, List<Long>> waitedForBy = new HashMap<>();
        Map<Spot, Integer> needed = new HashMap<>();
        Deque<Spot> granted = new ArrayDeque<>();
        Deque<Long> going = new ArrayDeque<>();
        Set<Long> rest = new TreeSet<>(waits.keySet());
        waits.forEach(
                (session, spots) -> {
                    for (Spot spot : spots) {
                        waitedForBy.computeIfAbsent(spot, _ -> new ArrayList<>()).add(session);
                    }
                });
        for (Spot spot : waitedForBy.keySet()) {
            Set<Long> waitingHolders = new HashSet<>();
            int need = countNeeded(spot, waitingHolders);
            needed.put(spot, need);
            if (need == 0) {
                granted.add(spot);
            } else {
                waitingHolders.forEach(
                        session ->
                                heldBy.computeIfAbsent(session, _ -> new ArrayList<>()).add(spot));
            }
        }
        while (!granted.isEmpty()) {
            for (Long session : waitedForBy.getOrDefault(granted.remove(), List.of())) {
                if (rest.remove(session)) {
                    going.add(session);
                }
            }
            while (!going.isEmpty()) {
                for (Spot spot : heldBy.getOrDefault(going.remove(), List.of())) {
                    int left = needed.merge(spot, -1, Integer::sum);
                    if (left == 0) {
                        granted.add(spot);
                    }
                }
            }
        }
        return rest;
    }

    /** How many of its holders that wait have to go on before a key is granted. */
    private int countNeeded(Spot spot, Set<Long> waitingHolders) {
        Holders known = holders.get(spot);
        if (known == null || known.sessions().isEmpty()) {
            return 0; // it is about to be granted, or will be when it is no longer suspended
        }
        boolean oneGoes = !known.complete();
        for (Long session : known.sessions()) {
            if (waits.containsKey(session)) {
                waitingHolders.add(session);
            } else {
                oneGoes = true;
            }
        }
        if (spot.kind() == Kind.MUTEX) {
            return waitingHolders.size();
        }
        return oneGoes ? 0 : 1;
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
                path.add(new Step(at, move.spot()));
                at = move.holder();
            }
            if (at != null && visited.getOrDefault(at, 0) == walk) {
                cycles.add(rotated(path, at));
            }
        }
        return cycles;
    }

    private record Move(Spot spot, Long holder) {}

    /**
     * One who stands in the way, always the same of each session: so every walk ends in a cycle,
     * and no two cycles have a session in common.
     */
    private Move moveFrom(Long session) {
        for (Spot spot : waitsOf(session)) {
            Holders known = holders.get(spot);
            if (known != null) {
                for (Long holder : known.sessions()) {
                    if (stuck.contains(holder)) {
                        return new Move(spot, holder);
                    }
                }
            }
        }
        throw new IllegalStateException("stuck behind nobody");
    }

    private SequencedCollection<Spot> waitsOf(Long session) {
        SequencedCollection<Spot> spots = waits.get(session);
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
