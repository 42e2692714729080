package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.HeldCounts;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

@DisplayName("A session that closes in slices")
class CloseInSlicesTest {
    private static final Target PRINTER = Target.lock("printer");

    private final LockScenario locks = new LockScenario();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 10, 11, 100})
    void a_session_closed_in_slices_loses_all_holds_and_reports_each_orphan_once(int most) {
        for (int i = 0; i < 6; i++) {
            locks.tryAcquire("alice", Target.lock("lock-" + i));
        }
        for (int i = 0; i < 4; i++) {
            locks.tryAcquire("alice", Target.shared("shared-" + i));
            locks.tryAcquire("bob", Target.shared("shared-" + i));
        }
        locks.acquire("bob", PRINTER);
        locks.acquire("alice", PRINTER);
        locks.acquire("alice", Target.semaphore("pool", 1));
        long alice = locks.session("alice");
        locks.closeInSlices("alice", most);
        assertThat(locks.engine.hasSession(alice)).isFalse();
        assertThat(locks.orphaned()).allMatch(it -> it.session() == alice);
        assertThat(locks.orphaned()).allMatch(it -> it.locks() + it.shared() <= most);
        assertThat(locks.orphaned().stream().mapToInt(Effect.Orphaned::locks).sum()).isEqualTo(6);
        assertThat(locks.orphaned().stream().mapToInt(Effect.Orphaned::shared).sum()).isEqualTo(4);
        assertThat(locks.waitersFor(PRINTER)).isZero();
        assertThat(locks.quotas.pieces).as("what bob has").isEqualTo(5);
        assertThat(locks.quotas.transientKeys).isEqualTo(4);
    }

    @Test
    void a_session_closed_in_slices_exists_until_its_last_slice() {
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Key key = Key.of("key-" + i);
            engine.apply(
                    new Command.TryAcquire(1, i + 1, ResourceKind.LOCK, key, 0),
                    0,
                    quotas,
                    effects);
        }
        effects.clear();
        Command slice = new Command.CloseSession(1, 5, 2);
        engine.apply(slice, 0, quotas, effects);
        assertThat(engine.hasSession(1)).isTrue();
        assertThat(engine.views().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(3, 3));
        engine.apply(slice, 0, quotas, effects);
        assertThat(engine.hasSession(1)).isTrue();
        engine.apply(slice, 0, quotas, effects);
        assertThat(engine.hasSession(1)).isFalse();
        engine.apply(slice, 0, quotas, effects);
        assertThat(effects)
                .containsExactly(
                        new Effect.Orphaned(1, 2, 0),
                        new Effect.Orphaned(1, 2, 0),
                        new Effect.Orphaned(1, 1, 0));
    }

    @Test
    void a_session_closed_in_slices_keeps_no_grant_between_two_slices() {
        LockScenario keeping = LockScenario.withoutAutoRelease();
        var bob = keeping.acquire("bob", PRINTER);
        for (int i = 0; i < 3; i++) {
            keeping.acquire("bob", Target.lock("other-" + i));
            keeping.acquire("alice", Target.lock("other-" + i));
        }
        var waiting = keeping.acquire("alice", PRINTER);
        long alice = keeping.session("alice");
        Command slice = new Command.CloseSession(alice, waiting.number() - 1, 1);
        List<Effect> effects = new ArrayList<>();
        keeping.engine.apply(slice, keeping.now(), keeping.quotas, effects);
        keeping.release(bob); // alice is the first waiter; her session is not closed yet
        assertThat(waiting.outcome()).isEqualTo(GRANTED);
        while (keeping.engine.hasSession(alice)) {
            keeping.engine.apply(slice, keeping.now(), keeping.quotas, effects);
        }
        assertThat(keeping.holdersOf(PRINTER)).isZero();
        assertThat(keeping.tryAcquire("carol", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
    }

    @Test
    void holds_of_a_session_closed_in_slices_pass_on_at_once() {
        locks.tryAcquire("alice", PRINTER);
        for (int i = 0; i < 3; i++) {
            locks.tryAcquire("alice", Target.lock("lock-" + i));
        }
        var bob = locks.acquire("bob", PRINTER);
        locks.engine.apply(
                new Command.CloseSession(locks.session("alice"), 0, 1),
                locks.now(),
                locks.quotas,
                new ArrayList<>());
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(locks.tryAcquire("bob", Target.lock("lock-2")).outcome())
                .isEqualTo(LockScenario.Outcome.BUSY);
        assertThat(bob.effects())
                .as("the grant is delivered by no effect of this command")
                .isEmpty();
    }
}
