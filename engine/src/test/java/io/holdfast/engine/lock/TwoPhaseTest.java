package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.ALREADY_ENQUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.CANCELLED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.LIMIT_MISMATCH;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_ENQUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Every row of the two tables of two-phase commands, and the notes below them. */
@DisplayName("Two-phase acquisition")
class TwoPhaseTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");

    private final LockScenario locks = new LockScenario();

    @Nested
    @DisplayName("Enqueue")
    class Enqueue {
        @Test
        void an_enqueue_of_a_free_key_is_granted_and_the_lease_runs() {
            var enqueue = locks.enqueue("alice", PRINTER, ofSeconds(10));
            assertThat(enqueue.outcome()).isEqualTo(GRANTED);
            assertThat(enqueue.grant().leaseNanos()).isEqualTo(ofSeconds(10).toNanos());
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
            locks.advance(ofSeconds(10));
            assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        }

        @Test
        void an_enqueue_of_a_held_key_is_queued() {
            locks.acquire("holder", PRINTER);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            assertThat(locks.waitersFor(PRINTER)).isEqualTo(1);
        }

        @Test
        void an_enqueue_gets_the_slot_of_an_expired_lease() {
            locks.acquire("holder", PRINTER, ofSeconds(10));
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_enqueue_does_not_overtake_waiters() {
            locks.acquire("holder", PRINTER, ofSeconds(10));
            var bob = locks.acquire("bob", PRINTER);
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_second_enqueue_while_granted_is_refused_and_changes_nothing() {
            var first = locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.advance(ofSeconds(9));
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(ALREADY_ENQUEUED);
            assertThat(locks.view(PRINTER).orElseThrow().leaseLeftNanos())
                    .isEqualTo(ofSeconds(1).toNanos());
            assertThat(locks.await("alice", PRINTER).token()).isEqualTo(first.token());
        }

        @Test
        void a_second_enqueue_while_waiting_is_refused_and_keeps_the_position() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            locks.enqueue("bob", PRINTER);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(ALREADY_ENQUEUED);
            assertThat(locks.waitersFor(PRINTER)).isEqualTo(2);
            locks.release(holder);
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        }

        @Test
        void a_second_enqueue_is_refused_before_a_wrong_limit() {
            locks.enqueue("alice", Target.semaphore("pool", 2));
            assertThat(locks.enqueue("alice", Target.semaphore("pool", 3)).outcome())
                    .isEqualTo(ALREADY_ENQUEUED);
        }

        @Test
        void an_enqueue_with_another_limit_is_refused() {
            locks.enqueue("alice", Target.semaphore("pool", 2));
            assertThat(locks.enqueue("bob", Target.semaphore("pool", 3)).outcome())
                    .isEqualTo(LIMIT_MISMATCH);
            assertThat(locks.await("bob", Target.semaphore("pool", 3)).outcome())
                    .isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_enqueue_of_a_new_key_beyond_the_quotas_is_refused() {
            locks.quotas.maxKeys = 1;
            locks.acquire("holder", SCANNER);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.isRetained(PRINTER)).isFalse();
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_enqueue_into_a_full_queue_is_refused_and_leaves_no_record() {
            var few = LockScenario.withMaxWaiters(1);
            var holder = few.acquire("holder", PRINTER);
            var bob = few.acquire("bob", PRINTER);
            assertThat(few.enqueue("alice", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(few.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            few.release(holder);
            few.release(bob);
            assertThat(few.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_enqueue_has_one_record_per_key_kind_and_session() {
            var pool = Target.semaphore("printer", 1);
            locks.acquire("holder", PRINTER);
            locks.acquire("holder", SCANNER);
            locks.acquire("holder", pool);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            assertThat(locks.enqueue("alice", SCANNER).outcome()).isEqualTo(QUEUED);
            assertThat(locks.enqueue("alice", pool).outcome()).isEqualTo(QUEUED);
            assertThat(locks.enqueue("bob", PRINTER).outcome()).isEqualTo(QUEUED);
        }
    }

    @Nested
    @DisplayName("Await")
    class Await {
        @Test
        void an_await_of_an_unknown_key_is_refused_and_creates_none() {
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.isRetained(PRINTER)).isFalse();
        }

        @Test
        void an_await_without_an_enqueue_is_refused() {
            locks.acquire("holder", PRINTER);
            locks.enqueue("bob", PRINTER);
            locks.enqueue("alice", SCANNER);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_await_does_not_find_the_enqueue_of_the_other_kind() {
            locks.enqueue("alice", Target.semaphore("printer", 1));
            locks.acquire("holder", PRINTER);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_await_of_a_granted_enqueue_returns_the_token_and_restarts_the_lease() {
            var enqueue = locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.advance(ofSeconds(9));
            var await = locks.await("alice", PRINTER);
            assertThat(await.token()).isEqualTo(enqueue.token());
            assertThat(await.grant().leaseNanos()).isEqualTo(ofSeconds(10).toNanos());
            locks.advance(ofSeconds(9));
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
            locks.advance(ofSeconds(1));
            assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        }

        @Test
        void an_await_of_a_granted_enqueue_ends_its_record() {
            locks.enqueue("alice", PRINTER);
            locks.await("alice", PRINTER);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_await_of_a_granted_enqueue_ignores_the_timeout() {
            locks.enqueue("alice", PRINTER);
            assertThat(locks.await("alice", PRINTER, ZERO).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_await_of_a_grant_from_the_queue_restarts_its_lease() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.release(holder);
            locks.advance(ofSeconds(9));
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(GRANTED);
            locks.advance(ofSeconds(9));
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        }

        @Test
        void an_await_after_the_lease_has_expired_is_refused_and_the_slot_passes_on() {
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            var bob = locks.acquire("bob", PRINTER);
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_await_after_a_force_release_is_refused() {
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.advance(ofSeconds(10));
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
        }

        @Test
        void an_await_never_returns_a_token_that_expired_before() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.release(holder); // alice is granted, but has not got the effect yet
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        }

        @Test
        void an_await_of_a_waiting_enqueue_blocks_until_the_grant() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.advance(ofSeconds(50));
            var await = locks.await("alice", PRINTER);
            assertThat(await.outcome()).isEqualTo(BLOCKED);
            locks.advance(ofSeconds(50));
            locks.release(holder);
            assertThat(await.outcome()).isEqualTo(GRANTED);
            assertThat(locks.view(PRINTER).orElseThrow().leaseLeftNanos())
                    .isEqualTo(ofSeconds(10).toNanos());
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.release(await).outcome()).isEqualTo(RELEASED);
        }

        @Test
        void an_await_that_times_out_removes_the_waiter() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            var await = locks.await("alice", PRINTER, ofSeconds(5));
            locks.advance(ofSeconds(5));
            assertThat(await.outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            locks.release(holder);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_await_with_a_timeout_of_0_removes_the_waiter_at_once() {
            locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            assertThat(locks.await("alice", PRINTER, ZERO).outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.waitersFor(PRINTER)).isZero();
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
        }

        @Test
        void a_cancelled_await_removes_the_waiter() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            var await = locks.await("alice", PRINTER);
            locks.cancel(await);
            assertThat(await.outcome()).isEqualTo(CANCELLED);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            locks.release(holder);
            assertThat(locks.holderOf(PRINTER)).isEqualTo(NOBODY);
        }

        @Test
        void an_await_with_an_unlimited_timeout_has_no_deadline() {
            var holder = locks.acquire("holder", PRINTER, ofSeconds(Long.MAX_VALUE));
            locks.enqueue("alice", PRINTER);
            var await = locks.await("alice", PRINTER, ofSeconds(Long.MAX_VALUE));
            assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
            locks.release(holder);
            assertThat(await.outcome()).isEqualTo(GRANTED);
        }
    }

    @Nested
    @DisplayName("A queued session")
    class Queued {
        @Test
        void an_enqueued_session_is_granted_in_order_without_an_await() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            locks.release(holder);
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
            assertThat(locks.isHolding("alice")).isTrue();
            assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
        }

        @Test
        void the_grant_of_an_enqueue_is_delivered_by_the_await_only() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            var release = locks.release(holder);
            assertThat(locks.lastEffects())
                    .containsExactly(new Effect.Released(release.session(), release.number()));
        }

        @Test
        void an_enqueued_waiter_has_no_deadline_before_its_await() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER);
            locks.renew(holder, ofSeconds(Long.MAX_VALUE));
            assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        }

        @Test
        void an_uncollected_grant_passes_to_the_next_waiter_when_its_lease_ends() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            var bob = locks.acquire("bob", PRINTER);
            locks.release(holder);
            locks.advance(ofSeconds(10));
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_session_whose_uncollected_grant_has_expired_can_enqueue_again() {
            var holder = locks.acquire("holder", PRINTER);
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.release(holder);
            locks.advance(ofSeconds(10));
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_session_whose_granted_enqueue_has_expired_can_enqueue_again() {
            locks.enqueue("alice", PRINTER, ofSeconds(10));
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }
    }

    @Nested
    @DisplayName("The enqueue record")
    class EnqueueRecord {
        @Test
        void the_enqueue_record_ends_with_the_release_of_its_token() {
            var enqueue = locks.enqueue("alice", PRINTER);
            assertThat(locks.release(enqueue).outcome()).isEqualTo(RELEASED);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void the_enqueue_record_ends_when_another_session_releases_its_token() {
            var enqueue = locks.enqueue("alice", PRINTER);
            locks.release("bob", PRINTER, enqueue.token());
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(NOT_ENQUEUED);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_new_enqueue_queues_behind_the_hold_of_the_first_one() {
            locks.enqueue("alice", PRINTER);
            var first = locks.await("alice", PRINTER);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            locks.release(first);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_newer_enqueue_record_survives_the_release_of_an_older_token() {
            Request first = fetchedAndEnqueuedAgain();
            locks.release(first);
            assertNewRecordLives();
        }

        @Test
        void a_newer_enqueue_record_survives_the_expiry_of_an_older_token() {
            Request first = fetchedAndEnqueuedAgain();
            locks.renew(first, ofSeconds(1));
            locks.advance(ofSeconds(1));
            assertNewRecordLives();
        }

        @Test
        void a_newer_enqueue_record_survives_the_cancellation_of_an_older_grant() {
            Request first = fetchedAndEnqueuedAgain();
            locks.cancel(first);
            assertNewRecordLives();
        }

        @Test
        void the_enqueue_record_survives_the_release_of_another_slot_of_the_session() {
            var pool = Target.semaphore("pool", 2);
            var slot = locks.acquire("alice", pool);
            var enqueue = locks.enqueue("alice", pool);
            locks.release(slot);
            assertThat(locks.await("alice", pool).token()).isEqualTo(enqueue.token());
        }

        private Request fetchedAndEnqueuedAgain() {
            locks.enqueue("alice", PRINTER);
            Request first = locks.await("alice", PRINTER);
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            return first;
        }

        private void assertNewRecordLives() {
            assertThat(locks.enqueue("alice", PRINTER).outcome()).isEqualTo(ALREADY_ENQUEUED);
            assertThat(locks.await("alice", PRINTER).outcome()).isEqualTo(GRANTED);
            assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        }
    }

    @Test
    void enqueued_and_blocked_waiters_share_one_queue() {
        var few = LockScenario.withMaxWaiters(2);
        few.acquire("holder", PRINTER);
        few.enqueue("alice", PRINTER);
        few.acquire("bob", PRINTER);
        assertThat(few.enqueue("carol", PRINTER).outcome()).isEqualTo(TOO_MANY_WAITERS);
        assertThat(few.acquire("carol", PRINTER, USUAL).outcome()).isEqualTo(TOO_MANY_WAITERS);
    }
}
