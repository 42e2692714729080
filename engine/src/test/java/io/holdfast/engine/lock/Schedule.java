package io.holdfast.engine.lock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.lock.LockScenario.Target;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The actions of a few sessions on a few keys, with some settings. Durations in settings and steps
 * are small multiples of {@code unit} nanoseconds.
 */
record Schedule(
        EngineSettings settings,
        int maxKeys,
        int maxTransientKeys,
        int maxEntries,
        long start,
        long unit,
        List<ScheduleStep> steps) {
    static final int PEOPLE = 4;

    /** Few, so that sessions compete; two of them are one semaphore with different limits. */
    static final List<Target> TARGETS =
            List.of(
                    Target.lock("a"),
                    Target.lock("b"),
                    Target.semaphore("a", 2),
                    Target.semaphore("a", 3),
                    Target.semaphore("c", 1));

    /** What is try-acquired: locks that others wait for, and shared locks of the same keys. */
    static final List<Target> TRY_ACQUIRABLE =
            List.of(Target.lock("a"), Target.lock("b"), Target.shared("a"), Target.shared("b"));

    /** Everything that may be released by force. */
    static final List<Target> FORCE_RELEASABLE =
            Stream.concat(TARGETS.stream(), TRY_ACQUIRABLE.stream()).toList();

    /** The locks that are requested as offers, to read or to write. */
    static final List<Key> LOCKS = List.of(Key.of("a"), Key.of("b"));

    /** The keys of data, which locks have too. */
    static final List<Key> NAMES = List.of(Key.of("a"), Key.of("b"), Key.of("c"));

    /** A time to live that overflows the clock, or almost. */
    static final long ALMOST_FOREVER = Command.FOREVER - 1;

    /** The longest lease, wait timeout and time to live except unlimited ones. */
    static final long LONGEST = 12;

    /** The settings in nanoseconds. */
    EngineSettings settingsInNanos() {
        return new EngineSettings(
                settings.maxWaiters(),
                nanos(settings.idleNanos()),
                settings.autoRelease(),
                settings.maxListLength(),
                settings.policies());
    }

    long nanos(long units) {
        return units == Command.FOREVER ? Command.FOREVER : units * unit;
    }

    long ttlNanos(long units) {
        return units == ALMOST_FOREVER ? ALMOST_FOREVER : nanos(units);
    }

    static final class Domain extends DomainContextBase {
        @Provide
        Arbitrary<Schedule> schedules() {
            return Combinators.combine(
                            settings(),
                            maxKeys(),
                            maxTransientKeys(),
                            maxEntries(),
                            starts(),
                            units(),
                            steps(250))
                    .as(Schedule::new);
        }

        private static Arbitrary<EngineSettings> settings() {
            return Combinators.combine(
                            Arbitraries.of(0, 0, 1, 2, 3),
                            Arbitraries.of(0L, 3L, 10L),
                            Arbitraries.of(true, false),
                            Arbitraries.of(0, 0, 1, 2, 5),
                            policy(),
                            policy())
                    .as(
                            (waiters, idle, release, length, a, b) ->
                                    new EngineSettings(
                                            waiters,
                                            idle,
                                            release,
                                            length,
                                            Map.of(LOCKS.get(0), a, LOCKS.get(1), b)));
        }

        private static Arbitrary<QueuePolicy> policy() {
            return Arbitraries.of(QueuePolicy.class);
        }

        private static Arbitrary<Long> starts() {
            return Arbitraries.of(0L, 1_000L, 700_000_000_000_000_007L, -9_000_000_000_000_001L);
        }

        /** From nanoseconds to a quarter of an hour: deadlines are stored by their distance. */
        private static Arbitrary<Long> units() {
            return Arbitraries.of(1L, 300_007L, 1_048_583L, 50_000_017L, 900_000_000_019L);
        }

        private static Arbitrary<Integer> maxKeys() {
            return Arbitraries.of(0, 0, 1, 2, 3);
        }

        private static Arbitrary<Integer> maxTransientKeys() {
            return Arbitraries.of(0, 0, 0, 1, 2);
        }

        private static Arbitrary<Integer> maxEntries() {
            return Arbitraries.of(0, 0, 0, 1, 3, 5);
        }

        private static Arbitrary<List<ScheduleStep>> steps(int most) {
            return Arbitraries.<ScheduleStep>frequencyOf(
                            Tuple.of(
                                    40,
                                    Combinators.combine(
                                                    who(),
                                                    target(),
                                                    waitTime(),
                                                    lease(),
                                                    attributes())
                                            .as(ScheduleStep.Acquire::new)),
                            Tuple.of(
                                    10,
                                    Combinators.combine(who(), target(), lease())
                                            .as(ScheduleStep.Enqueue::new)),
                            Tuple.of(
                                    10,
                                    Combinators.combine(who(), target(), waitTime())
                                            .as(ScheduleStep.Await::new)),
                            Tuple.of(
                                    15,
                                    Combinators.combine(who(), back(), use())
                                            .as(ScheduleStep.Release::new)),
                            Tuple.of(
                                    6,
                                    Combinators.combine(who(), back(), use(), lease())
                                            .as(ScheduleStep.Renew::new)),
                            Tuple.of(
                                    16,
                                    Combinators.combine(who(), tryAcquirable())
                                            .as(ScheduleStep.TryAcquire::new)),
                            Tuple.of(
                                    8,
                                    Combinators.combine(who(), tryAcquirable())
                                            .as(ScheduleStep.ReleaseBySession::new)),
                            Tuple.of(
                                    3,
                                    Combinators.combine(who(), tryAcquirable())
                                            .as(ScheduleStep.Inspect::new)),
                            Tuple.of(
                                    5,
                                    Combinators.combine(who(), back())
                                            .as(ScheduleStep.Cancel::new)),
                            Tuple.of(
                                    8,
                                    Combinators.combine(who(), evictable(), which())
                                            .as(ScheduleStep.ForceRelease::new)),
                            Tuple.of(
                                    30,
                                    Combinators.combine(
                                                    who(),
                                                    lock(),
                                                    mode(),
                                                    waitTime(),
                                                    confirm(),
                                                    lease())
                                            .as(ScheduleStep.RequestOffer::new)),
                            Tuple.of(
                                    45,
                                    Combinators.combine(who(), back(), trackedAction(), elsewhere())
                                            .as(ScheduleStep.OnTrackedRequest::new)),
                            Tuple.of(
                                    2,
                                    Combinators.combine(who(), lock())
                                            .as(ScheduleStep.Suspend::new)),
                            Tuple.of(
                                    4,
                                    Combinators.combine(who(), lock())
                                            .as(ScheduleStep.Resume::new)),
                            Tuple.of(
                                    6,
                                    Combinators.combine(who(), lock(), mode(), lease())
                                            .as(ScheduleStep.Reassert::new)),
                            Tuple.of(
                                    5,
                                    Combinators.combine(who(), Arbitraries.integers().between(0, 3))
                                            .as(ScheduleStep.Close::new)),
                            Tuple.of(
                                    40,
                                    Combinators.combine(who(), name(), operation())
                                            .as(ScheduleStep.Data::new)),
                            Tuple.of(
                                    4,
                                    Arbitraries.integers()
                                            .between(0, 3)
                                            .map(ScheduleStep.Collect::new)),
                            Tuple.of(
                                    2,
                                    Arbitraries.integers()
                                            .between(1, 3)
                                            .map(ScheduleStep.CollectAll::new)),
                            Tuple.of(3, Arbitraries.just(new ScheduleStep.Tick())),
                            Tuple.of(3, Arbitraries.just(new ScheduleStep.TickWhenDue())),
                            Tuple.of(
                                    15,
                                    Arbitraries.of(0L, 1L, 1L, 2L, 3L, 5L, 8L, 20L, -4L)
                                            .map(ScheduleStep.AdvanceClock::new)),
                            Tuple.of(
                                    2,
                                    Arbitraries.of(true, true, false)
                                            .map(ScheduleStep.MemoryAvailable::new)))
                    .list()
                    .ofMaxSize(most)
                    .withSizeDistribution(RandomDistribution.uniform());
        }

        private static Arbitrary<Integer> who() {
            return Arbitraries.integers().between(0, PEOPLE - 1);
        }

        private static Arbitrary<Integer> target() {
            return Arbitraries.integers().between(0, TARGETS.size() - 1);
        }

        private static Arbitrary<Integer> tryAcquirable() {
            return Arbitraries.integers().between(0, TRY_ACQUIRABLE.size() - 1);
        }

        private static Arbitrary<Integer> evictable() {
            return Arbitraries.integers().between(0, FORCE_RELEASABLE.size() - 1);
        }

        /** All holders, one of the first, or one that often does not exist. */
        private static Arbitrary<Integer> which() {
            return Arbitraries.of(0, 1, 1, 2, 3);
        }

        private static Arbitrary<Integer> lock() {
            return Arbitraries.integers().between(0, LOCKS.size() - 1);
        }

        private static Arbitrary<ReadWriteMode> mode() {
            return Arbitraries.of(ReadWriteMode.READ, ReadWriteMode.READ, ReadWriteMode.WRITE);
        }

        private static Arbitrary<HoldAttributes> attributes() {
            return Arbitraries.oneOf(
                    Arbitraries.just(HoldAttributes.PLAIN),
                    Combinators.combine(
                                    mode(),
                                    Arbitraries.of(true, false),
                                    Arbitraries.of(true, false))
                            .as(HoldAttributes::new));
        }

        private static Arbitrary<Boolean> elsewhere() {
            return Arbitraries.frequency(Tuple.of(1, true), Tuple.of(11, false));
        }

        private static Arbitrary<Long> confirm() {
            return Arbitraries.of(1L, 3L, 8L, LONGEST);
        }

        private static Arbitrary<ScheduleStep.TrackedAction> trackedAction() {
            return Arbitraries.frequency(
                    Tuple.of(6, ScheduleStep.TrackedAction.CONFIRM),
                    Tuple.of(2, ScheduleStep.TrackedAction.DECLINE),
                    Tuple.of(3, ScheduleStep.TrackedAction.GIVE_UP),
                    Tuple.of(1, ScheduleStep.TrackedAction.CHECK));
        }

        private static Arbitrary<Integer> name() {
            return Arbitraries.integers().between(0, NAMES.size() - 1);
        }

        private static Arbitrary<DataOperation> operation() {
            return Arbitraries.frequencyOf(
                    Tuple.of(4, number().map(DataOperation.Increment::new)),
                    Tuple.of(4, number().map(DataOperation.Decrement::new)),
                    Tuple.of(2, Arbitraries.just(new DataOperation.GetCounter())),
                    Tuple.of(
                            3,
                            Arbitraries.oneOf(Arbitraries.just(0L), number())
                                    .map(DataOperation.SetCounter::new)),
                    Tuple.of(
                            8,
                            Combinators.combine(text("", "x", "a long value"), ttl())
                                    .as(DataOperation.SetValue::new)),
                    Tuple.of(4, Arbitraries.just(new DataOperation.GetValue())),
                    Tuple.of(1, Arbitraries.just(new DataOperation.DeleteValue())),
                    Tuple.of(
                            10,
                            Combinators.combine(end(), text("1", "2", "3", "4"))
                                    .as(DataOperation.Push::new)),
                    Tuple.of(6, end().map(DataOperation.Pop::new)),
                    Tuple.of(1, Arbitraries.just(new DataOperation.Length())),
                    Tuple.of(
                            4,
                            Combinators.combine(listIndex(), listIndex())
                                    .as(DataOperation.Range::new)));
        }

        /** Often back to 0 after a few steps, and often at the limits of 64 bits. */
        private static Arbitrary<Long> number() {
            return Arbitraries.of(
                    1L, 1L, 1L, -1L, 2L, 0L, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE);
        }

        private static Arbitrary<ByteString> text(String... texts) {
            return Arbitraries.of(Arrays.stream(texts).map(ByteString::of).toList());
        }

        private static Arbitrary<Long> ttl() {
            return Arbitraries.of(
                    1L, 2L, 3L, 5L, LONGEST, ALMOST_FOREVER, Command.FOREVER, Command.FOREVER);
        }

        private static Arbitrary<DataOperation.End> end() {
            return Arbitraries.of(DataOperation.End.class);
        }

        private static Arbitrary<Long> listIndex() {
            return Arbitraries.of(
                    0L, 0L, -1L, -1L, 1L, -2L, 3L, -4L, 9L, -9L, Long.MAX_VALUE, Long.MIN_VALUE);
        }

        private static Arbitrary<Integer> back() {
            return Arbitraries.integers().between(0, 5);
        }

        private static Arbitrary<ScheduleStep.Use> use() {
            return Arbitraries.frequency(
                    Tuple.of(9, ScheduleStep.Use.AS_DELIVERED),
                    Tuple.of(1, ScheduleStep.Use.WRONG_SALT),
                    Tuple.of(1, ScheduleStep.Use.WRONG_FENCE),
                    Tuple.of(1, ScheduleStep.Use.WRONG_TARGET));
        }

        private static Arbitrary<Long> waitTime() {
            return Arbitraries.of(0L, 1L, 2L, 4L, 8L, LONGEST, Command.FOREVER);
        }

        private static Arbitrary<Long> lease() {
            return Arbitraries.of(1L, 2L, 3L, 5L, 8L, LONGEST, Command.FOREVER);
        }
    }
}
