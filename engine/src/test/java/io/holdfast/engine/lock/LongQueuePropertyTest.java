package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.BeforeTry;

import java.util.ArrayList;
import java.util.List;

@Label("A queue of thousands")
class LongQueuePropertyTest {
    /** How a wait ends. */
    enum Fate {
        PATIENT,
        TIMES_OUT,
        IS_CANCELLED,
        DISCONNECTS,
        ENQUEUED,
        ENQUEUED_AND_DISCONNECTS
    }

    private static final long HOLDER = 1;
    private static final long FIRST = 2;

    private LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
    private TestQuotas quotas = new TestQuotas();

    @BeforeTry
    void start() {
        engine = new LockEngine(new EngineSettings(0, 0, true));
        quotas = new TestQuotas();
    }

    @Property(tries = 10, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void a_long_queue_is_served_in_order_when_waiters_leave_from_its_middle(
            @ForAll("fates") List<Fate> fates) {
        Key key = Key.of("key");
        apply(acquire(HOLDER, key, 0), 0);
        for (int i = 0; i < fates.size(); i++) {
            join(FIRST + i, key, fates.get(i));
        }
        leave(fates, key);
        apply(new Command.Tick(), 10);

        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < fates.size(); i++) {
            if (fates.get(i) == Fate.PATIENT || fates.get(i) == Fate.ENQUEUED) {
                expected.add(FIRST + i);
            }
        }
        assertThat(Views.of(engine, 10).inUse().getFirst().waiters()).isEqualTo(expected.size());
        List<Long> served = new ArrayList<>();
        long holder = HOLDER;
        while (served.size() < expected.size()) {
            apply(new Command.CloseSession(holder, 0), 20);
            holder = Views.of(engine, 20).inUse().getFirst().owner();
            served.add(holder);
        }
        assertThat(served).isEqualTo(expected);
        for (int i = 0; i < fates.size(); i++) {
            apply(new Command.CloseSession(FIRST + i, 0), 20);
        }
        apply(new Command.CloseSession(HOLDER, 0), 20);
        apply(new Command.Collect(1), 20);
        assertThat(engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(Views.of(engine, 20).all()).isEmpty();
        assertThat(EngineObjectCount.of(engine))
                .isEqualTo(EngineObjectCount.of(new LockEngine(new EngineSettings(0, 0, true))));
    }

    @Provide
    Arbitrary<List<Fate>> fates() {
        return Arbitraries.of(Fate.values()).list().ofMinSize(3000).ofMaxSize(6000);
    }

    private void join(long session, Key key, Fate fate) {
        switch (fate) {
            case PATIENT, IS_CANCELLED, DISCONNECTS ->
                    apply(acquire(session, key, Command.FOREVER), 0);
            case TIMES_OUT -> apply(acquire(session, key, 1 + session % 10), 0);
            case ENQUEUED, ENQUEUED_AND_DISCONNECTS ->
                    apply(
                            new Command.Enqueue(
                                    session,
                                    1,
                                    ResourceKind.LOCK,
                                    key,
                                    1,
                                    Command.FOREVER,
                                    session),
                            0);
        }
    }

    /** First the waiters with odd numbers leave, from the front, then the others from the back. */
    private void leave(List<Fate> fates, Key key) {
        for (int i = 1; i < fates.size(); i += 2) {
            leave(FIRST + i, fates.get(i), key);
        }
        for (int i = (fates.size() - 1) / 2 * 2; i >= 0; i -= 2) {
            leave(FIRST + i, fates.get(i), key);
        }
    }

    private void leave(long session, Fate fate, Key key) {
        switch (fate) {
            case IS_CANCELLED -> apply(new Command.Cancel(session, 1, ResourceKind.LOCK, key), 0);
            case DISCONNECTS, ENQUEUED_AND_DISCONNECTS ->
                    apply(new Command.CloseSession(session, 0), 0);
            case PATIENT, TIMES_OUT, ENQUEUED -> {}
        }
    }

    private static Command acquire(long session, Key key, long wait) {
        return new Command.Acquire(
                session, 1, ResourceKind.LOCK, key, 1, wait, Command.FOREVER, session);
    }

    private void apply(Command command, long now) {
        engine.apply(command, now, quotas, new ArrayList<>());
    }
}
