package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Random schedules of all commands. What failed is printed with its seed, shrunk. */
@Label("Whatever people do")
@Domain(Schedule.Domain.class)
class SchedulePropertyTest {
    @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
    void the_engine_does_what_the_plain_model_does_and_never_what_must_not_happen(
            @ForAll Schedule schedule) {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void nothing_is_left_when_all_sessions_are_gone_and_the_idle_time_has_passed(
            @ForAll Schedule schedule) {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
        run.step(new Step.Room(true));
        for (int who = 0; who < Schedule.PEOPLE; who++) {
            run.step(new Step.Close(who, 0));
        }
        if (!schedule.settings().autoRelease()) {
            // What was told and has a lease without end stays until somebody gives it back.
            run.crowd.releasesOfAllTokens(0).forEach(run::apply);
            run.step(new Step.Close(0, 0));
        }
        run.step(new Step.Pass(100)); // even where the clock went back before
        run.step(new Step.Pass(Schedule.LONGEST + schedule.settings().idleNanos() + 1));
        run.step(new Step.Tick());
        assertThat(run.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        run.step(new Step.Pass(schedule.settings().idleNanos() + 1));
        run.step(new Step.Collect(Integer.MAX_VALUE));

        LockEngine fresh = new LockEngine(schedule.settings());
        fresh.apply(new Command.Tick(), run.now, new PlainLedger(), new ArrayList<>());
        assertThat(run.engine.snapshot()).isEqualTo(fresh.snapshot());
        assertThat(EngineWeight.of(run.engine)).isEqualTo(EngineWeight.of(fresh));
        assertThat(run.ledger.keys).isZero();
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void the_same_commands_give_equal_effects_and_byte_identical_snapshots(
            @ForAll Schedule schedule) {
        Run one = new Run(schedule);
        Run two = new Run(schedule);
        for (Step step : schedule.steps()) {
            assertThat(one.step(step)).isEqualTo(two.step(step));
            assertThat(one.engine.snapshot()).isEqualTo(two.engine.snapshot());
            assertThat(one.engine.nextDeadlineNanos()).isEqualTo(two.engine.nextDeadlineNanos());
        }
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void reading_lists_changes_nothing(@ForAll Schedule schedule) {
        Run watched = new Run(schedule);
        LockEngine alone = new LockEngine(schedule.settings());
        PlainLedger ledger = new PlainLedger();
        ledger.maxKeys = schedule.maxKeys();
        Deque<Listing> open = new ArrayDeque<>();
        for (Step step : schedule.steps()) {
            open.add(watched.engine.listInUse());
            open.add(watched.engine.listIdle());
            for (int i = open.size(); i > 0; i--) {
                Listing listing = open.remove();
                if (listing.next(1, watched.now, new ArrayList<>())) {
                    open.add(listing);
                }
            }
            List<Effect> seen = watched.step(step);
            ledger.room = watched.ledger.room;
            List<Effect> effects = new ArrayList<>();
            if (watched.last.isPresent()) {
                applyWhole(alone, watched.last.get(), watched.now, ledger, effects);
            }
            assertThat(effects).isEqualTo(seen);
            assertThat(alone.snapshot()).isEqualTo(watched.engine.snapshot());
        }
    }

    /**
     * Collects slice after slice, as a driver does: what a slice takes is the engine's business.
     */
    private static void applyWhole(
            LockEngine engine, Command command, long now, Ledger ledger, List<Effect> effects) {
        if (command instanceof Command.Collect(int most)) {
            do {
                engine.apply(new Command.Collect(Math.max(1, most)), now, ledger, effects);
            } while (engine.hasCollectable(now));
        } else {
            engine.apply(command, now, ledger, effects);
        }
    }

    /** An engine and its reference model at the same work. */
    private static final class Run {
        final LockEngine engine;
        final PlainLedger ledger = new PlainLedger();
        final Crowd crowd = new Crowd();
        private final ReferenceModel model;
        private final Witness witness;
        private final boolean autoRelease;
        long now = 1000;

        /** The command of the last step, if it was one. */
        Optional<Command> last = Optional.empty();

        Run(Schedule schedule) {
            engine = new LockEngine(schedule.settings());
            ledger.maxKeys = schedule.maxKeys();
            model = new ReferenceModel(schedule.settings(), schedule.maxKeys());
            witness = new Witness(schedule.settings());
            autoRelease = schedule.settings().autoRelease();
        }

        List<Effect> step(Step step) {
            if (step instanceof Step.Pass(long nanos)) {
                now += nanos;
            } else if (step instanceof Step.Room(boolean left)) {
                ledger.room = left;
                model.room = left;
            }
            last = crowd.command(step);
            return last.map(this::apply).orElse(List.of());
        }

        List<Effect> apply(Command command) {
            List<Effect> effects = new ArrayList<>();
            applyWhole(engine, command, now, ledger, effects);
            boolean collect = command instanceof Command.Collect;
            Command meant = collect ? new Command.Collect(Integer.MAX_VALUE) : command;
            assertThat(effects).as("%s", command).isEqualTo(model.apply(meant, now));
            witness.see(command, now, effects);
            effects.forEach(crowd::hear);
            check(command);
            return effects;
        }

        private void check(Command command) {
            Views views = Views.of(engine, now);
            views.check();
            assertThat(new HashSet<>(views.all())).as("%s", command).isEqualTo(model.views());
            assertThat(ledger.keys).isEqualTo(views.all().size());
            assertThat(engine.nextDeadlineNanos()).isLessThanOrEqualTo(model.nextDeadline());
            assertThat(engine.nextDeadlineNanos() == Long.MAX_VALUE)
                    .isEqualTo(model.nextDeadline() == Long.MAX_VALUE);
            assertThat(engine.hasCollectable(now) || !model.hasCollectable()).isTrue();
            for (long session : crowd.openSessions()) {
                assertThat(engine.hasHolds(session)).isEqualTo(model.hasHolds(session));
            }
            if (command instanceof Command.CloseSession(long session, long _)) {
                assertThat(engine.hasHolds(session)).isFalse();
                if (autoRelease) {
                    assertThat(views.all()).noneMatch(view -> view.owner() == session);
                }
            }
        }
    }
}
