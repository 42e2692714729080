package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.lifecycle.BeforeTry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

@Label("Deadlines, next to a sorted list")
class DeadlinesPropertyTest {
    enum What {
        SCHEDULE,
        REMOVE,
        POLL
    }

    record Turn(What what, int entry, long time) {}

    private record Planned(Deadline entry, long time, long turn) {}

    private Deadlines deadlines = new Deadlines();
    private final List<Planned> sorted = new ArrayList<>();
    private long turn;

    @BeforeTry
    void start() {
        deadlines = new Deadlines();
        sorted.clear();
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void come_due_in_the_order_of_time_and_then_of_scheduling(@ForAll("turns") List<Turn> turns) {
        List<Deadline> entries = entries(60);
        for (Turn it : turns) {
            Deadline entry = entries.get(it.entry());
            switch (it.what()) {
                case SCHEDULE -> schedule(entry, it.time());
                case REMOVE -> remove(entry);
                case POLL -> poll(it.time());
            }
            check(entries);
        }
        while (!sorted.isEmpty()) {
            poll(Long.MAX_VALUE - 1);
        }
        check(entries);
    }

    @Property(tries = 10, edgeCases = EdgeCasesMode.NONE)
    void come_due_in_order_when_there_are_thousands(
            @ForAll("manyTimes") List<Long> times, @ForAll("manyTimes") List<Long> changes) {
        List<Deadline> entries = entries(times.size());
        for (int i = 0; i < times.size(); i++) {
            schedule(entries.get(i), times.get(i));
        }
        for (int i = 0; i < Math.min(changes.size(), times.size()); i++) {
            if (changes.get(i) % 3 == 0) {
                remove(entries.get(i));
            } else if (changes.get(i) % 3 == 1) {
                schedule(entries.get(i), changes.get(i));
            }
        }
        sorted.sort(Comparator.comparingLong(Planned::time).thenComparingLong(Planned::turn));
        for (Planned planned : sorted) {
            assertThat(deadlines.next()).isLessThanOrEqualTo(planned.time());
            assertThat(deadlines.pollDue(Long.MAX_VALUE - 1)).isSameAs(planned.entry());
        }
        assertThat(deadlines.size()).isZero();
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(What.SCHEDULE, What.SCHEDULE, What.REMOVE, What.POLL),
                        Arbitraries.integers().between(0, 59),
                        Arbitraries.longs().between(-20, 20))
                .as(
                        (what, entry, time) ->
                                new Turn(what, entry, time == 20 ? Long.MAX_VALUE : far(time)))
                .list()
                .ofMaxSize(300)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    @Provide
    Arbitrary<List<Long>> manyTimes() {
        return Arbitraries.longs().between(0, 500).list().ofMinSize(2000).ofMaxSize(5000);
    }

    /** From nanoseconds to years, so that every level of the wheel is used. */
    private static long far(long time) {
        return time < 0 ? time : time << Math.min(58, 3 * time);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void looking_whenever_told_to_finds_each_at_its_time(@ForAll("farTimes") List<Long> times) {
        List<Deadline> entries = entries(times.size());
        for (int i = 0; i < times.size(); i++) {
            schedule(entries.get(i), times.get(i));
        }
        int looks = 0;
        for (long now = deadlines.next(); now != Long.MAX_VALUE; now = deadlines.next()) {
            for (Deadline due = deadlines.pollDue(now); due != null; due = deadlines.pollDue(now)) {
                assertThat(deadlines.size()).isLessThan(times.size());
                assertThat(due.time).isEqualTo(now);
            }
            looks++;
        }
        assertThat(deadlines.size()).isZero();
        assertThat(looks).as("a few looks each").isLessThanOrEqualTo(12 * times.size());
    }

    @Provide
    Arbitrary<List<Long>> farTimes() {
        return Combinators.combine(
                        Arbitraries.longs().between(1, 1000), Arbitraries.integers().between(0, 50))
                .as((number, shift) -> number << shift)
                .list()
                .ofMaxSize(100);
    }

    private void schedule(Deadline entry, long time) {
        sorted.removeIf(it -> it.entry() == entry);
        if (time != Long.MAX_VALUE) {
            sorted.add(new Planned(entry, time, ++turn));
        }
        deadlines.schedule(entry, time);
    }

    private void remove(Deadline entry) {
        sorted.removeIf(it -> it.entry() == entry);
        deadlines.remove(entry);
    }

    private void poll(long now) {
        sorted.sort(Comparator.comparingLong(Planned::time).thenComparingLong(Planned::turn));
        Deadline due = deadlines.pollDue(now);
        if (sorted.isEmpty() || sorted.getFirst().time() > now) {
            assertThat(due).isNull();
        } else {
            assertThat(due).isSameAs(sorted.removeFirst().entry());
        }
    }

    private void check(List<Deadline> entries) {
        assertThat(deadlines.size()).isEqualTo(sorted.size());
        long first = sorted.stream().mapToLong(Planned::time).min().orElse(Long.MAX_VALUE);
        assertThat(deadlines.next()).isLessThanOrEqualTo(first);
        assertThat(deadlines.next() == Long.MAX_VALUE).isEqualTo(first == Long.MAX_VALUE);
        for (Deadline entry : entries) {
            long time =
                    sorted.stream()
                            .filter(it -> it.entry() == entry)
                            .mapToLong(Planned::time)
                            .findAny()
                            .orElse(Long.MAX_VALUE);
            if (deadlines.timeOf(entry) != time) {
                assertThat(deadlines.timeOf(entry)).isEqualTo(time);
            }
        }
    }

    private static List<Deadline> entries(int count) {
        Resource resource = new Mutex(Key.of("key"));
        Session session = new Session(1);
        List<Deadline> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(new Wait(resource, session, i, 0, 1, false));
        }
        return entries;
    }
}
