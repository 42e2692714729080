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
 * Holds {@link DeadlockDetector} against a house of locks in which everybody who can goes on, until
 * nobody can.
 */
@DisplayName("Deadlocks, in houses drawn at random")
class DeadlockDetectorPropertyTest {
    private static final int HOUSES = 20_000;

    @Test
    void those_are_stuck_who_are_left_when_all_others_have_gone() {
        for (long seed = 1; seed <= HOUSES; seed++) {
            House house = House.draw(new Random(seed));
            DeadlockDetector found =
                    new DeadlockDetector(house.holders(), house.waits(), _ -> false);

            checkCycles(found, house, seed);
            assertThat(found.stuck()).as("seed %d", seed).isEqualTo(house.leftOver());
        }
    }

    @Test
    void who_does_several_things_at_once_is_stuck_behind_others_only() {
        for (long seed = 1; seed <= HOUSES; seed++) {
            House house = House.draw(new Random(seed));
            Random random = new Random(-seed);
            int concurrent = random.nextInt(64);
            DeadlockDetector found =
                    new DeadlockDetector(
                            house.holders(),
                            house.distinctWaits(),
                            session -> ((concurrent >> (session - 1)) & 1) != 0);

            checkCycles(found, house, seed);
            for (List<Step> cycle : found.cycles(Integer.MAX_VALUE)) {
                assertThat(cycle.size() == 1 && cycle.getFirst().concurrent())
                        .as("seed %d", seed)
                        .isFalse();
            }
            assertThat(house.leftOver()).as("seed %d", seed).containsAll(found.stuck());
        }
    }

    private static void checkCycles(DeadlockDetector found, House house, long seed) {
        Map<ResourceKey, Holders> holders = house.holders();
        Map<Long, List<ResourceKey>> waits = house.waits();
        List<List<Step>> cycles = found.cycles(Integer.MAX_VALUE);
        Set<Long> seen = new HashSet<>();
        for (List<Step> cycle : cycles) {
            for (int i = 0; i < cycle.size(); i++) {
                Step step = cycle.get(i);
                Step next = cycle.get((i + 1) % cycle.size());
                assertThat(found.stuck()).as("seed %d", seed).contains(step.session());
                assertThat(waits.get(step.session())).as("seed %d", seed).contains(step.spot());
                assertThat(holders.get(step.spot()).sessions())
                        .as("seed %d", seed)
                        .contains(next.session());
                assertThat(seen.add(step.session())).as("seed %d", seed).isTrue();
            }
        }
        assertThat(cycles.isEmpty()).as("seed %d", seed).isEqualTo(found.stuck().isEmpty());
    }

    private record Person(long session, ReadWriteMode mode) {}

    /** One lock or semaphore, first come first served. */
    private static final class Room {
        final int limit;
        final List<Person> inside = new ArrayList<>();
        final List<Person> line = new ArrayList<>();

        Room(int limit) {
            this.limit = limit;
        }

        boolean admits(Person person) {
            boolean shared =
                    person.mode() == ReadWriteMode.READ
                            && inside.stream()
                                    .allMatch(other -> other.mode() == ReadWriteMode.READ);
            return inside.size() < limit || (limit == 1 && shared);
        }

        void ask(Person person) {
            if (line.isEmpty() && admits(person)) {
                inside.add(person);
            } else {
                line.add(person);
            }
        }

        /** Those who come in now. */
        List<Person> serve() {
            List<Person> served = new ArrayList<>();
            while (!line.isEmpty() && admits(line.getFirst())) {
                Person next = line.removeFirst();
                inside.add(next);
                served.add(next);
            }
            return served;
        }
    }

    private static final class House {
        final Map<ResourceKey, Room> rooms = new LinkedHashMap<>();

        static House draw(Random random) {
            House house = new House();
            int roomCount = 1 + random.nextInt(5);
            for (int i = 0; i < roomCount; i++) {
                int limit = random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1;
                ResourceKind resourceKind = limit == 1 ? ResourceKind.LOCK : ResourceKind.SEMAPHORE;
                house.rooms.put(new ResourceKey(resourceKind, Key.of("room" + i)), new Room(limit));
            }
            List<Room> all = List.copyOf(house.rooms.values());
            int sessions = 1 + random.nextInt(6);
            boolean several = random.nextInt(3) == 0;
            for (int i = random.nextInt(20); i > 0; i--) {
                long session = 1L + random.nextInt(sessions);
                if (!several && house.waits().containsKey(session)) {
                    continue; // its one thread is blocked
                }
                Room room = all.get(random.nextInt(all.size()));
                boolean reads = room.limit == 1 && random.nextInt(3) == 0;
                room.ask(new Person(session, reads ? ReadWriteMode.READ : ReadWriteMode.WRITE));
            }
            return house;
        }

        Map<ResourceKey, Holders> holders() {
            Map<ResourceKey, Holders> holders = new HashMap<>();
            rooms.forEach(
                    (resourceKey, room) ->
                            holders.put(
                                    resourceKey,
                                    new Holders(
                                            room.inside.stream().map(Person::session).toList(),
                                            true)));
            return holders;
        }

        Map<Long, List<ResourceKey>> waits() {
            Map<Long, List<ResourceKey>> waits = new HashMap<>();
            rooms.forEach(
                    (resourceKey, room) ->
                            room.line.forEach(
                                    person ->
                                            waits.computeIfAbsent(
                                                            person.session(),
                                                            _ -> new ArrayList<>())
                                                    .add(resourceKey)));
            return waits;
        }

        Map<Long, List<ResourceKey>> distinctWaits() {
            Map<Long, List<ResourceKey>> waits = waits();
            waits.replaceAll((_, spots) -> spots.stream().distinct().toList());
            return waits;
        }

        /** Lets all go on who can, and tells who is left in a line. Nothing is as before then. */
        Set<Long> leftOver() {
            Set<Long> waiting = new TreeSet<>(waits().keySet());
            boolean moved = true;
            while (moved) {
                moved = false;
                for (Room room : rooms.values()) {
                    for (Iterator<Person> all = room.inside.iterator(); all.hasNext(); ) {
                        if (!waiting.contains(all.next().session())) {
                            all.remove();
                            moved = true;
                        }
                    }
                    for (Person served : room.serve()) {
                        waiting.remove(served.session());
                        moved = true;
                    }
                }
            }
            return waiting;
        }
    }
}
