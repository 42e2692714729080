package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

@DisplayName("A lock")
class WriteLockTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");

    private final LockScenario locks = new LockScenario();

    @Test
    void a_free_lock_is_granted_at_once() {
        var alice = locks.acquire("alice", PRINTER, Duration.ofSeconds(10));
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        assertThat(alice.grant().session()).isEqualTo(locks.session("alice"));
        assertThat(alice.grant().key()).isEqualTo(PRINTER.key());
        assertThat(alice.grant().leaseNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        assertThat(locks.isHolding("alice")).isTrue();
    }

    @Test
    void a_lock_has_one_holder_at_a_time() {
        locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        assertThat(locks.holdersOf(PRINTER)).isEqualTo(1);
        assertThat(locks.waitersFor(PRINTER)).isEqualTo(1);
        assertThat(locks.isHolding("bob")).isFalse();
    }

    @Test
    void a_released_lock_goes_to_the_waiter() {
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var release = locks.release(alice);
        assertThat(release.outcome()).isEqualTo(RELEASED);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(locks.isHolding("alice")).isFalse();
    }

    @Test
    void the_result_of_a_release_comes_before_the_next_grant() {
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var release = locks.release(alice);
        assertThat(locks.lastEffects())
                .containsExactly(
                        new Effect.Released(release.session(), release.number()), bob.grant());
    }

    @Test
    void a_released_lock_without_waiters_is_free() {
        locks.release(locks.acquire("alice", PRINTER));
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_lock_is_not_reentrant() {
        var first = locks.acquire("alice", PRINTER);
        var second = locks.acquire("alice", PRINTER);
        assertThat(second.outcome()).isEqualTo(BLOCKED);
        locks.release(first);
        assertThat(second.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_lock_can_be_released_by_any_session_with_the_token() {
        var alice = locks.acquire("alice", PRINTER);
        var release = locks.release("bob", PRINTER, alice.token());
        assertThat(release.outcome()).isEqualTo(RELEASED);
        assertThat(release.effects().getLast().session()).isEqualTo(locks.session("bob"));
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        assertThat(locks.isHolding("alice")).isFalse();
    }

    @Test
    void an_acquire_without_a_wait_of_a_held_lock_times_out_at_once() {
        locks.acquire("alice", PRINTER);
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.waitersFor(PRINTER)).isZero();
    }

    @Test
    void an_acquire_without_a_wait_of_a_free_lock_is_granted() {
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void an_acquire_does_not_affect_other_keys() {
        locks.acquire("alice", PRINTER);
        assertThat(locks.acquire("bob", SCANNER).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_release_of_an_unknown_lock_is_refused_and_creates_nothing() {
        assertThat(locks.release("alice", PRINTER, new Token(1, 1)).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    @Test
    void a_lock_and_a_semaphore_of_one_key_do_not_collide() {
        Target pool = Target.semaphore("printer", 1);
        var lock = locks.acquire("alice", PRINTER);
        var slot = locks.acquire("bob", pool);
        assertThat(slot.outcome()).isEqualTo(GRANTED);
        assertThat(locks.release("bob", pool, lock.token()).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.release("bob", PRINTER, slot.token()).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.renew("bob", PRINTER, slot.token(), Duration.ofSeconds(1)).outcome())
                .isEqualTo(NOT_HELD);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        assertThat(locks.holderOf(pool)).isEqualTo("bob");
        assertThat(locks.quotas.keys).isEqualTo(2);
    }

    @Test
    void keys_that_differ_only_in_invalid_utf8_are_distinct() {
        var one = new Target(ResourceKind.LOCK, Key.of(Namespace.DEFAULT, new byte[] {'k', -1}), 1);
        var two = new Target(ResourceKind.LOCK, Key.of(Namespace.DEFAULT, new byte[] {'k', -2}), 1);
        locks.acquire("alice", one);
        assertThat(locks.acquire("bob", two).outcome()).isEqualTo(GRANTED);
        assertThat(locks.acquire("bob", one).outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void equal_keys_in_two_namespaces_are_distinct() {
        byte[] name = "printer".getBytes(StandardCharsets.UTF_8);
        var other = new Target(ResourceKind.LOCK, Key.of(new Namespace("tenant"), name), 1);
        locks.acquire("alice", PRINTER);
        assertThat(locks.acquire("bob", other).outcome()).isEqualTo(GRANTED);
    }
}
