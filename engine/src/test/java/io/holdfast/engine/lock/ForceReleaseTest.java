package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.lock.LockScenario.Outcome;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A forced release")
class ForceReleaseTest {
    private static final Target DOOR = Target.lock("door");
    private static final Target POOL = Target.semaphore("pool", 2);
    private static final HoldAttributes TRACKED =
            new HoldAttributes(ReadWriteMode.WRITE, true, true);

    private final LockScenario locks = new LockScenario();

    @Test
    void a_force_release_grants_to_the_first_waiter_with_a_higher_fence() {
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        Request carol = locks.acquire("carol", DOOR);
        Effect.ForceReleased forceReleased = forceReleased(locks.forceRelease(DOOR, alice.fence()));
        assertThat(forceReleased.holds()).isEqualTo(1);
        assertThat(forceReleased.fence()).isGreaterThan(alice.fence()).isLessThan(bob.fence());
        assertThat(carol.outcome()).isEqualTo(Outcome.BLOCKED);
    }

    @Test
    void the_token_of_a_force_released_hold_is_invalid() {
        Request alice = locks.acquire("alice", DOOR);
        locks.forceRelease(DOOR, 0);
        assertThat(locks.renew(alice, ofSeconds(5)).outcome()).isEqualTo(Outcome.NOT_HELD);
        assertThat(locks.release(alice).outcome()).isEqualTo(Outcome.NOT_HELD);
    }

    @Test
    void a_force_release_notifies_the_holder_of_a_tracked_hold() {
        Request alice = locks.acquire("alice", DOOR, TRACKED);
        locks.forceRelease(DOOR, 0);
        assertThat(alice.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.trackedRequests("alice")).isEmpty();
    }

    @Test
    void a_force_release_revokes_offers_and_confirmed_holds() {
        Request offered = locks.write("alice", DOOR);
        locks.forceRelease(DOOR, 0);
        assertThat(offered.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.status(offered)).isEqualTo(OfferRequestStatus.GONE);
        Request held = locks.write("bob", DOOR);
        locks.confirm(held);
        locks.forceRelease(DOOR, 0);
        assertThat(held.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.status(held)).isEqualTo(OfferRequestStatus.GONE);
    }

    @Test
    void a_force_release_with_a_fence_ends_only_that_hold() {
        Request alice = locks.acquire("alice", POOL);
        Request bob = locks.acquire("bob", POOL);
        assertThat(forceReleased(locks.forceRelease(POOL, alice.fence())).holds()).isEqualTo(1);
        assertThat(locks.holders(POOL)).containsExactly("bob");
        assertThat(locks.release(bob).outcome()).isEqualTo(Outcome.RELEASED);
    }

    @Test
    void a_force_release_without_a_fence_ends_all_holds_and_grants_to_waiters() {
        locks.acquire("alice", POOL);
        locks.acquire("bob", POOL);
        locks.acquire("carol", POOL);
        Request dave = locks.acquire("dave", POOL);
        locks.acquire("erin", POOL);
        Effect.ForceReleased forceReleased = forceReleased(locks.forceRelease(POOL, 0));
        assertThat(forceReleased.holds()).isEqualTo(2);
        assertThat(locks.holders(POOL)).containsExactly("carol", "dave");
        assertThat(dave.fence()).isGreaterThan(forceReleased.fence());
        assertThat(locks.waitersFor(POOL)).isEqualTo(1);
    }

    @Test
    void a_force_release_ends_try_acquired_holds_and_drops_transient_keys() {
        Target room = Target.shared("room");
        locks.tryAcquire("alice", room);
        locks.tryAcquire("bob", room);
        assertThat(forceReleased(locks.forceRelease(room, 0)).holds()).isEqualTo(2);
        assertThat(locks.isRetained(room)).isFalse();
        assertThat(locks.releaseBySession("alice", room).outcome()).isEqualTo(Outcome.NOT_HELD);
    }

    @Test
    void a_force_release_of_a_free_key_is_refused() {
        assertThat(locks.forceRelease(DOOR, 0).outcome()).isEqualTo(Outcome.NOT_HELD);
        Request alice = locks.acquire("alice", DOOR);
        assertThat(locks.forceRelease(DOOR, alice.fence() + 1).outcome())
                .isEqualTo(Outcome.NOT_HELD);
        assertThat(locks.holderOf(DOOR)).isEqualTo("alice");
    }

    @Test
    void a_force_release_leaves_a_suspended_lock_suspended() {
        locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        locks.suspend(DOOR);
        locks.forceRelease(DOOR, 0);
        assertThat(bob.outcome()).isEqualTo(Outcome.BLOCKED);
        locks.resume(DOOR);
        assertThat(bob.outcome()).isEqualTo(Outcome.GRANTED);
    }

    private static Effect.ForceReleased forceReleased(Request request) {
        return (Effect.ForceReleased) request.effects().getLast();
    }
}
