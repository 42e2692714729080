package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.RENEWED;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Renewing")
class RenewTest {
    private static final Target PRINTER = Target.lock("printer");

    private final LockScenario locks = new LockScenario();

    @Test
    void renewing_restarts_the_lease_from_now() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(9));
        assertThat(locks.renew(alice, ofSeconds(10)).outcome()).isEqualTo(RENEWED);
        locks.advance(ofSeconds(9));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.advance(ofSeconds(1));
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void renewing_returns_the_new_lease() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var renewal = locks.renew(alice, ofSeconds(3));
        assertThat(renewal.effects())
                .containsExactly(
                        new Effect.Renewed(
                                renewal.session(), renewal.number(), ofSeconds(3).toNanos()));
    }

    @Test
    void renewing_can_shorten_a_lease() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(100));
        var bob = locks.acquire("bob", PRINTER);
        locks.renew(alice, ofSeconds(2));
        locks.advance(ofSeconds(2));
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void renewing_keeps_the_waiters_waiting() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        for (int i = 0; i < 50; i++) {
            locks.advance(ofSeconds(9));
            locks.renew(alice, ofSeconds(10));
        }
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void renewing_keeps_the_token() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.renew(alice, ofSeconds(10));
        assertThat(locks.release(alice).outcome()).isEqualTo(LockScenario.Outcome.RELEASED);
    }

    @Test
    void renewing_with_the_token_is_open_to_any_session_but_moves_no_ownership() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var renewal = locks.renew("bob", PRINTER, alice.token(), ofSeconds(10));
        assertThat(renewal.outcome()).isEqualTo(RENEWED);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.close("bob");
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.close("alice");
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void renewing_an_unknown_key_is_refused_and_creates_none() {
        assertThat(locks.renew("alice", PRINTER, new Token(1, 1), ofSeconds(1)).outcome())
                .isEqualTo(NOT_HELD);
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    @Test
    void renewing_is_refused_after_a_release() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var token = alice.token();
        locks.release(alice);
        assertThat(locks.renew("alice", PRINTER, token, ofSeconds(10)).outcome())
                .isEqualTo(NOT_HELD);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void renewing_an_expired_lease_is_refused_and_the_next_waiter_has_the_slot() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        assertThat(locks.renew(alice, ofSeconds(10)).outcome()).isEqualTo(NOT_HELD);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void renewing_does_not_affect_the_other_slots_of_a_semaphore() {
        Target pool = Target.semaphore("pool", 2);
        var alice = locks.acquire("alice", pool, ofSeconds(10));
        locks.acquire("bob", pool, ofSeconds(10));
        locks.renew(alice, ofSeconds(20));
        locks.advance(ofSeconds(10));
        assertThat(locks.holdersOf(pool)).isEqualTo(1);
        assertThat(locks.holderOf(pool)).isEqualTo("alice");
    }
}
