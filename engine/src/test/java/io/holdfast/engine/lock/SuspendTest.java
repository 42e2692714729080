package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.CHANGED;
import static io.holdfast.engine.lock.LockScenario.Outcome.EXPIRED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.OFFERED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_HELD;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;

@DisplayName("While a lock is suspended")
class SuspendTest {
    private static final Target DOOR = Target.lock("door");
    private static final Duration NO_END = ofSeconds(Long.MAX_VALUE);

    private final LockScenario locks = new LockScenario();

    @Test
    void a_suspended_lock_is_neither_granted_nor_offered() {
        assertThat(locks.suspend(DOOR).outcome()).isEqualTo(CHANGED);
        assertThat(locks.read("alice", DOOR).outcome()).isEqualTo(QUEUED);
        assertThat(locks.tryAcquire("bob", DOOR).outcome()).isEqualTo(BUSY);
        assertThat(locks.acquireWithoutWait("bob", DOOR).outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.acquire("bob", DOOR).outcome()).isEqualTo(BLOCKED);
        assertThat(locks.holdersOf(DOOR)).isZero();
    }

    @Test
    void waits_for_a_suspended_lock_time_out_as_usual() {
        locks.suspend(DOOR);
        Request alice =
                locks.requestOffer("alice", DOOR, ReadWriteMode.READ, ofSeconds(1), USUAL, NO_END);
        Request bob = locks.acquire("bob", DOOR, ofSeconds(2), USUAL);
        locks.advance(ofSeconds(2));
        assertThat(alice.outcome()).isEqualTo(TIMED_OUT);
        assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
    }

    @Test
    void holds_and_offers_of_a_suspended_lock_stay_and_end_as_usual() {
        Request alice = locks.read("alice", DOOR);
        locks.suspend(DOOR);
        Request bob = locks.read("bob", DOOR);
        locks.confirm(alice);
        assertThat(locks.status(alice)).isEqualTo(OfferRequestStatus.HELD);
        assertThat(bob.outcome()).isEqualTo(QUEUED);
        locks.giveUp(alice);
        assertThat(bob.outcome()).isEqualTo(QUEUED);
    }

    @Test
    void waiters_of_a_suspended_lock_are_granted_in_order_when_it_is_resumed() {
        locks.suspend(DOOR);
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.read("bob", DOOR);
        assertThat(locks.resume(DOOR).outcome()).isEqualTo(CHANGED);
        assertThat(alice.outcome()).isEqualTo(GRANTED);
        locks.release(alice);
        assertThat(bob.outcome()).isEqualTo(OFFERED);
    }

    @Test
    void an_unused_suspended_key_is_retained_until_it_is_resumed() {
        locks.suspend(DOOR);
        locks.suspend(DOOR);
        assertThat(locks.quotas.transientKeys).isEqualTo(1);
        locks.giveUp(locks.read("alice", DOOR));
        locks.advance(LockScenario.IDLE.multipliedBy(3));
        locks.collect();
        assertThat(locks.isRetained(DOOR)).isTrue();
        locks.resume(DOOR);
        assertThat(locks.isRetained(DOOR)).isFalse();
        assertThat(locks.quotas.transientKeys).isZero();
        assertThat(locks.resume(DOOR).outcome()).isEqualTo(CHANGED);
    }

    @Test
    void a_suspended_key_is_not_collected() {
        locks.release(locks.acquire("alice", DOOR));
        locks.suspend(DOOR);
        locks.advance(LockScenario.IDLE.multipliedBy(3));
        locks.collect();
        assertThat(locks.isRetained(DOOR)).isTrue();
        locks.resume(DOOR);
        locks.advance(LockScenario.IDLE.plusSeconds(1));
        locks.collect();
        assertThat(locks.isRetained(DOOR)).isFalse();
        assertThat(locks.quotas.keys).isZero();
    }

    @Test
    void readers_are_reasserted_beside_readers_and_a_writer_alone() {
        locks.suspend(DOOR);
        assertThat(back("alice", ReadWriteMode.READ).outcome()).isEqualTo(WAS_HELD);
        assertThat(back("bob", ReadWriteMode.READ).outcome()).isEqualTo(WAS_HELD);
        assertThat(back("carol", ReadWriteMode.WRITE).outcome()).isEqualTo(BUSY);
        locks.close("alice");
        locks.close("bob");
        assertThat(back("carol", ReadWriteMode.WRITE).outcome()).isEqualTo(WAS_HELD);
        assertThat(back("dave", ReadWriteMode.READ).outcome()).isEqualTo(BUSY);
        assertThat(back("dave", ReadWriteMode.WRITE).outcome()).isEqualTo(BUSY);
        assertThat(locks.holders(DOOR)).containsExactly("carol");
    }

    @Test
    void no_hold_is_reasserted_beside_an_offer() {
        Request alice = locks.read("alice", DOOR);
        locks.suspend(DOOR);
        assertThat(back("bob", ReadWriteMode.READ).outcome()).isEqualTo(BUSY);
        locks.confirm(alice);
        assertThat(back("bob", ReadWriteMode.READ).outcome()).isEqualTo(WAS_HELD);
    }

    @Test
    void no_hold_is_reasserted_beside_an_acquired_one() {
        locks.acquire("alice", DOOR);
        locks.suspend(DOOR);
        assertThat(back("bob", ReadWriteMode.READ).outcome()).isEqualTo(BUSY);
    }

    @Test
    void a_reasserted_hold_is_like_a_confirmed_one() {
        locks.suspend(DOOR);
        Request alice = locks.reassert("alice", DOOR, ReadWriteMode.WRITE, ofSeconds(3));
        Request bob = locks.read("bob", DOOR);
        assertThat(((Effect.StatusReport) alice.effects().getLast()).fence()).isPositive();
        assertThat(locks.status(alice)).isEqualTo(OfferRequestStatus.HELD);
        locks.resume(DOOR);
        assertThat(bob.outcome()).isEqualTo(QUEUED);
        locks.advance(ofSeconds(3));
        assertThat(alice.outcome()).isEqualTo(EXPIRED);
        assertThat(bob.outcome()).isEqualTo(OFFERED);
    }

    @Test
    void reasserting_a_hold_is_charged_to_the_quotas() {
        locks.suspend(DOOR);
        locks.quotas.memoryLeft = false;
        assertThat(back("alice", ReadWriteMode.READ).outcome()).isEqualTo(TOO_MANY_KEYS);
        assertThat(locks.holdersOf(DOOR)).isZero();
    }

    @Test
    void a_hold_can_be_reasserted_only_while_the_lock_is_suspended() {
        assertThat(back("alice", ReadWriteMode.READ).outcome()).isEqualTo(BUSY);
        Request bob = locks.read("bob", DOOR);
        locks.confirm(bob);
        assertThat(back("alice", ReadWriteMode.READ).outcome()).isEqualTo(BUSY);
        assertThat(locks.holders(DOOR)).containsExactly("bob");
    }

    private Request back(String who, ReadWriteMode readWriteMode) {
        return locks.reassert(who, DOOR, readWriteMode, NO_END);
    }
}
