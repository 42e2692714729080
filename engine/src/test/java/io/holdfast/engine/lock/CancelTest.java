package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.CANCELLED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_ENQUEUED;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Cancelling a request")
class CancelTest {
    private static final Target PRINTER = Target.lock("printer");

    private final LockScenario locks = new LockScenario();

    @Test
    void cancelling_a_request_removes_its_waiter() {
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(bob);
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(locks.waitersFor(PRINTER)).isZero();
        locks.release(holder);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void cancelling_a_request_removes_the_deadline_of_its_wait() {
        locks.acquire("holder", PRINTER, ofSeconds(100));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        var carol = locks.acquire("carol", PRINTER);
        locks.cancel(bob);
        assertThat(locks.follow()).isEqualTo(ofSeconds(100));
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void cancelling_a_granted_request_passes_the_slot_to_the_next_waiter() {
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.release(holder);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        locks.cancel(bob);
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
        assertThat(locks.isHolding("bob")).isFalse();
    }

    @Test
    void cancelling_a_request_that_is_granted_at_the_same_time_passes_the_slot_on() {
        locks.acquire("holder", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        locks.cancel(bob); // its time expires the lease, so bob is granted first
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void cancelling_a_request_that_has_timed_out_does_nothing() {
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        var carol = locks.acquire("carol", PRINTER);
        locks.advance(ofSeconds(5));
        locks.cancel(bob);
        assertThat(locks.lastEffects()).isEmpty();
        locks.release(holder);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void cancelling_a_request_that_got_a_free_slot_releases_it() {
        var alice = locks.acquire("alice", PRINTER);
        locks.cancel(alice);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void cancelling_a_granted_enqueue_releases_the_slot_and_the_record() {
        var alice = locks.enqueue("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(alice);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
    }

    @Test
    void cancelling_an_await_releases_the_hold_it_collected() {
        locks.enqueue("alice", PRINTER);
        var await = locks.await("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(await);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void cancelling_a_request_ends_no_other() {
        var pool = Target.semaphore("pool", 2);
        var first = locks.acquire("alice", pool);
        var second = locks.acquire("alice", pool);
        var third = locks.acquire("alice", pool);
        locks.cancel(third);
        assertThat(third.outcome()).isEqualTo(CANCELLED);
        assertThat(locks.holdersOf(pool)).isEqualTo(2);
        locks.cancel(first);
        assertThat(locks.holdersOf(pool)).isEqualTo(1);
        assertThat(locks.release(second).outcome()).isEqualTo(LockScenario.Outcome.RELEASED);
    }

    @Test
    void cancelling_a_request_twice_does_nothing_more() {
        locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(bob);
        locks.cancel(bob);
        assertThat(locks.lastEffects()).isEmpty();
    }

    @Test
    void cancelling_does_not_affect_an_enqueued_waiter_without_an_await() {
        var holder = locks.acquire("holder", PRINTER);
        locks.enqueue("alice", PRINTER);
        var other = locks.acquire("alice", PRINTER);
        locks.cancel(other);
        assertThat(locks.waitersFor(PRINTER)).isEqualTo(1);
        locks.release(holder);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
    }

    @Test
    void cancelling_with_an_unknown_key_or_session_does_nothing() {
        var stranger =
                new LockScenario.Request(
                        locks.session("stranger"), 99, PRINTER, new java.util.ArrayList<>());
        locks.cancel(stranger);
        assertThat(locks.lastEffects()).isEmpty();
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(stranger);
        assertThat(locks.lastEffects()).isEmpty();
        assertThat(holder.outcome()).isEqualTo(GRANTED);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
    }
}
