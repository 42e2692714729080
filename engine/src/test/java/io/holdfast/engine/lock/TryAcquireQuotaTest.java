package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.KEPT;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** Every test ends with all reservations returned. */
@DisplayName("The quotas of try-acquires")
class TryAcquireQuotaTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");
    private static final Target ROOM = Target.shared("room");

    private final LockScenario locks = new LockScenario();
    private final TestQuotas quotas = locks.quotas;

    @AfterEach
    void all_reserved_memory_is_released() {
        quotas.memoryLeft = true;
        for (String who : new String[] {"alice", "bob", "carol"}) {
            locks.close(who);
        }
        assertThat(quotas.transientKeys).isZero();
        assertThat(quotas.pieces).isZero();
        assertThat(quotas.transientKeyBytes).isZero();
        locks.advance(LockScenario.IDLE.plusNanos(1));
        locks.collect();
        assertThat(quotas.keys).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "SHARED"})
    void try_acquired_holds_leave_nothing_behind(ResourceKind resourceKind) {
        long empty = EngineObjectCount.of(locks.engine);
        for (int i = 0; i < 100; i++) {
            locks.tryAcquire("alice", new Target(resourceKind, Key.of("name-" + i), 1));
        }
        assertThat(quotas.transientKeys).isEqualTo(100);
        assertThat(quotas.keys).isZero();
        for (int i = 0; i < 100; i += 2) {
            locks.releaseBySession("alice", new Target(resourceKind, Key.of("name-" + i), 1));
        }
        assertThat(quotas.transientKeys).isEqualTo(50);
        assertThat(Views.of(locks.engine, locks.now()).idle()).isEmpty();
        locks.close("alice");
        assertThat(EngineObjectCount.of(locks.engine)).isEqualTo(empty);
    }

    @Test
    void a_transient_key_is_charged_by_its_length() {
        Key key = Key.of("x".repeat(65_535));
        List<Effect> effects = new ArrayList<>();
        Command tryAcquire = new Command.TryAcquire(1001, 1, ResourceKind.LOCK, key, 0);
        locks.engine.apply(tryAcquire, locks.now(), quotas, effects);
        assertThat(quotas.pieces).isEqualTo(1);
        assertThat(quotas.transientKeyBytes).isEqualTo(65_535);
        Command releaseBySession = new Command.ReleaseBySession(1001, 2, ResourceKind.LOCK, key);
        locks.engine.apply(releaseBySession, locks.now(), quotas, effects);
        assertThat(quotas.pieces).isZero();
        assertThat(quotas.transientKeyBytes).isZero();
        locks.engine.apply(tryAcquire, locks.now(), quotas, effects);
        Command acquire = new Command.Acquire(1002, 3, ResourceKind.LOCK, key, 1, 0, 1, 0);
        locks.engine.apply(acquire, locks.now(), quotas, effects);
        assertThat(quotas.transientKeyBytes).as("retained from now on").isZero();
        locks.engine.apply(new Command.CloseSession(1001, 0), locks.now(), quotas, effects);
    }

    @Test
    void the_number_of_transient_keys_is_limited() {
        quotas.maxTransientKeys = 2;
        locks.tryAcquire("alice", PRINTER);
        locks.tryAcquire("alice", ROOM);
        byte[] before = EngineSnapshot.of(locks.engine);
        assertThat(locks.tryAcquire("bob", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.engine.hasSession(locks.session("bob"))).isFalse();
        assertThat(locks.tryAcquire("alice", Target.shared("hall")).outcome())
                .isEqualTo(TOO_MANY_KEYS);
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(BUSY);
        assertThat(locks.tryAcquire("alice", PRINTER).outcome()).isEqualTo(KEPT);
        assertThat(locks.tryAcquire("bob", ROOM).outcome())
                .as("no new name")
                .isEqualTo(TRY_ACQUIRED);
        locks.releaseBySession("alice", PRINTER);
        assertThat(locks.tryAcquire("bob", SCANNER).outcome()).isEqualTo(TRY_ACQUIRED);
    }

    @Test
    void transient_and_retained_keys_have_separate_limits() {
        quotas.maxKeys = 1;
        quotas.maxTransientKeys = 1;
        assertThat(locks.tryAcquire("alice", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(GRANTED);
        assertThat(locks.tryAcquire("alice", ROOM).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.acquire("alice", Target.lock("third")).outcome()).isEqualTo(TOO_MANY_KEYS);
    }

    @Test
    void a_try_acquire_of_a_retained_key_is_not_charged_for_the_key() {
        quotas.maxTransientKeys = 1;
        locks.release(locks.acquire("alice", PRINTER));
        locks.tryAcquire("bob", SCANNER);
        assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(quotas.transientKeys).isEqualTo(1);
        assertThat(quotas.keys).isEqualTo(1);
        locks.releaseBySession("bob", PRINTER);
        assertThat(quotas.transientKeys).isEqualTo(1);
        assertThat(quotas.keys).isEqualTo(1);
    }

    @Test
    void a_transient_key_is_returned_when_it_becomes_retained() {
        quotas.maxTransientKeys = 1;
        locks.tryAcquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        assertThat(quotas.transientKeys).isZero();
        assertThat(quotas.keys).isEqualTo(1);
        assertThat(locks.tryAcquire("alice", SCANNER).outcome()).isEqualTo(TRY_ACQUIRED);
        locks.releaseBySession("alice", PRINTER);
        locks.release(bob);
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(quotas.transientKeys).isEqualTo(1);
        assertThat(quotas.keys).isEqualTo(1);
    }

    @Test
    void a_transient_key_is_returned_even_if_the_acquire_did_not_wait() {
        locks.tryAcquire("alice", PRINTER);
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        locks.tryAcquire("alice", SCANNER);
        locks.acquire("bob", SCANNER, ofSeconds(1), ofSeconds(1));
        locks.advance(ofSeconds(1));
        locks.tryAcquire("alice", Target.lock("third"));
        locks.enqueue("carol", Target.lock("third"));
        locks.close("carol");
        assertThat(quotas.transientKeys).isZero();
        assertThat(quotas.keys).isEqualTo(3);
        locks.close("alice");
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(locks.isIdle(SCANNER)).isTrue();
    }

    @Test
    void a_transient_key_stays_charged_when_it_cannot_become_retained() {
        quotas.maxKeys = 1;
        locks.acquire("alice", SCANNER);
        locks.tryAcquire("alice", PRINTER);
        byte[] before = EngineSnapshot.of(locks.engine);
        assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.enqueue("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        assertThat(quotas.transientKeys).isEqualTo(1);
        locks.releaseBySession("alice", PRINTER);
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    @Test
    void a_try_acquire_beyond_the_memory_budget_is_refused() {
        locks.release(locks.acquire("alice", PRINTER));
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("alice", SCANNER);
        quotas.memoryLeft = false;
        byte[] before = EngineSnapshot.of(locks.engine);
        assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.tryAcquire("bob", ROOM).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.tryAcquire("bob", Target.lock("new")).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.tryAcquire("bob", SCANNER).outcome()).isEqualTo(BUSY);
        assertThat(locks.acquire("bob", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.tryAcquire("alice", ROOM).outcome()).isEqualTo(KEPT);
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        assertThat(locks.releaseBySession("alice", ROOM).outcome()).isEqualTo(RELEASED);
        assertThat(locks.releaseBySession("alice", SCANNER).outcome()).isEqualTo(RELEASED);
    }

    @Test
    void a_shared_lock_is_charged_per_holder_and_once_for_its_key() {
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("bob", ROOM);
        locks.tryAcquire("carol", ROOM);
        assertThat(quotas.transientKeys).isEqualTo(1);
        assertThat(quotas.pieces).isEqualTo(3);
        locks.releaseBySession("alice", ROOM);
        assertThat(quotas.transientKeys).isEqualTo(1);
        assertThat(quotas.pieces).isEqualTo(2);
    }

    @Test
    void a_cancelled_try_acquire_returns_all_reservations() {
        var alice = locks.tryAcquire("alice", PRINTER);
        locks.cancel(alice);
        assertThat(locks.isRetained(PRINTER)).isFalse();
        assertThat(quotas.transientKeys).isZero();
    }

    @Test
    void a_try_acquired_hold_that_passes_to_a_waiter_keeps_the_key() {
        locks.tryAcquire("alice", PRINTER);
        assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(BLOCKED);
        locks.close("alice");
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(quotas.keys).isEqualTo(1);
    }
}
