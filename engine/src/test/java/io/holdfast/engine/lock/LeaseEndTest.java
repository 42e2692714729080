package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When a lease ends")
class LeaseEndTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target POOL = Target.semaphore("pool", 2);

    private final LockScenario locks = new LockScenario();

    @Test
    void when_a_lease_ends_the_first_waiter_becomes_the_holder_with_a_higher_fence() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(bob.fence()).isGreaterThan(alice.fence());
    }

    @Test
    void when_a_lease_ends_without_waiters_the_key_is_free() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(locks.isHolding("alice")).isFalse();
    }

    @Test
    void a_lease_does_not_end_a_nanosecond_early() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        locks.advance(ofSeconds(10).minusNanos(1));
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.advance(ofNanos(1));
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_expiry_of_an_untracked_hold_is_not_reported() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        assertThat(locks.lastEffects()).isEmpty();
    }

    @Test
    void the_token_of_an_expired_lease_neither_releases_nor_renews() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        assertThat(locks.release(alice).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.renew(alice, USUAL).outcome()).isEqualTo(NOT_HELD);
    }

    @Test
    void the_token_of_a_due_lease_does_not_release_even_without_a_tick() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        assertThat(locks.release(alice).outcome()).isEqualTo(NOT_HELD);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
    }

    @Test
    void the_token_of_a_due_lease_does_not_renew_even_without_a_tick() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advanceSilently(ofSeconds(10));
        assertThat(locks.renew(alice, USUAL).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void a_new_acquire_is_granted_after_a_due_lease_even_without_a_tick() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advanceSilently(ofSeconds(10));
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_waiter_is_granted_before_the_command_that_expires_the_lease() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        var carol = locks.acquireWithoutWait("carol", PRINTER);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(carol.outcome()).isEqualTo(TIMED_OUT);
    }

    @Test
    void a_command_about_another_key_expires_a_due_lease_too() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        locks.acquire("carol", Target.lock("scanner"));
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_next_deadline_of_the_engine_is_the_end_of_the_lease() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(7), USUAL);
        var carol = locks.acquire("carol", PRINTER, Command.FOREVER, Command.FOREVER);
        assertThat(locks.follow()).isEqualTo(ofSeconds(7));
        assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.follow()).isEqualTo(ofSeconds(3));
        assertThat(carol.outcome()).isEqualTo(GRANTED);
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void waiters_are_granted_one_after_the_other_as_leases_end() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(10));
        var carol = locks.acquire("carol", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        locks.advance(ofSeconds(10));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("carol");
        assertThat(carol.fence()).isGreaterThan(bob.fence());
        locks.advance(ofSeconds(10));
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void after_a_long_time_without_commands_the_next_lease_starts_in_full() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(100)); // no command for 100 s: bob's lease starts now
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.view(PRINTER).orElseThrow().leaseLeftNanos())
                .isEqualTo(ofSeconds(10).toNanos());
    }

    @Test
    void an_expired_lease_frees_only_its_slot_of_a_semaphore() {
        locks.acquire("alice", POOL, ofSeconds(10));
        var bob = locks.acquire("bob", POOL, ofSeconds(20));
        var carol = locks.acquire("carol", POOL);
        var dave = locks.acquire("dave", POOL);
        locks.advance(ofSeconds(10));
        assertThat(carol.outcome()).isEqualTo(GRANTED);
        assertThat(dave.outcome()).isEqualTo(BLOCKED);
        assertThat(locks.release(bob).outcome()).isEqualTo(LockScenario.Outcome.RELEASED);
        assertThat(dave.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void leases_expire_in_order_of_deadline_and_then_of_scheduling() {
        var keys = new Target[4];
        var waiters = new LockScenario.Request[4];
        long[] leases = {10, 5, 10, 5};
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Target.lock("key-" + i);
            locks.acquire("holder", keys[i], ofSeconds(leases[i]));
        }
        for (int i = 0; i < keys.length; i++) {
            waiters[i] = locks.acquire("waiter-" + i, keys[i]);
        }
        locks.advance(ofSeconds(10));
        assertThat(locks.lastEffects())
                .containsExactly(
                        waiters[1].grant(),
                        waiters[3].grant(),
                        waiters[0].grant(),
                        waiters[2].grant());
    }
}
