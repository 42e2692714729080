package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.testsupport.Thorough;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.domains.Domain;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Random schedules of all commands. */
@Label("The hash of the state of an engine")
@Domain(Schedule.Domain.class)
class StateHashPropertyTest {
    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void is_always_that_of_all_records_and_does_not_depend_on_the_past(@ForAll Schedule schedule)
            throws IOException {
        Run run = new Run(schedule);
        for (ScheduleStep scheduleStep : schedule.steps()) {
            run.step(scheduleStep);
        }
        assertThat(run.askedOnce.hash()).isEqualTo(run.engine.hash());
    }

    @Property(tries = 40_000, edgeCases = EdgeCasesMode.NONE)
    @Tag(Thorough.TAG)
    void is_always_that_of_all_records_in_very_many_schedules(@ForAll Schedule schedule)
            throws IOException {
        is_always_that_of_all_records_and_does_not_depend_on_the_past(schedule);
    }

    /** The hash, from all records as they are. */
    static long recomputed(LockEngine engine) {
        long[] sum = {0};
        engine.state().eachRecord(each -> sum[0] += StateHash.hashOf(each));
        return engine.state().hash(sum[0]);
    }

    private static final class Run {
        private final Schedule schedule;
        private final ScheduleSessions scheduleSessions;
        private final LockEngine engine;
        private final LockEngine askedOnce;
        private final TestQuotas quotas = new TestQuotas();
        private final TestQuotas otherQuotas = new TestQuotas();
        private long now;

        Run(Schedule schedule) {
            this.schedule = schedule;
            this.scheduleSessions = new ScheduleSessions(schedule);
            this.engine = new LockEngine(schedule.settingsInNanos(), new StateHash(true));
            this.askedOnce = new LockEngine(schedule.settingsInNanos(), new StateHash(true));
            this.now = schedule.start();
            for (TestQuotas each : List.of(quotas, otherQuotas)) {
                each.maxKeys = schedule.maxKeys();
                each.maxTransientKeys = schedule.maxTransientKeys();
                each.maxEntries = schedule.maxEntries();
            }
        }

        void step(ScheduleStep scheduleStep) throws IOException {
            switch (scheduleStep) {
                case ScheduleStep.AdvanceClock(long units) -> now += schedule.nanos(units);
                case ScheduleStep.MemoryAvailable(boolean left) -> {
                    quotas.memoryLeft = left;
                    otherQuotas.memoryLeft = left;
                }
                case ScheduleStep.CollectAll(int slice) -> apply(new Command.Collect(slice));
                case ScheduleStep.ForceRelease(int who, int what, int which) ->
                        apply(
                                scheduleSessions.forceRelease(
                                        who, Schedule.FORCE_RELEASABLE.get(what), which));
                default -> {
                    Command command = scheduleSessions.command(scheduleStep).orElse(null);
                    if (command instanceof Command.CloseSession c) { // also half closed sessions
                        apply(
                                new Command.CloseSession(
                                        c.session(),
                                        c.lastAnswered(),
                                        (int) (c.session() % 3) + 1,
                                        c.successorsSinceNanos()));
                    } else if (command != null) {
                        apply(command);
                    }
                }
            }
        }

        private void apply(Command command) throws IOException {
            List<Effect> effects = new ArrayList<>();
            engine.apply(command, now, quotas, effects);
            effects.forEach(scheduleSessions::record);
            askedOnce.apply(command, now, otherQuotas, new ArrayList<>());
            assertThat(engine.hash()).as("%s", command).isEqualTo(recomputed(engine));
            var bytes = new ByteArrayOutputStream();
            engine.write(new DataOutputStream(bytes));
            LockEngine read =
                    LockEngine.read(
                            new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())),
                            schedule.settingsInNanos(),
                            new StateHash(true));
            assertThat(read.hash()).as("read after %s", command).isEqualTo(engine.hash());
        }
    }
}
