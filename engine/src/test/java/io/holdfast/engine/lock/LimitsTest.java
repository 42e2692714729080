package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_ENQUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RENEWED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("Limits")
class LimitsTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");
    private static final Target POOL = Target.semaphore("pool", 2);

    @Nested
    @DisplayName("Keys")
    class Keys {
        private final LockScenario locks = new LockScenario();

        @Test
        void a_key_beyond_the_limit_is_refused_and_not_retained() {
            locks.quotas.maxKeys = 2;
            locks.acquire("alice", PRINTER);
            locks.acquire("alice", POOL);
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.isRetained(SCANNER)).isFalse();
        }

        @Test
        void a_lock_and_a_semaphore_of_one_key_count_twice() {
            locks.quotas.maxKeys = 1;
            locks.acquire("alice", PRINTER);
            assertThat(locks.acquire("alice", Target.semaphore("printer", 1)).outcome())
                    .isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void idle_keys_count_against_the_limit() {
            locks.quotas.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void existing_keys_are_usable_at_the_limit() {
            locks.quotas.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            var alice = locks.acquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            locks.release(alice);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void collecting_a_key_frees_the_limit() {
            locks.quotas.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            locks.advance(LockScenario.IDLE.plusNanos(1));
            locks.collect();
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void the_limit_of_keys_is_never_exceeded() {
            locks.quotas.maxKeys = 5;
            for (int i = 0; i < 50; i++) {
                var attempt = locks.acquire("session-" + i, Target.lock("name-" + i));
                assertThat(attempt.outcome()).isEqualTo(i < 5 ? GRANTED : TOO_MANY_KEYS);
            }
            assertThat(Views.of(locks.engine, locks.now()).all()).hasSize(5);
        }

        @Test
        void requests_that_create_no_key_do_not_count_against_the_limit() {
            locks.quotas.maxKeys = 1;
            locks.release("alice", PRINTER, new Token(1, 2));
            locks.renew("alice", PRINTER, new Token(1, 2), USUAL);
            locks.await("alice", PRINTER);
            assertThat(locks.quotas.keys).isZero();
        }
    }

    @Nested
    @DisplayName("Waiters")
    class Waiters {
        private final LockScenario locks = LockScenario.withMaxWaiters(2);

        @Test
        void a_waiter_beyond_the_limit_is_refused() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            locks.acquire("carol", PRINTER);
            assertThat(locks.acquire("dave", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.waitersFor(PRINTER)).isEqualTo(2);
        }

        @Test
        void an_acquire_without_a_wait_is_refused_by_a_full_queue_too() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            assertThat(locks.acquireWithoutWait("dave", PRINTER).outcome()).isEqualTo(TIMED_OUT);
            locks.acquire("carol", PRINTER);
            assertThat(locks.acquireWithoutWait("dave", PRINTER).outcome())
                    .isEqualTo(TOO_MANY_WAITERS);
        }

        @Test
        void the_limit_of_waiters_applies_per_key() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            locks.acquire("carol", PRINTER);
            locks.acquire("alice", SCANNER);
            assertThat(locks.acquire("dave", SCANNER).outcome()).isEqualTo(BLOCKED);
        }

        @Test
        void a_waiter_that_leaves_in_any_way_frees_the_limit() {
            var holder = locks.acquire("holder", PRINTER);
            var bob = locks.acquire("bob", PRINTER, ofSeconds(5), USUAL);
            locks.acquire("carol", PRINTER);
            locks.advance(ofSeconds(5));
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            var dave = locks.acquire("dave", PRINTER);
            assertThat(dave.outcome()).isEqualTo(BLOCKED);
            locks.cancel(dave);
            assertThat(locks.acquire("erin", PRINTER).outcome()).isEqualTo(BLOCKED);
            locks.close("carol");
            assertThat(locks.acquire("frank", PRINTER).outcome()).isEqualTo(BLOCKED);
            locks.release(holder);
            assertThat(locks.acquire("grace", PRINTER).outcome()).isEqualTo(BLOCKED);
        }
    }

    @Nested
    @DisplayName("Memory")
    class MemoryLimit {
        private final LockScenario locks = new LockScenario();

        @Test
        void a_new_key_beyond_the_memory_budget_is_refused() {
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void a_new_waiter_beyond_the_memory_budget_is_refused() {
            locks.acquire("alice", PRINTER);
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.enqueue("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.await("bob", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.waitersFor(PRINTER)).isZero();
        }

        @Test
        void another_slot_of_a_used_semaphore_beyond_the_memory_budget_is_refused() {
            locks.acquire("alice", POOL);
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("bob", POOL).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.enqueue("bob", POOL).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.holdersOf(POOL)).isEqualTo(1);
        }

        @Test
        void a_new_hold_of_an_existing_free_key_beyond_the_memory_budget_is_refused() {
            locks.release(locks.acquire("alice", PRINTER));
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
            locks.quotas.memoryLeft = true;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_acquire_without_a_wait_of_a_held_key_needs_no_memory() {
            locks.acquire("alice", PRINTER);
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        }

        @Test
        void other_commands_are_not_affected_by_the_memory_budget() {
            var alice = locks.acquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            locks.enqueue("carol", PRINTER);
            locks.quotas.memoryLeft = false;
            assertThat(locks.renew(alice, USUAL).outcome()).isEqualTo(RENEWED);
            assertThat(locks.release(alice).outcome()).isEqualTo(RELEASED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            locks.close("bob");
            assertThat(locks.await("carol", PRINTER).outcome()).isEqualTo(GRANTED);
        }
    }

    @Test
    void a_negative_limit_is_rejected_by_name() {
        assertThatThrownBy(() -> new EngineSettings(-1, 0, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWaiters");
        assertThatThrownBy(() -> new EngineSettings(0, -1, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("idleNanos");
    }
}
