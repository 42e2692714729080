package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.LIMIT_MISMATCH;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;

@DisplayName("A semaphore")
class SemaphoreTest {
    private static final Target POOL = Target.semaphore("pool", 3);

    private final LockScenario locks = new LockScenario();

    @Test
    void a_semaphore_has_as_many_holders_as_its_limit() {
        for (String who : new String[] {"alice", "bob", "carol"}) {
            assertThat(locks.acquire(who, POOL).outcome()).isEqualTo(GRANTED);
        }
        assertThat(locks.acquire("dave", POOL).outcome()).isEqualTo(BLOCKED);
        assertThat(locks.acquireWithoutWait("erin", POOL).outcome()).isEqualTo(TIMED_OUT);
        assertThat(locks.holdersOf(POOL)).isEqualTo(3);
    }

    @Test
    void a_semaphore_lets_one_session_hold_several_slots_each_with_its_own_token() {
        Set<Token> tokens = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            tokens.add(locks.acquire("alice", POOL).token());
        }
        assertThat(tokens).hasSize(3);
        for (Token token : tokens) {
            assertThat(locks.release("alice", POOL, token).outcome()).isEqualTo(RELEASED);
        }
        assertThat(locks.holdersOf(POOL)).isZero();
    }

    @Test
    void a_semaphore_passes_a_freed_slot_to_the_first_waiter() {
        locks.acquire("alice", POOL);
        var bob = locks.acquire("bob", POOL);
        locks.acquire("carol", POOL);
        var dave = locks.acquire("dave", POOL);
        var erin = locks.acquire("erin", POOL);
        locks.release(bob);
        assertThat(dave.outcome()).isEqualTo(GRANTED);
        assertThat(erin.outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void a_semaphore_passes_several_slots_freed_together_to_several_waiters_in_order() {
        locks.acquire("alice", POOL);
        locks.acquire("alice", POOL);
        locks.acquire("alice", POOL);
        var bob = locks.acquire("bob", POOL);
        var carol = locks.acquire("carol", POOL);
        var dave = locks.acquire("dave", POOL);
        var erin = locks.acquire("erin", POOL);
        locks.close("alice");
        assertThat(locks.lastEffects()).containsExactly(bob.grant(), carol.grant(), dave.grant());
        assertThat(erin.outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void a_semaphore_passes_several_slots_that_expire_together_to_several_waiters_in_order() {
        for (int i = 0; i < 3; i++) {
            locks.acquire("alice", POOL, ofSeconds(5));
        }
        var bob = locks.acquire("bob", POOL);
        var carol = locks.acquire("carol", POOL);
        locks.advance(ofSeconds(5));
        assertThat(locks.lastEffects()).containsExactly(bob.grant(), carol.grant());
        assertThat(locks.holdersOf(POOL)).isEqualTo(2);
    }

    @Test
    void a_semaphore_gets_its_limit_from_the_first_request_and_refuses_any_other() {
        var alice = locks.acquire("alice", POOL);
        assertThat(locks.acquire("bob", Target.semaphore("pool", 4)).outcome())
                .isEqualTo(LIMIT_MISMATCH);
        assertThat(locks.acquireWithoutWait("bob", Target.semaphore("pool", 2)).outcome())
                .isEqualTo(LIMIT_MISMATCH);
        locks.release(alice);
        assertThat(locks.acquire("bob", Target.semaphore("pool", 4)).outcome())
                .as("also when no slot is held")
                .isEqualTo(LIMIT_MISMATCH);
        assertThat(locks.view(POOL).orElseThrow().limit()).isEqualTo(3);
    }

    @Test
    void a_semaphore_refuses_another_limit_before_it_checks_the_queue_and_the_quotas() {
        var full = LockScenario.withMaxWaiters(1);
        var single = Target.semaphore("pool", 1);
        full.acquire("alice", single);
        full.acquire("bob", single);
        full.quotas.memoryLeft = false;
        assertThat(full.acquire("carol", POOL).outcome()).isEqualTo(LIMIT_MISMATCH);
    }

    @Test
    void a_semaphore_gets_a_new_limit_once_it_was_collected() {
        locks.release(locks.acquire("alice", POOL));
        locks.advance(LockScenario.IDLE.plusNanos(1));
        locks.collect();
        assertThat(locks.acquire("bob", Target.semaphore("pool", 1)).outcome()).isEqualTo(GRANTED);
        assertThat(locks.acquire("carol", POOL).outcome()).isEqualTo(LIMIT_MISMATCH);
    }

    @Test
    void a_semaphore_accepts_the_largest_limit() {
        var wide = Target.semaphore("wide", Long.MAX_VALUE);
        for (int i = 0; i < 100; i++) {
            assertThat(locks.acquire("alice", wide).outcome()).isEqualTo(GRANTED);
        }
        assertThat(locks.view(wide).orElseThrow().limit()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_semaphore_shows_its_oldest_hold_as_the_owner() {
        var alice = locks.acquire("alice", POOL, ofSeconds(30));
        locks.acquire("bob", POOL, ofSeconds(20));
        assertThat(locks.holderOf(POOL)).isEqualTo("alice");
        locks.release(alice);
        assertThat(locks.holderOf(POOL)).isEqualTo("bob");
        assertThat(locks.view(POOL).orElseThrow().leaseLeftNanos())
                .isEqualTo(ofSeconds(20).toNanos());
    }
}
