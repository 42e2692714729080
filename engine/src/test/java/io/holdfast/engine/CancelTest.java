package io.holdfast.engine;

import static io.holdfast.engine.LockScenario.NOBODY;
import static io.holdfast.engine.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.LockScenario.Outcome.CANCELLED;
import static io.holdfast.engine.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.LockScenario.Outcome.NOT_ENQUEUED;
import static io.holdfast.engine.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Cancelling a request")
class CancelTest {
    private static final Target PRINTER = Target.mutex("printer");

    private final LockScenario locks = new LockScenario();

    @Test
    void withdraws_its_wait() {
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(bob);
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(locks.waitersFor(PRINTER)).isZero();
        locks.release(holder);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    void removes_the_deadline_of_its_wait() {
        locks.acquire("holder", PRINTER, ofSeconds(100));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        var carol = locks.acquire("carol", PRINTER);
        locks.cancel(bob);
        assertThat(locks.follow()).isEqualTo(ofSeconds(100));
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    @DisplayName("that was granted meanwhile passes the slot on at once (22.4)")
    void that_was_granted_meanwhile_passes_the_slot_on_at_once() {
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
    @DisplayName("that is granted by the very time it is cancelled passes the slot on (22.4)")
    void that_is_granted_by_the_very_time_it_is_cancelled_passes_the_slot_on() {
        locks.acquire("holder", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        locks.cancel(bob); // brings the time that ends the lease, so bob is granted first
        assertThat(bob.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    @DisplayName("that has timed out does nothing: the slot is the next one's (22.4)")
    void that_has_timed_out_does_nothing() {
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
    void that_got_a_free_slot_at_once_gives_it_back() {
        var alice = locks.acquire("alice", PRINTER);
        locks.cancel(alice);
        assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
    }

    @Test
    @DisplayName("that was an enqueue, granted at once, gives the slot and the record back (22.4)")
    void that_was_an_enqueue_granted_at_once_gives_the_slot_and_the_record_back() {
        var alice = locks.enqueue("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(alice);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
    }

    @Test
    void that_was_an_await_gives_back_what_it_fetched() {
        locks.enqueue("alice", PRINTER);
        var await = locks.await("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(await);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void ends_that_request_only() {
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
    void twice_does_nothing_more() {
        locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.cancel(bob);
        locks.cancel(bob);
        assertThat(locks.lastEffects()).isEmpty();
    }

    @Test
    void does_not_touch_an_enqueued_place_that_nobody_awaits() {
        var holder = locks.acquire("holder", PRINTER);
        locks.enqueue("alice", PRINTER);
        var other = locks.acquire("alice", PRINTER);
        locks.cancel(other);
        assertThat(locks.waitersFor(PRINTER)).isEqualTo(1);
        locks.release(holder);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
    }

    @Test
    void of_an_unknown_key_or_session_does_nothing() {
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
