package io.holdfast.engine;

import static io.holdfast.engine.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.LockScenario.Outcome.NOT_ENQUEUED;
import static io.holdfast.engine.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.LockScenario.Outcome.RENEWED;
import static io.holdfast.engine.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("Limits")
class LimitsTest {
    private static final Target PRINTER = Target.mutex("printer");
    private static final Target SCANNER = Target.mutex("scanner");
    private static final Target POOL = Target.semaphore("pool", 2);

    @Nested
    @DisplayName("of keys")
    class Keys {
        private final LockScenario locks = new LockScenario();

        @Test
        void refuse_the_name_that_is_one_too_many_and_forget_it() {
            locks.ledger.maxKeys = 2;
            locks.acquire("alice", PRINTER);
            locks.acquire("alice", POOL);
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.knows(SCANNER)).isFalse();
        }

        @Test
        void count_a_lock_and_a_semaphore_of_one_name_as_two() {
            locks.ledger.maxKeys = 1;
            locks.acquire("alice", PRINTER);
            assertThat(locks.acquire("alice", Target.semaphore("printer", 1)).outcome())
                    .isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void count_idle_names_too() {
            locks.ledger.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void leave_known_names_alone() {
            locks.ledger.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            var alice = locks.acquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            locks.release(alice);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        @DisplayName("have room again as soon as a name was collected (22.3)")
        void have_room_again_as_soon_as_a_name_was_collected() {
            locks.ledger.maxKeys = 1;
            locks.release(locks.acquire("alice", PRINTER));
            locks.advance(LockScenario.IDLE.plusNanos(1));
            locks.collect();
            assertThat(locks.acquire("alice", SCANNER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        @DisplayName("never let more names exist than they say (22.2)")
        void never_let_more_names_exist_than_they_say() {
            locks.ledger.maxKeys = 5;
            for (int i = 0; i < 50; i++) {
                var attempt = locks.acquire("session-" + i, Target.mutex("name-" + i));
                assertThat(attempt.outcome()).isEqualTo(i < 5 ? GRANTED : TOO_MANY_KEYS);
            }
            assertThat(Views.of(locks.engine, locks.now()).all()).hasSize(5);
        }

        @Test
        void are_not_touched_by_requests_that_create_no_name() {
            locks.ledger.maxKeys = 1;
            locks.release("alice", PRINTER, new Token(1, 2));
            locks.renew("alice", PRINTER, new Token(1, 2), USUAL);
            locks.await("alice", PRINTER);
            assertThat(locks.ledger.keys).isZero();
        }
    }

    @Nested
    @DisplayName("of waiters")
    class Waiters {
        private final LockScenario locks = LockScenario.withMaxWaiters(2);

        @Test
        void refuse_the_waiter_that_is_one_too_many() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            locks.acquire("carol", PRINTER);
            assertThat(locks.acquire("dave", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.waitersFor(PRINTER)).isEqualTo(2);
        }

        @Test
        void refuse_somebody_who_only_tries_with_the_same_words() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            assertThat(locks.tryAcquire("dave", PRINTER).outcome()).isEqualTo(TIMED_OUT);
            locks.acquire("carol", PRINTER);
            assertThat(locks.tryAcquire("dave", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
        }

        @Test
        void are_per_name() {
            locks.acquire("alice", PRINTER);
            locks.acquire("bob", PRINTER);
            locks.acquire("carol", PRINTER);
            locks.acquire("alice", SCANNER);
            assertThat(locks.acquire("dave", SCANNER).outcome()).isEqualTo(BLOCKED);
        }

        @Test
        void have_room_again_when_a_waiter_leaves_in_whatever_way() {
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
    @DisplayName("of memory")
    class Room {
        private final LockScenario locks = new LockScenario();

        @Test
        void refuse_a_new_name() {
            locks.ledger.room = false;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
        }

        @Test
        void refuse_a_new_waiter() {
            locks.acquire("alice", PRINTER);
            locks.ledger.room = false;
            assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.enqueue("bob", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.await("bob", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.waitersFor(PRINTER)).isZero();
        }

        @Test
        void refuse_one_more_slot_of_a_semaphore_that_is_in_use() {
            locks.acquire("alice", POOL);
            locks.ledger.room = false;
            assertThat(locks.acquire("bob", POOL).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.enqueue("bob", POOL).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.holdersOf(POOL)).isEqualTo(1);
        }

        @Test
        void refuse_a_new_hold_of_a_name_that_is_known_and_free() {
            locks.release(locks.acquire("alice", PRINTER));
            locks.ledger.room = false;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
            locks.ledger.room = true;
            assertThat(locks.acquire("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void let_somebody_who_only_tries_see_that_the_key_is_held() {
            locks.acquire("alice", PRINTER);
            locks.ledger.room = false;
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        }

        @Test
        void leave_all_else_alone() {
            var alice = locks.acquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            locks.enqueue("carol", PRINTER);
            locks.ledger.room = false;
            assertThat(locks.renew(alice, USUAL).outcome()).isEqualTo(RENEWED);
            assertThat(locks.release(alice).outcome()).isEqualTo(RELEASED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            locks.close("bob");
            assertThat(locks.await("carol", PRINTER).outcome()).isEqualTo(GRANTED);
        }
    }

    @Test
    void below_zero_are_refused_by_name() {
        assertThatThrownBy(() -> new EngineSettings(-1, 0, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWaiters");
        assertThatThrownBy(() -> new EngineSettings(0, -1, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("idleNanos");
    }
}
