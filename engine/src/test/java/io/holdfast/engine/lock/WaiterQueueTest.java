package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("The queue of a key")
class WaiterQueueTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");

    private final LockScenario locks = new LockScenario();

    @Test
    void the_queue_is_served_in_the_order_of_arrival() {
        var holder = locks.acquire("holder", PRINTER);
        List<Request> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(locks.acquire("waiter-" + i, PRINTER));
        }
        for (Request next : waiters) {
            assertThat(next.outcome()).isEqualTo(BLOCKED);
            locks.release(holder);
            assertThat(next.outcome()).isEqualTo(GRANTED);
            holder = next;
        }
    }

    @Test
    void the_queue_has_acquires_and_enqueues_in_one_order() {
        var holder = locks.acquire("holder", PRINTER);
        var alice = locks.acquire("alice", PRINTER);
        locks.enqueue("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.release(holder);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.release(alice);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(carol.outcome()).isEqualTo(BLOCKED);
        locks.release(locks.await("bob", PRINTER));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("carol");
    }

    @Test
    void waiters_are_never_overtaken_by_an_acquire_without_a_wait() {
        var holder = locks.acquire("holder", PRINTER);
        var alice = locks.acquire("alice", PRINTER);
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        locks.release(holder);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
    }

    @Test
    void the_queue_keeps_its_order_when_a_middle_waiter_times_out() {
        var holder = locks.acquire("holder", PRINTER);
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        var carol = locks.acquire("carol", PRINTER);
        locks.advance(ofSeconds(5));
        assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.waitersFor(PRINTER)).isEqualTo(2);
        locks.release(holder);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        locks.release(alice);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_queue_keeps_its_order_when_the_first_and_the_last_time_out() {
        var holder = locks.acquire("holder", PRINTER);
        var first = locks.acquire("first", PRINTER, ofSeconds(5), USUAL);
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var last = locks.acquire("last", PRINTER, ofSeconds(4), USUAL);
        locks.advance(ofSeconds(6));
        assertThat(first.outcome()).isEqualTo(TIMED_OUT);
        assertThat(last.outcome()).isEqualTo(TIMED_OUT);
        var carol = locks.acquire("carol", PRINTER);
        locks.release(holder);
        locks.release(alice);
        locks.release(bob);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_queue_keeps_its_order_when_a_middle_waiter_is_cancelled() {
        var holder = locks.acquire("holder", PRINTER);
        var alice = locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.cancel(bob);
        locks.release(holder);
        locks.release(alice);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_queue_keeps_its_order_when_the_session_of_a_middle_waiter_closes() {
        var holder = locks.acquire("holder", PRINTER);
        var alice = locks.acquire("alice", PRINTER);
        locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.close("bob");
        locks.release(holder);
        locks.release(alice);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_wait_times_out_at_its_deadline_and_not_before() {
        locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        locks.advance(ofSeconds(5).minusNanos(1));
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        locks.advance(ofSeconds(0).plusNanos(1));
        assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
    }

    @Test
    void the_lease_of_a_waiter_starts_at_the_grant() {
        var holder = locks.acquire("holder", PRINTER);
        var bob = locks.acquire("bob", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(60));
        locks.release(holder);
        locks.advance(ofSeconds(10).minusNanos(1));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(bob.grant().leaseNanos()).isEqualTo(ofSeconds(10).toNanos());
        locks.advance(ofSeconds(0).plusNanos(1));
        assertThat(locks.holdersOf(PRINTER)).isZero();
    }

    @Test
    void one_session_may_wait_in_several_queues() {
        var holder = locks.acquire("holder", PRINTER);
        var other = locks.acquire("other", SCANNER);
        var printer = locks.acquire("alice", PRINTER);
        var scanner = locks.acquire("alice", SCANNER);
        locks.release(other);
        assertThat(scanner.outcome()).isEqualTo(GRANTED);
        assertThat(printer.outcome()).isEqualTo(BLOCKED);
        locks.release(holder);
        assertThat(printer.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void one_session_may_wait_in_one_queue_twice() {
        var holder = locks.acquire("holder", PRINTER);
        assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
        var second = locks.acquire("alice", PRINTER);
        locks.release(holder);
        assertThat(second.outcome()).isEqualTo(BLOCKED);
        locks.release(locks.await("alice", PRINTER));
        assertThat(second.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_waiter_is_never_both_timed_out_and_granted() {
        locks.acquire("holder", PRINTER, ofSeconds(5)); // scheduled first, so it ends first
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        locks.advance(ofSeconds(5));
        assertThat(bob.effects()).hasSize(1);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
    }

    @Test
    void the_slot_goes_to_the_next_when_the_first_waiter_times_out_just_before() {
        var holder = locks.acquire("holder", PRINTER, ofSeconds(60));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
        var carol = locks.acquire("carol", PRINTER);
        locks.renew(holder, ofSeconds(5)); // the same instant as bob's deadline, but later in order
        locks.advance(ofSeconds(5));
        assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
        assertThat(locks.isHolding("bob")).isFalse();
    }
}
