package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.KEPT;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.HeldCounts;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A shared lock")
class SharedLockTest {
    private static final Target ROOM = Target.shared("room");

    private final LockScenario locks = new LockScenario();

    @Test
    void a_shared_lock_admits_every_session_and_counts_them() {
        for (int i = 1; i <= 100; i++) {
            assertThat(locks.tryAcquire("guest-" + i, ROOM).tryAcquired().holders()).isEqualTo(i);
        }
        assertThat(locks.holdersOf(ROOM)).isEqualTo(100);
        assertThat(locks.engine.views().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(1, 100));
        for (int i = 1; i <= 100; i++) {
            assertThat(locks.releaseBySession("guest-" + i, ROOM).outcome()).isEqualTo(RELEASED);
            assertThat(locks.holdersOf(ROOM)).isEqualTo(100 - i);
        }
        assertThat(locks.isRetained(ROOM)).isFalse();
    }

    @Test
    void a_shared_lock_counts_each_session_once() {
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("bob", ROOM);
        byte[] before = EngineSnapshot.of(locks.engine);
        var again = locks.tryAcquire("alice", ROOM);
        assertThat(again.outcome()).isEqualTo(KEPT);
        assertThat(again.tryAcquired().holders()).isEqualTo(2);
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        locks.releaseBySession("alice", ROOM);
        assertThat(locks.releaseBySession("alice", ROOM).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.holders(ROOM)).containsExactly("bob");
    }

    @Test
    void a_shared_lock_is_released_only_by_its_holders() {
        assertThat(locks.releaseBySession("alice", ROOM).outcome()).isEqualTo(NOT_HELD);
        locks.tryAcquire("alice", ROOM);
        assertThat(locks.releaseBySession("bob", ROOM).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.holders(ROOM)).containsExactly("alice");
    }

    @Test
    void a_shared_lock_has_its_holders_in_order_of_acquisition() {
        for (String name : new String[] {"dave", "alice", "carol", "bob"}) {
            locks.tryAcquire(name, ROOM);
        }
        assertThat(locks.holders(ROOM)).containsExactly("dave", "alice", "carol", "bob");
        locks.releaseBySession("alice", ROOM);
        assertThat(locks.holders(ROOM)).containsExactly("dave", "carol", "bob");
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("dave", ROOM); // holds it already, and keeps its position
        assertThat(locks.holders(ROOM)).containsExactly("dave", "carol", "bob", "alice");
        locks.close("carol");
        assertThat(locks.holders(ROOM)).containsExactly("dave", "bob", "alice");
    }

    @Test
    void a_shared_lock_is_independent_of_a_lock_or_semaphore_of_the_same_key() {
        Target lock = Target.lock("room");
        Target semaphore = Target.semaphore("room", 1);
        assertThat(locks.tryAcquire("alice", ROOM).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.tryAcquire("bob", lock).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.acquire("carol", semaphore).outcome()).isEqualTo(GRANTED);
        assertThat(locks.tryAcquire("dave", lock).outcome()).isEqualTo(BUSY);
        assertThat(locks.tryAcquire("dave", ROOM).outcome()).isEqualTo(TRY_ACQUIRED);
        assertThat(locks.holders(ROOM)).containsExactly("alice", "dave");
        assertThat(locks.releaseBySession("alice", lock).outcome()).isEqualTo(NOT_HELD);
        locks.releaseBySession("bob", lock);
        assertThat(locks.holders(ROOM)).containsExactly("alice", "dave");
        assertThat(locks.holders(semaphore)).containsExactly("carol");
    }

    @Test
    void a_shared_lock_is_held_since_its_first_holder_until_it_has_none() {
        locks.tryAcquire("alice", ROOM);
        long since = locks.since(ROOM);
        locks.tryAcquire("bob", ROOM);
        locks.releaseBySession("alice", ROOM);
        locks.tryAcquire("alice", ROOM);
        assertThat(locks.since(ROOM)).isEqualTo(since);
        locks.releaseBySession("alice", ROOM);
        locks.releaseBySession("bob", ROOM);
        locks.tryAcquire("bob", ROOM);
        assertThat(locks.since(ROOM)).isGreaterThan(since);
    }

    @Test
    void a_shared_lock_loses_a_session_that_closes_and_no_other() {
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("bob", ROOM);
        long alice = locks.session("alice");
        locks.close("alice");
        assertThat(locks.lastEffects()).containsExactly(new Effect.Orphaned(alice, 0, 1));
        assertThat(locks.holders(ROOM)).containsExactly("bob");
        locks.close("bob");
        assertThat(locks.isRetained(ROOM)).isFalse();
    }
}
