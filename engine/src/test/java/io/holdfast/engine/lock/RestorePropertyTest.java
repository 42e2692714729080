package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ResourceKind;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Random schedules, cut at some step: from there on, an engine that was restored from a snapshot
 * does the same.
 */
@Label("An engine that was written and read")
@Domain(Schedule.Domain.class)
@Domain(DomainContext.Global.class)
class RestorePropertyTest {
    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void a_restored_engine_behaves_like_the_one_that_was_written(
            @ForAll Schedule schedule, @ForAll @IntRange(min = 0, max = 99) int percent)
            throws IOException {
        Run run = new Run(schedule);
        int cut = schedule.steps().size() * percent / 100;
        for (int i = 0; i < schedule.steps().size(); i++) {
            if (i == cut) {
                run.restore();
            }
            run.step(schedule.steps().get(i));
        }
        run.restore();
    }

    @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
    void restoring_corrupt_bytes_fails_with_a_clear_error(
            @ForAll Schedule schedule, @ForAll long seed) throws IOException {
        Run run = new Run(schedule);
        schedule.steps().forEach(run::step);
        byte[] bytes = written(run.engine);
        var random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            byte[] wrong = bytes.clone();
            wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
            readOrFail(wrong, schedule);
            readOrFail(Arrays.copyOf(bytes, random.nextInt(bytes.length)), schedule);
        }
    }

    /** Fails the test by any other exception. */
    private static void readOrFail(byte[] bytes, Schedule schedule) {
        try {
            assertThat(read(bytes, schedule)).isNotNull();
        } catch (IOException e) {
            assertThat(e).isNotNull();
        }
    }

    private static byte[] written(LockEngine engine) throws IOException {
        var bytes = new ByteArrayOutputStream();
        engine.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static LockEngine read(byte[] bytes, Schedule schedule) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        return LockEngine.read(in, schedule.settingsInNanos());
    }

    /** Applies the same commands to an engine and, from some step on, to its restored twin. */
    private static final class Run {
        private final Schedule schedule;
        private final ScheduleSessions scheduleSessions;
        private final TestQuotas quotas = new TestQuotas();
        private final TestQuotas twinLedger = new TestQuotas();
        private final LockEngine engine;
        private LockEngine twin;
        private long now;

        Run(Schedule schedule) {
            this.schedule = schedule;
            this.scheduleSessions = new ScheduleSessions(schedule);
            this.engine = new LockEngine(schedule.settingsInNanos());
            this.twin = new LockEngine(schedule.settingsInNanos());
            this.now = schedule.start();
            for (TestQuotas it : List.of(quotas, twinLedger)) {
                it.maxKeys = schedule.maxKeys();
                it.maxTransientKeys = schedule.maxTransientKeys();
                it.maxEntries = schedule.maxEntries();
            }
        }

        /** Restores the twin again, from what the engine writes. */
        void restore() throws IOException {
            byte[] bytes = written(engine);
            twin = read(bytes, schedule);
            assertThat(written(twin)).isEqualTo(bytes);
            assertThat(EngineSnapshot.of(twin)).isEqualTo(EngineSnapshot.of(engine));
            for (ResourceKind resourceKind : ResourceKind.values()) {
                assertThat(twin.views().countUse(resourceKind))
                        .isEqualTo(engine.views().countUse(resourceKind));
                assertThat(LongStream.of(twin.views().waited(resourceKind, 2, now)).boxed())
                        .containsExactlyInAnyOrderElementsOf(
                                LongStream.of(engine.views().waited(resourceKind, 2, now))
                                        .boxed()
                                        .toList());
            }
        }

        void step(ScheduleStep scheduleStep) {
            switch (scheduleStep) {
                case ScheduleStep.AdvanceClock(long units) -> now += schedule.nanos(units);
                case ScheduleStep.MemoryAvailable(boolean left) -> {
                    quotas.memoryLeft = left;
                    twinLedger.memoryLeft = left;
                }
                case ScheduleStep.CollectAll(int slice) -> apply(new Command.Collect(slice));
                case ScheduleStep.ForceRelease(int who, int what, int which) ->
                        apply(
                                scheduleSessions.forceRelease(
                                        who, Schedule.FORCE_RELEASABLE.get(what), which));
                default ->
                        scheduleSessions
                                .command(scheduleStep)
                                .map(this::sliced)
                                .ifPresent(this::apply);
            }
        }

        /** Splits a close, so that a partly closed session is written and read as well. */
        private Command sliced(Command command) {
            return command instanceof Command.CloseSession c
                    ? new Command.CloseSession(
                            c.session(),
                            c.lastAnswered(),
                            (int) (c.session() % 3) + 1,
                            c.successorsSinceNanos())
                    : command;
        }

        private void apply(Command command) {
            List<Effect> effects = new ArrayList<>();
            List<Effect> twinEffects = new ArrayList<>();
            List<KeyEvent> events = new ArrayList<>();
            List<KeyEvent> twinEvents = new ArrayList<>();
            engine.recordEvents(events);
            twin.recordEvents(twinEvents);
            engine.apply(command, now, quotas, effects);
            twin.apply(command, now, twinLedger, twinEffects);
            assertThat(twinEffects).as("%s", command).isEqualTo(effects);
            assertThat(twinEvents).as("%s", command).isEqualTo(events);
            assertThat(EngineSnapshot.of(twin))
                    .as("%s", command)
                    .isEqualTo(EngineSnapshot.of(engine));
            assertThat(twin.nextDeadlineNanos()).isEqualTo(engine.nextDeadlineNanos());
            assertThat(twin.hasCollectable(now)).isEqualTo(engine.hasCollectable(now));
            effects.forEach(scheduleSessions::record);
        }
    }
}
