package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.data.DataViews;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.QueueView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.TrackedRequestView;
import io.holdfast.engine.view.ValueView;
import io.holdfast.testsupport.Thorough;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.domains.Domain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** Random schedules of all commands. A failing schedule is shrunk and printed with its seed. */
@Label("Random schedules of commands")
@Domain(Schedule.Domain.class)
class EngineSchedulePropertyTest {
    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void the_engine_matches_the_reference_model_and_keeps_its_invariants(
            @ForAll Schedule schedule) {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
    }

    @Property(tries = 40_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void the_engine_matches_the_reference_model_in_very_many_schedules(@ForAll Schedule schedule) {
        the_engine_matches_the_reference_model_and_keeps_its_invariants(schedule);
    }

    @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void
            nothing_is_left_when_all_sessions_are_gone_and_the_idle_time_has_passed_in_very_many_schedules(
                    @ForAll Schedule schedule) {
        nothing_is_left_when_all_sessions_are_gone_and_the_idle_time_has_passed(schedule);
    }

    @Property(tries = 30, edgeCases = EdgeCasesMode.NONE)
    void nothing_is_left_when_all_sessions_are_gone_and_the_idle_time_has_passed(
            @ForAll Schedule schedule) {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
        run.step(new ScheduleStep.MemoryAvailable(true));
        for (int name = 0; name < Schedule.LOCKS.size(); name++) {
            run.apply(run.crowd.resume(0, name));
        }
        for (int who = 0; who < Schedule.PEOPLE; who++) {
            run.step(new ScheduleStep.Close(who, 0));
        }
        // A hold that neither ends with its session nor has a lease stays until it is released.
        run.crowd.releasesOfAllTokens(0).forEach(run::apply);
        run.step(new ScheduleStep.Close(0, 0));
        run.emptyData();
        run.step(new ScheduleStep.AdvanceClock(1_000)); // even if the clock was set back before
        run.step(new ScheduleStep.AdvanceClock(Schedule.LONGEST));
        run.step(new ScheduleStep.Tick());
        assertThat(run.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        run.step(new ScheduleStep.AdvanceClock(schedule.settings().idleNanos() + 1));
        run.step(new ScheduleStep.Collect(Integer.MAX_VALUE));

        LockEngine fresh = new LockEngine(schedule.settingsInNanos());
        fresh.apply(new Command.Tick(), run.now, new TestQuotas(), new ArrayList<>());
        assertThat(EngineSnapshot.of(run.engine)).isEqualTo(EngineSnapshot.of(fresh));
        assertThat(EngineObjectCount.of(run.engine)).isEqualTo(EngineObjectCount.of(fresh));
        assertThat(run.quotas.keys).isZero();
        assertThat(run.quotas.transientKeys).isZero();
        assertThat(run.quotas.entries).isZero();
        assertThat(run.quotas.pieces).isZero();
        assertThat(run.quotas.contentBytes).isZero();
    }

    @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void the_same_commands_give_equal_effects_and_byte_identical_snapshots_in_very_many_schedules(
            @ForAll Schedule schedule) {
        the_same_commands_give_equal_effects_and_byte_identical_snapshots(schedule);
    }

    @Property(tries = 25, edgeCases = EdgeCasesMode.NONE)
    void the_same_commands_give_equal_effects_and_byte_identical_snapshots(
            @ForAll Schedule schedule) {
        Run one = new Run(schedule);
        Run two = new Run(schedule);
        for (ScheduleStep scheduleStep : schedule.steps()) {
            assertThat(one.step(scheduleStep)).isEqualTo(two.step(scheduleStep));
            assertThat(EngineSnapshot.of(one.engine)).isEqualTo(EngineSnapshot.of(two.engine));
            assertThat(one.engine.nextDeadlineNanos()).isEqualTo(two.engine.nextDeadlineNanos());
        }
    }

    @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void reading_lists_changes_nothing_in_very_many_schedules(@ForAll Schedule schedule) {
        reading_lists_changes_nothing(schedule);
    }

    @Property(tries = 25, edgeCases = EdgeCasesMode.NONE)
    void reading_lists_changes_nothing(@ForAll Schedule schedule) {
        Run watched = new Run(schedule);
        LockEngine alone = new LockEngine(schedule.settingsInNanos());
        TestQuotas quotas = new TestQuotas();
        quotas.maxKeys = schedule.maxKeys();
        quotas.maxTransientKeys = schedule.maxTransientKeys();
        quotas.maxEntries = schedule.maxEntries();
        Deque<KeyScan<?>> open = new ArrayDeque<>();
        for (ScheduleStep scheduleStep : schedule.steps()) {
            open.add(watched.engine.views().listInUse());
            open.add(watched.engine.views().listIdle());
            open.add(watched.engine.views().listHolders(Namespace.DEFAULT, ResourceKind.LOCK));
            open.add(watched.engine.views().listHolders(Namespace.DEFAULT, ResourceKind.SHARED));
            open.add(watched.engine.views().listQueues(1));
            open.add(watched.engine.views().listCounters());
            open.add(watched.engine.views().listValues());
            open.add(watched.engine.views().listLists());
            for (int i = open.size(); i > 0; i--) {
                KeyScan<?> keyScan = open.remove();
                if (keyScan.next(1, watched.now, new ArrayList<>())) {
                    open.add(keyScan);
                }
            }
            List<Effect> seen = watched.step(scheduleStep);
            quotas.memoryLeft = watched.quotas.memoryLeft;
            List<Effect> effects = new ArrayList<>();
            for (Command command : watched.last) {
                alone.apply(command, watched.now, quotas, effects);
            }
            assertThat(effects).isEqualTo(seen);
            assertThat(EngineSnapshot.of(alone)).isEqualTo(EngineSnapshot.of(watched.engine));
        }
    }

    @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void closing_in_slices_equals_closing_at_once_in_very_many_schedules(
            @ForAll Schedule schedule) {
        closing_in_slices_equals_closing_at_once(schedule);
    }

    @Property(tries = 25, edgeCases = EdgeCasesMode.NONE)
    void closing_in_slices_equals_closing_at_once(@ForAll Schedule schedule) {
        Run whole = new Run(schedule);
        LockEngine sliced = new LockEngine(schedule.settingsInNanos());
        TestQuotas quotas = new TestQuotas();
        quotas.maxKeys = schedule.maxKeys();
        quotas.maxTransientKeys = schedule.maxTransientKeys();
        quotas.maxEntries = schedule.maxEntries();
        for (int i = 0; i < schedule.steps().size(); i++) {
            List<Effect> effects = whole.step(schedule.steps().get(i));
            quotas.memoryLeft = whole.quotas.memoryLeft;
            List<Effect> inSlices = new ArrayList<>();
            for (Command command : whole.last) {
                if (command
                        instanceof
                        Command.CloseSession(long session, long answered, int _, long heirs)) {
                    Command slice = new Command.CloseSession(session, answered, 1 + (i % 2), heirs);
                    do {
                        sliced.apply(slice, whole.now, quotas, inSlices);
                    } while (sliced.hasSession(session));
                } else {
                    sliced.apply(command, whole.now, quotas, inSlices);
                }
            }
            assertThat(withOneOrphaned(inSlices)).isEqualTo(withOneOrphaned(effects));
            assertThat(EngineSnapshot.of(sliced)).isEqualTo(EngineSnapshot.of(whole.engine));
            assertThat(quotas.pieces).isEqualTo(whole.quotas.pieces);
            assertThat(quotas.transientKeys).isEqualTo(whole.quotas.transientKeys);
        }
        assertThat(EngineObjectCount.of(sliced)).isEqualTo(EngineObjectCount.of(whole.engine));
    }

    /** The effects of one step, with all orphaned effects merged into one at the end. */
    private static List<Effect> withOneOrphaned(List<Effect> effects) {
        List<Effect> merged = new ArrayList<>();
        Effect.Orphaned sum = new Effect.Orphaned(0, 0, 0);
        for (Effect effect : effects) {
            if (effect instanceof Effect.Orphaned(long session, int lockCount, int shared)) {
                sum = new Effect.Orphaned(session, sum.locks() + lockCount, sum.shared() + shared);
            } else {
                merged.add(effect);
            }
        }
        merged.add(sum);
        return merged;
    }

    /** Applies the same commands to an engine and to its reference model. */
    private static final class Run {
        final LockEngine engine;
        final TestQuotas quotas = new TestQuotas();
        final ScheduleSessions crowd;
        private final Schedule schedule;
        private final ReferenceModel model;
        private final EngineInvariantChecker engineInvariantChecker;
        long now;

        /** The time of the engine, which never goes back. */
        private long latest = Long.MIN_VALUE;

        /** The commands of the last step. */
        final List<Command> last = new ArrayList<>();

        Run(Schedule schedule) {
            this.schedule = schedule;
            EngineSettings engineSettings = schedule.settingsInNanos();
            engine = new LockEngine(engineSettings);
            quotas.maxKeys = schedule.maxKeys();
            quotas.maxTransientKeys = schedule.maxTransientKeys();
            quotas.maxEntries = schedule.maxEntries();
            crowd = new ScheduleSessions(schedule);
            model =
                    new ReferenceModel(
                            engineSettings,
                            schedule.maxKeys(),
                            schedule.maxTransientKeys(),
                            schedule.maxEntries());
            engineInvariantChecker = new EngineInvariantChecker(engineSettings);
            now = schedule.start();
        }

        List<Effect> step(ScheduleStep scheduleStep) {
            last.clear();
            switch (scheduleStep) {
                case ScheduleStep.AdvanceClock(long units) -> now += schedule.nanos(units);
                case ScheduleStep.MemoryAvailable(boolean left) -> {
                    quotas.memoryLeft = left;
                    model.memoryLeft = left;
                }
                case ScheduleStep.TickWhenDue() -> {
                    long next = engine.nextDeadlineNanos();
                    // Not to the end of the clock range.
                    long far = now + schedule.nanos(Schedule.LONGEST);
                    now = next == Long.MAX_VALUE ? now : Math.max(now, Math.min(next, far));
                }
                case ScheduleStep.ForceRelease(int who, int target, int which) -> {
                    return forceRelease(who, Schedule.FORCE_RELEASABLE.get(target), which);
                }
                case ScheduleStep.CollectAll(int slice) -> {
                    return collectAll(slice);
                }
                default -> {}
            }
            return crowd.command(scheduleStep).map(this::apply).orElse(List.of());
        }

        List<Effect> apply(Command command) {
            last.add(command);
            latest = Math.max(latest, now);
            List<Effect> effects = new ArrayList<>();
            engine.apply(command, now, quotas, effects);
            assertThat(effects).as("%s", command).isEqualTo(model.apply(command, now));
            engineInvariantChecker.see(command, now, effects);
            effects.forEach(crowd::record);
            check(command);
            return effects;
        }

        private List<Effect> forceRelease(int who, Target target, int which) {
            KeyView view = engine.views().view(target.kind(), target.key(), 0, which, now);
            if (which == 0) {
                return apply(crowd.forceRelease(who, target, 0));
            }
            if (view == null || view.holders().size() < which) {
                return apply(crowd.forceRelease(who, target, Long.MAX_VALUE));
            }
            KeyView.Holder holder = view.holders().getLast();
            engineInvariantChecker.expectForceReleaseOf(holder.session());
            return apply(crowd.forceRelease(who, target, holder.fence()));
        }

        /** Deletes the data that would never be collected, and only that. */
        void emptyData() {
            DataViews views = DataViews.of(engine, now);
            for (CounterView counter : views.counters()) {
                if (counter.value() != 0) {
                    apply(crowd.data(0, counter.key(), new DataOperation.SetCounter(0)));
                }
            }
            for (ValueView value : views.values()) {
                if (value.ttlLeftNanos() > schedule.nanos(Schedule.LONGEST)) {
                    apply(crowd.data(0, value.key(), new DataOperation.DeleteValue()));
                }
            }
            for (ListView list : views.lists()) {
                DataOperation.End end =
                        list.length() % 2 == 0 ? DataOperation.End.FRONT : DataOperation.End.BACK;
                for (int i = 0; i < list.length(); i++) {
                    apply(crowd.data(0, list.key(), new DataOperation.Pop(end)));
                }
            }
        }

        private List<Effect> collectAll(int slice) {
            List<Effect> effects = new ArrayList<>();
            int rounds = 0;
            do {
                effects.addAll(apply(new Command.Collect(slice)));
                assertThat(++rounds).as("rounds of collecting").isLessThan(50);
            } while (engine.hasCollectable(now));
            assertThat(model.collectable()).as("keys left to collect").isZero();
            assertThat(model.data.collectable()).as("data left to collect").isZero();
            return effects;
        }

        private void check(Command command) {
            Views views = Views.of(engine, now);
            views.check(Schedule.LOCKS::contains);
            for (ResourceView view : views.inUse()) {
                assertThat(view.holders() > 0 || model.isSuspended(view.key()))
                        .as("%s waits for nothing", view)
                        .isTrue();
            }
            DataViews data = DataViews.of(engine, now);
            data.check(quotas, views.pieces());
            if (command instanceof Command.Collect(int most)) {
                assertThat(model.forget(views)).as("%s", command).isLessThanOrEqualTo(most);
                assertThat(model.data.forget(data)).as("%s", command).isLessThanOrEqualTo(most);
            }
            assertThat(new HashSet<>(views.all())).as("%s", command).isEqualTo(model.views());
            assertThat(new HashSet<>(data.all())).as("%s", command).isEqualTo(model.data.views());
            assertThat(quotas.keys).isEqualTo(model.keys());
            assertThat(quotas.transientKeys).isEqualTo(model.transientKeys());
            checkHolders(views);
            checkNext();
            for (long session : crowd.openSessions()) {
                assertThat(engine.views().hasHolds(session)).isEqualTo(model.hasHolds(session));
                checkTrackedRequests(session);
                checkUsage(session);
            }
            checkKeyViews();
            checkQueues();
            if (command instanceof Command.CloseSession(long session, long _, int _, long _)) {
                assertThat(engine.views().hasHolds(session)).isFalse();
                assertThat(engine.views().trackedRequests(session, 0, Integer.MAX_VALUE, now))
                        .isEmpty();
                if (schedule.settings().autoRelease() && !crowd.hasUnbound(session)) {
                    assertThat(views.all()).noneMatch(view -> view.owner() == session);
                }
            }
        }

        private void checkTrackedRequests(long session) {
            List<TrackedRequestView> all = model.trackedRequests(session, 0, Integer.MAX_VALUE);
            assertThat(engine.views().trackedRequests(session, 0, Integer.MAX_VALUE, now))
                    .isEqualTo(all);
            long after = all.isEmpty() ? 0 : all.get(all.size() / 2).request();
            for (int most = 0; most < 3; most++) {
                assertThat(engine.views().trackedRequests(session, after, most, now))
                        .isEqualTo(model.trackedRequests(session, after, most));
            }
        }

        private void checkUsage(long session) {
            assertThat(engine.views().usage(session)).isEqualTo(model.usage(session));
            for (int most : List.of(0, 1, Integer.MAX_VALUE)) {
                assertThat(engine.views().holdsAndWaiters(session, most, now))
                        .isEqualTo(model.holdsAndWaiters(session, most));
            }
        }

        private void checkQueues() {
            for (int most : List.of(1, Integer.MAX_VALUE)) {
                List<QueueView> queues = new ArrayList<>();
                engine.views().listQueues(most).next(Integer.MAX_VALUE, now, queues);
                assertThat(new HashSet<>(queues))
                        .hasSameSizeAs(queues)
                        .isEqualTo(model.queues(most));
            }
            for (ResourceKind resourceKind : ResourceKind.values()) {
                checkWaited(resourceKind);
            }
        }

        private void checkWaited(ResourceKind resourceKind) {
            long[] all =
                    model.queues(Integer.MAX_VALUE).stream()
                            .filter(queue -> queue.kind() == resourceKind)
                            .flatMap(queue -> queue.waiters().stream())
                            .mapToLong(QueueView.Waiter::sinceNanos)
                            .sorted()
                            .toArray();
            long[] waited = engine.views().waited(resourceKind, Integer.MAX_VALUE, now);
            assertThat(LongStream.of(waited).sorted()).containsExactly(box(all));
            assertThat(LongStream.of(engine.views().waited(resourceKind, 1, now)).max())
                    .isEqualTo(LongStream.of(all).max());
        }

        private static Long[] box(long[] numbers) {
            return LongStream.of(numbers).boxed().toArray(Long[]::new);
        }

        private void checkKeyViews() {
            for (ResourceKind resourceKind : ResourceKind.values()) {
                for (Key key : Schedule.NAMES) {
                    for (int most : List.of(0, 1, Integer.MAX_VALUE)) {
                        for (int ahead : List.of(0, 1, Integer.MAX_VALUE)) {
                            KeyView view = engine.views().view(resourceKind, key, ahead, most, now);
                            assertThat(Optional.ofNullable(view))
                                    .isEqualTo(model.view(resourceKind, key, ahead, most));
                        }
                    }
                }
            }
        }

        private void checkHolders(Views views) {
            views.checkHolders(engine, now);
            for (ResourceKind resourceKind : ResourceKind.values()) {
                List<HolderView> held = new ArrayList<>(Views.holders(engine, resourceKind, now));
                held.sort(Comparator.comparingLong(HolderView::since));
                assertThat(held).as("%s", resourceKind).isEqualTo(model.holders(resourceKind));
            }
        }

        /** The next deadline of the engine may be too early, but never too late. */
        private void checkNext() {
            long next = engine.nextDeadlineNanos();
            assertThat(next).isGreaterThan(latest).isLessThanOrEqualTo(model.nextDeadline());
            assertThat(next == Long.MAX_VALUE).isEqualTo(model.nextDeadline() == Long.MAX_VALUE);
            if (model.collectable() + model.data.collectable() > 0) {
                assertThat(engine.hasCollectable(now)).isTrue();
            }
        }
    }
}
