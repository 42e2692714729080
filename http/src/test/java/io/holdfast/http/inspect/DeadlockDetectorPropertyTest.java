package io.holdfast.http.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.inspect.DeadlockDetector.Holders;
import io.holdfast.http.inspect.DeadlockDetector.Step;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares {@link DeadlockDetector} with a simulation in which every session that can proceed does
 * so, until none can.
 */
@DisplayName("Deadlocks in random wait-for graphs")
class DeadlockDetectorPropertyTest {
    private static final int ROUNDS = 20_000;

    @Test
    void the_stuck_sessions_are_those_that_the_simulation_leaves_waiting() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            Simulation simulation = Simulation.draw(new Random(seed));
            DeadlockDetector found =
                    new DeadlockDetector(simulation.holders(), simulation.waits(), _ -> false);

            checkCycles(found, simulation, seed);
            assertThat(found.stuck()).as("seed %d", seed).isEqualTo(simulation.leftOver());
        }
    }

    @Test
    void a_concurrent_session_is_stuck_only_behind_others() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            Simulation simulation = Simulation.draw(new Random(seed));
            Random random = new Random(-seed);
            int concurrent = random.nextInt(64);
            DeadlockDetector found =
                    new DeadlockDetector(
                            simulation.holders(),
                            simulation.distinctWaits(),
                            session -> ((concurrent >> (session - 1)) & 1) != 0);

            checkCycles(found, simulation, seed);
            for (List<Step> cycle : found.cycles(Integer.MAX_VALUE)) {
                assertThat(cycle.size() == 1 && cycle.getFirst().concurrent())
                        .as("seed %d", seed)
                        .isFalse();
            }
            assertThat(simulation.leftOver()).as("seed %d", seed).containsAll(found.stuck());
        }
    }

    private static void checkCycles(DeadlockDetector found, Simulation simulation, long seed) {
        Map<ResourceKey, Holders> holders = simulation.holders();
        Map<Long, List<ResourceKey>> waits = simulation.waits();
        List<List<Step>> cycles = found.cycles(Integer.MAX_VALUE);
        Set<Long> seen = new HashSet<>();
        for (List<Step> cycle : cycles) {
            for (int i = 0; i < cycle.size(); i++) {
                Step step = cycle.get(i);
                Step next = cycle.get((i + 1) % cycle.size());
                assertThat(found.stuck()).as("seed %d", seed).contains(step.session());
                assertThat(waits.get(step.session())).as("seed %d", seed).contains(step.resource());
                assertThat(holders.get(step.resource()).sessions())
                        .as("seed %d", seed)
                        .contains(next.session());
                assertThat(seen.add(step.session())).as("seed %d", seed).isTrue();
            }
        }
        assertThat(cycles.isEmpty()).as("seed %d", seed).isEqualTo(found.stuck().isEmpty());
    }

    private record Session(long session, ReadWriteMode mode) {}

    /** A lock or semaphore, first come first served. */
    private static final class Resource {
        final int limit;
        final List<Session> holders = new ArrayList<>();
        final List<Session> queue = new ArrayList<>();

        Resource(int limit) {
            this.limit = limit;
        }

        boolean admits(Session session) {
            boolean shared =
                    session.mode() == ReadWriteMode.READ
                            && holders.stream()
                                    .allMatch(other -> other.mode() == ReadWriteMode.READ);
            return holders.size() < limit || (limit == 1 && shared);
        }

        void acquire(Session session) {
            if (queue.isEmpty() && admits(session)) {
                holders.add(session);
            } else {
                queue.add(session);
            }
        }

        /** Grants the resource to waiters; returns them. */
        List<Session> serve() {
            List<Session> served = new ArrayList<>();
            while (!queue.isEmpty() && admits(queue.getFirst())) {
                Session next = queue.removeFirst();
                holders.add(next);
                served.add(next);
            }
            return served;
        }
    }

    private static final class Simulation {
        final Map<ResourceKey, Resource> resources = new LinkedHashMap<>();

        static Simulation draw(Random random) {
            Simulation simulation = new Simulation();
            int resourceCount = 1 + random.nextInt(5);
            for (int i = 0; i < resourceCount; i++) {
                int limit = random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1;
                ResourceKind resourceKind = limit == 1 ? ResourceKind.LOCK : ResourceKind.SEMAPHORE;
                simulation.resources.put(
                        new ResourceKey(resourceKind, Key.of("resource" + i)), new Resource(limit));
            }
            List<Resource> all = List.copyOf(simulation.resources.values());
            int sessions = 1 + random.nextInt(6);
            boolean severalWaits = random.nextInt(3) == 0;
            for (int i = random.nextInt(20); i > 0; i--) {
                long session = 1L + random.nextInt(sessions);
                if (!severalWaits && simulation.waits().containsKey(session)) {
                    continue; // its one thread is blocked
                }
                Resource resource = all.get(random.nextInt(all.size()));
                boolean reads = resource.limit == 1 && random.nextInt(3) == 0;
                resource.acquire(
                        new Session(session, reads ? ReadWriteMode.READ : ReadWriteMode.WRITE));
            }
            return simulation;
        }

        Map<ResourceKey, Holders> holders() {
            Map<ResourceKey, Holders> holders = new HashMap<>();
            resources.forEach(
                    (resourceKey, resource) ->
                            holders.put(
                                    resourceKey,
                                    new Holders(
                                            resource.holders.stream()
                                                    .map(Session::session)
                                                    .toList(),
                                            true)));
            return holders;
        }

        Map<Long, List<ResourceKey>> waits() {
            Map<Long, List<ResourceKey>> waits = new HashMap<>();
            resources.forEach(
                    (resourceKey, resource) ->
                            resource.queue.forEach(
                                    session ->
                                            waits.computeIfAbsent(
                                                            session.session(),
                                                            _ -> new ArrayList<>())
                                                    .add(resourceKey)));
            return waits;
        }

        Map<Long, List<ResourceKey>> distinctWaits() {
            Map<Long, List<ResourceKey>> waits = waits();
            waits.replaceAll((_, spots) -> spots.stream().distinct().toList());
            return waits;
        }

        /**
         * Lets all sessions proceed that can, and returns those left waiting. Consumes the
         * simulation.
         */
        Set<Long> leftOver() {
            Set<Long> waiting = new TreeSet<>(waits().keySet());
            boolean moved = true;
            while (moved) {
                moved = false;
                for (Resource resource : resources.values()) {
                    for (Iterator<Session> all = resource.holders.iterator(); all.hasNext(); ) {
                        if (!waiting.contains(all.next().session())) {
                            all.remove();
                            moved = true;
                        }
                    }
                    for (Session served : resource.serve()) {
                        waiting.remove(served.session());
                        moved = true;
                    }
                }
            }
            return waiting;
        }
    }
}
