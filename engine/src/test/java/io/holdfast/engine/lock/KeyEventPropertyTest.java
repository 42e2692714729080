package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.KeyView;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

@Label("Events of random schedules")
@Domain(Schedule.Domain.class)
class KeyEventPropertyTest {
    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void key_events_reproduce_holders_and_waiters_and_change_nothing(@ForAll Schedule schedule) {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
    }

    /** Applies the same commands to an engine that records events and to one that does not. */
    private static final class Run {
        private final Schedule schedule;
        private final LockEngine engine;
        private final LockEngine silent;
        private final TestQuotas quotas;
        private final TestQuotas silentLedger;
        private final ScheduleSessions scheduleSessions;
        private final Replay replay = new Replay();
        private final List<KeyEvent> events = new ArrayList<>();

        /** When leases and offers were to end, by their fences. */
        private final Map<Long, Long> ends = new HashMap<>();

        private long now;
        private long latest = Long.MIN_VALUE;

        Run(Schedule schedule) {
            this.schedule = schedule;
            engine = new LockEngine(schedule.settingsInNanos());
            engine.recordEvents(events);
            silent = new LockEngine(schedule.settingsInNanos());
            quotas = quotas(schedule);
            silentLedger = quotas(schedule);
            scheduleSessions = new ScheduleSessions(schedule);
            now = schedule.start();
        }

        private static TestQuotas quotas(Schedule schedule) {
            TestQuotas quotas = new TestQuotas();
            quotas.maxKeys = schedule.maxKeys();
            quotas.maxTransientKeys = schedule.maxTransientKeys();
            quotas.maxEntries = schedule.maxEntries();
            return quotas;
        }

        void step(ScheduleStep scheduleStep) {
            switch (scheduleStep) {
                case ScheduleStep.AdvanceClock(long units) -> now += schedule.nanos(units);
                case ScheduleStep.MemoryAvailable(boolean left) -> {
                    quotas.memoryLeft = left;
                    silentLedger.memoryLeft = left;
                }
                case ScheduleStep.CollectAll(int slice) -> apply(new Command.Collect(slice));
                case ScheduleStep.ForceRelease(int who, int what, int which) -> {
                    Target target = Schedule.FORCE_RELEASABLE.get(what);
                    KeyView view = engine.views().view(target.kind(), target.key(), 0, which, now);
                    long fence =
                            which == 0 || view == null || view.holders().isEmpty()
                                    ? 0
                                    : view.holders().getLast().fence();
                    apply(scheduleSessions.forceRelease(who, target, fence));
                }
                default ->
                        scheduleSessions
                                .command(scheduleStep)
                                .map(Run::withoutSuccessors)
                                .ifPresent(this::apply);
            }
        }

        /** Events do not show successors, so holds must not pass to them. */
        private static Command withoutSuccessors(Command command) {
            return command instanceof Command.CloseSession c
                    ? new Command.CloseSession(c.session(), c.lastAnswered())
                    : command;
        }

        private void apply(Command command) {
            latest = Math.max(latest, now);
            List<Effect> effects = new ArrayList<>();
            engine.apply(command, now, quotas, effects);
            effects.forEach(scheduleSessions::record);
            for (KeyEvent keyEvent : events) {
                assertThat(keyEvent.atNanos()).isEqualTo(latest);
                if (keyEvent.type() == KeyEvent.Type.EXPIRED) {
                    assertThat(keyEvent.lateNanos())
                            .as("%s", keyEvent)
                            .isEqualTo(latest - ends.get(keyEvent.fence()));
                }
                replay.see(keyEvent);
            }
            events.clear();
            check(command);
            List<Effect> unseen = new ArrayList<>();
            silent.apply(command, now, silentLedger, unseen);
            assertThat(unseen).isEqualTo(effects);
            assertThat(EngineSnapshot.of(silent)).isEqualTo(EngineSnapshot.of(engine));
        }

        private void check(Command command) {
            ends.clear();
            for (ResourceKind resourceKind : ResourceKind.values()) {
                for (Key key : Schedule.NAMES) {
                    KeyView view =
                            engine.views().view(resourceKind, key, 0, Integer.MAX_VALUE, now);
                    long limit = view == null ? 0 : view.limit();
                    assertThat(replay.view(resourceKind, key, limit, latest))
                            .as("after %s", command)
                            .isEqualTo(Optional.ofNullable(view).map(this::withoutEnds));
                }
            }
        }

        private KeyView withoutEnds(KeyView view) {
            for (KeyView.Holder it : view.holders()) {
                ends.put(it.fence(), latest + it.leaseLeftNanos());
            }
            return new KeyView(
                    view.kind(),
                    view.limit(),
                    view.held(),
                    view.waiters(),
                    view.holders().stream()
                            .map(
                                    it ->
                                            new KeyView.Holder(
                                                    it.session(),
                                                    it.fence(),
                                                    it.mode(),
                                                    it.heldNanos(),
                                                    0,
                                                    it.offered()))
                            .toList(),
                    view.queue().stream()
                            .map(
                                    it ->
                                            new KeyView.Waiter(
                                                    it.session(),
                                                    0,
                                                    it.mode(),
                                                    it.waitedNanos(),
                                                    0))
                            .sorted(Replay.ANY_ORDER)
                            .toList());
        }
    }
}
