package io.holdfast.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.StateHash;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
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

    private static final Comparator<Planned> ORDER =
            Comparator.comparingLong(Planned::time).thenComparingLong(Planned::turn);

    /** After all that is ever scheduled. */
    private static final long FAR = Long.MAX_VALUE - 1;

    private Deadlines<Deadline> deadlines = new Deadlines<>(new StateHash(false));
    private final List<Planned> sorted = new ArrayList<>();
    private long turn;

    @BeforeTry
    void start() {
        deadlines = new Deadlines<>(new StateHash(false));
        sorted.clear();
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void deadlines_come_due_in_the_order_of_time_and_then_of_scheduling(
            @ForAll("turns") List<Turn> turns) {
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
            poll(FAR);
        }
        check(entries);
    }

    @Property(tries = 10, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void deadlines_come_due_in_order_when_there_are_thousands(
            @ForAll("manyTimes") List<Long> times, @ForAll("manyTimes") List<Long> changes) {
        List<Deadline> entries = entries(times.size());
        for (int i = 0; i < times.size(); i++) {
            schedule(entries.get(i), times.get(i));
        }
        for (int i = 0; i < Math.min(changes.size(), times.size()); i++) {
            if (Math.floorMod(changes.get(i), 3) == 0) {
                remove(entries.get(i));
            } else if (Math.floorMod(changes.get(i), 3) == 1) {
                schedule(entries.get(i), changes.get(i));
            }
        }
        sorted.sort(ORDER);
        for (Planned planned : sorted) {
            assertThat(deadlines.next()).isLessThanOrEqualTo(planned.time());
            assertThat(deadlines.pollDue(FAR)).isSameAs(planned.entry());
        }
        assertThat(deadlines.size()).isZero();
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void deadlines_are_found_by_polling_at_the_next_time_and_never_late(
            @ForAll("fewTimes") List<Long> times) {
        List<Deadline> entries = entries(times.size());
        long start = times.stream().mapToLong(Long::longValue).min().orElseThrow() - 1;
        deadlines.pollDue(start);
        for (int i = 0; i < times.size(); i++) {
            schedule(entries.get(i), times.get(i));
        }
        sorted.sort(ORDER);
        int looks = 0;
        while (!sorted.isEmpty()) {
            long now = deadlines.next();
            assertThat(now).isLessThanOrEqualTo(sorted.getFirst().time());
            for (Deadline due = deadlines.pollDue(now); due != null; due = deadlines.pollDue(now)) {
                Planned first = sorted.removeFirst();
                assertThat(due).isSameAs(first.entry());
                assertThat(first.time()).isEqualTo(now);
            }
            assertThat(++looks).as("looks").isLessThanOrEqualTo(12 * times.size());
        }
        assertThat(deadlines.next()).isEqualTo(Long.MAX_VALUE);
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(What.SCHEDULE, What.SCHEDULE, What.REMOVE, What.POLL),
                        Arbitraries.integers().between(0, 59),
                        Arbitraries.oneOf(times(), times(), Arbitraries.just(Long.MAX_VALUE)))
                .as(
                        (what, entry, time) ->
                                new Turn(
                                        what,
                                        entry,
                                        what == What.POLL ? Math.min(time, FAR) : time))
                .list()
                .ofMaxSize(300)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    /** Near and far, before and after zero, and often the same. */
    private static Arbitrary<Long> times() {
        return Combinators.combine(
                        Arbitraries.longs().between(-8, 8),
                        Arbitraries.of(0, 4, 18, 20, 21, 26, 32, 38, 45, 56),
                        Arbitraries.longs().between(-1, 1))
                .as((number, shift, offset) -> (number << shift) + offset);
    }

    @Provide
    Arbitrary<List<Long>> fewTimes() {
        return times().list().ofMinSize(1).ofMaxSize(100);
    }

    @Provide
    Arbitrary<List<Long>> manyTimes() {
        return times().list().ofMinSize(2000).ofMaxSize(5000);
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
        sorted.sort(ORDER);
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
        assertThat(deadlines.next() == Long.MAX_VALUE).isEqualTo(sorted.isEmpty());
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
        List<Deadline> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(
                    new Deadline() {
                        @Override
                        protected void hashFields(FieldHash out) {}
                    });
        }
        return entries;
    }
}
