package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.CANCELLED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.OFFERED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;

@DisplayName("During a quarantine")
class RestartQuarantineTest {
    private static final Duration SPAN = ofSeconds(3);
    private static final Target DOOR = Target.lock("door");
    private static final Target SLOTS = Target.semaphore("slots", 2);

    private final LockScenario locks = new LockScenario();

    @BeforeEach
    void begin() {
        locks.quarantine(SPAN);
    }

    @Test
    void acquires_wait_until_a_quarantine_ends_and_are_granted_in_order() {
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        Request first = locks.acquire("carol", SLOTS);
        Request second = locks.acquire("dave", SLOTS);
        Request third = locks.acquire("erin", SLOTS);
        locks.advance(SPAN.minusNanos(1));
        assertThat(alice.outcome()).isEqualTo(BLOCKED);
        assertThat(first.outcome()).isEqualTo(BLOCKED);
        locks.advance(Duration.ofNanos(1));
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        assertThat(first.outcome()).isEqualTo(GRANTED);
        assertThat(second.outcome()).isEqualTo(GRANTED);
        assertThat(third.outcome()).isEqualTo(BLOCKED);
        assertThat(alice.fence()).isLessThan(first.fence());
        locks.release(alice);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void the_end_of_a_quarantine_is_a_deadline_of_the_engine() {
        Request alice = locks.acquire("alice", DOOR);
        assertThat(locks.follow()).isEqualTo(SPAN);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_second_quarantine_replaces_the_end_of_the_first() {
        locks.quarantine(SPAN.multipliedBy(2));
        Request alice = locks.acquire("alice", DOOR);
        locks.advance(SPAN);
        assertThat(alice.outcome()).isEqualTo(BLOCKED);
        locks.advance(SPAN);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_try_acquire_in_a_quarantine_fails_as_if_the_key_were_held() {
        assertThat(locks.acquireWithoutWait("alice", DOOR).outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.acquireWithoutWait("alice", SLOTS).outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(BUSY);
        assertThat(
                        locks.requestOffer(
                                        "alice",
                                        DOOR,
                                        ReadWriteMode.READ,
                                        Duration.ZERO,
                                        USUAL,
                                        USUAL)
                                .outcome())
                .isEqualTo(TIMED_OUT);
        assertThat(locks.waitersFor(DOOR)).isZero();
        locks.advance(SPAN);
        assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.acquireWithoutWait("alice", SLOTS).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void an_enqueue_in_a_quarantine_is_queued_and_awaited_as_usual() {
        assertThat(locks.enqueue("alice", DOOR).outcome()).isEqualTo(QUEUED);
        assertThat(locks.enqueue("bob", DOOR).outcome()).isEqualTo(QUEUED);
        assertThat(locks.enqueue("carol", SLOTS).outcome()).isEqualTo(QUEUED);
        assertThat(locks.await("alice", DOOR, Duration.ZERO).outcome()).isEqualTo(TIMED_OUT);
        Request bob = locks.await("bob", DOOR);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        locks.advance(SPAN);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(locks.await("carol", SLOTS).outcome()).isEqualTo(GRANTED);
    }

    @Test
    void readers_and_offer_requests_wait_in_a_quarantine_too() {
        Request alice =
                locks.acquire("alice", DOOR, new HoldAttributes(ReadWriteMode.READ, true, true));
        Request bob =
                locks.acquire("bob", DOOR, new HoldAttributes(ReadWriteMode.READ, true, true));
        Request carol = locks.read("carol", Target.lock("gate"));
        assertThat(alice.outcome()).isEqualTo(BLOCKED);
        assertThat(carol.outcome()).isEqualTo(QUEUED);
        locks.advance(SPAN);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
        assertThat(carol.outcome()).isEqualTo(OFFERED);
    }

    @Test
    void shared_locks_are_granted_in_a_quarantine() {
        Target shared = Target.shared("counted");
        assertThat(locks.tryAcquire("alice", shared).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.tryAcquire("bob", shared).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.holdersOf(shared)).isEqualTo(2);
    }

    @Test
    void a_wait_that_is_shorter_than_a_quarantine_times_out_and_a_longer_one_is_granted() {
        Request alice = locks.acquire("alice", DOOR, SPAN.minusNanos(1), USUAL);
        Request bob = locks.acquire("bob", DOOR, SPAN.plusNanos(1), USUAL);
        locks.advance(SPAN.plusSeconds(1)); // the tick comes late
        assertThat(alice.outcome()).isEqualTo(TIMED_OUT);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void removing_waiters_in_a_quarantine_grants_nothing() {
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        Request carol = locks.acquire("carol", DOOR);
        locks.cancel(alice);
        locks.close("bob");
        assertThat(alice.outcome()).isEqualTo(CANCELLED);
        assertThat(carol.outcome()).isEqualTo(BLOCKED);
        locks.advance(SPAN);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void a_resumed_key_grants_nothing_before_a_quarantine_ends() {
        locks.suspend(DOOR);
        Request alice = locks.acquire("alice", DOOR);
        locks.resume(DOOR);
        assertThat(alice.outcome()).isEqualTo(BLOCKED);
        locks.advance(SPAN);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_force_release_in_a_quarantine_finds_no_hold() {
        locks.acquire("alice", DOOR);
        assertThat(locks.forceRelease(DOOR, 0).outcome()).isEqualTo(NOT_HELD);
    }

    @Test
    void the_limit_of_waiters_counts_those_that_wait_for_the_end_of_a_quarantine() {
        LockScenario few =
                new LockScenario(new EngineSettings(1, LockScenario.IDLE.toNanos(), true));
        few.quarantine(SPAN);
        assertThat(few.acquire("alice", DOOR).outcome()).isEqualTo(BLOCKED);
        assertThat(few.acquire("bob", DOOR).outcome()).isEqualTo(TOO_MANY_WAITERS);
    }

    @Test
    void transient_keys_are_dropped_in_a_quarantine_as_usual() {
        locks.acquireWithoutWait("alice", DOOR);
        locks.tryAcquire("alice", Target.lock("gate"));
        locks.advance(LockScenario.IDLE.plusSeconds(1));
        locks.collect();
        assertThat(locks.quotas.keys).isZero();
        assertThat(locks.quotas.transientKeys).isZero();
    }
}
