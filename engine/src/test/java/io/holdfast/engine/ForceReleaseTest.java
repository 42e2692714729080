package io.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.LockScenario.Outcome;
import io.holdfast.engine.LockScenario.Request;
import io.holdfast.engine.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When an operator takes a lock away")
class ForceReleaseTest {
    private static final Target DOOR = Target.mutex("door");
    private static final Target POOL = Target.semaphore("pool", 2);
    private static final HoldAttributes TRACKED =
            new HoldAttributes(ReadWriteMode.WRITE, true, true);

    private final LockScenario locks = new LockScenario();

    @Test
    void the_first_who_waits_gets_it_with_a_fence_above_that_of_the_eviction() {
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        Request carol = locks.acquire("carol", DOOR);
        Effect.ForceReleased forceReleased = evicted(locks.evict(DOOR, alice.fence()));
        assertThat(forceReleased.holds()).isEqualTo(1);
        assertThat(forceReleased.fence()).isGreaterThan(alice.fence()).isLessThan(bob.fence());
        assertThat(carol.outcome()).isEqualTo(Outcome.BLOCKED);
    }

    @Test
    void its_token_is_dead() {
        Request alice = locks.acquire("alice", DOOR);
        locks.evict(DOOR, 0);
        assertThat(locks.renew(alice, ofSeconds(5)).outcome()).isEqualTo(Outcome.NOT_HELD);
        assertThat(locks.release(alice).outcome()).isEqualTo(Outcome.NOT_HELD);
    }

    @Test
    void a_holder_who_can_be_told_is_told() {
        Request alice = locks.acquire("alice", DOOR, TRACKED);
        locks.evict(DOOR, 0);
        assertThat(alice.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.places("alice")).isEmpty();
    }

    @Test
    void one_who_asked_is_told_whether_it_has_confirmed_or_not() {
        Request offered = locks.write("alice", DOOR);
        locks.evict(DOOR, 0);
        assertThat(offered.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.stand(offered)).isEqualTo(OfferRequestStatus.GONE);
        Request held = locks.write("bob", DOOR);
        locks.confirm(held);
        locks.evict(DOOR, 0);
        assertThat(held.outcome()).isEqualTo(Outcome.REVOKED);
        assertThat(locks.stand(held)).isEqualTo(OfferRequestStatus.GONE);
    }

    @Test
    void only_the_hold_of_that_fence_ends() {
        Request alice = locks.acquire("alice", POOL);
        Request bob = locks.acquire("bob", POOL);
        assertThat(evicted(locks.evict(POOL, alice.fence())).holds()).isEqualTo(1);
        assertThat(locks.holders(POOL)).containsExactly("bob");
        assertThat(locks.release(bob).outcome()).isEqualTo(Outcome.RELEASED);
    }

    @Test
    void all_holds_end_if_none_is_named_and_those_who_wait_get_them() {
        locks.acquire("alice", POOL);
        locks.acquire("bob", POOL);
        locks.acquire("carol", POOL);
        Request dave = locks.acquire("dave", POOL);
        locks.acquire("erin", POOL);
        Effect.ForceReleased forceReleased = evicted(locks.evict(POOL, 0));
        assertThat(forceReleased.holds()).isEqualTo(2);
        assertThat(locks.holders(POOL)).containsExactly("carol", "dave");
        assertThat(dave.fence()).isGreaterThan(forceReleased.fence());
        assertThat(locks.waitersFor(POOL)).isEqualTo(1);
    }

    @Test
    void claims_end_too_and_what_was_only_claimed_is_forgotten() {
        Target room = Target.shared("room");
        locks.claim("alice", room);
        locks.claim("bob", room);
        assertThat(evicted(locks.evict(room, 0)).holds()).isEqualTo(2);
        assertThat(locks.knows(room)).isFalse();
        assertThat(locks.unclaim("alice", room).outcome()).isEqualTo(Outcome.NOT_HELD);
    }

    @Test
    void nothing_happens_where_nobody_holds_it() {
        assertThat(locks.evict(DOOR, 0).outcome()).isEqualTo(Outcome.NOT_HELD);
        Request alice = locks.acquire("alice", DOOR);
        assertThat(locks.evict(DOOR, alice.fence() + 1).outcome()).isEqualTo(Outcome.NOT_HELD);
        assertThat(locks.holderOf(DOOR)).isEqualTo("alice");
    }

    @Test
    void a_suspended_lock_stays_suspended() {
        locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR);
        locks.suspend(DOOR);
        locks.evict(DOOR, 0);
        assertThat(bob.outcome()).isEqualTo(Outcome.BLOCKED);
        locks.resume(DOOR);
        assertThat(bob.outcome()).isEqualTo(Outcome.GRANTED);
    }

    private static Effect.ForceReleased evicted(Request request) {
        return (Effect.ForceReleased) request.answers().getLast();
    }
}
