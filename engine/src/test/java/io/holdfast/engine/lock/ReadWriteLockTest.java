package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.CANCELLED;
import static io.holdfast.engine.lock.LockScenario.Outcome.EXPIRED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.LAPSED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.OFFERED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_GONE;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_OFFERED;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_QUEUED;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.HeldCounts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@DisplayName("A read/write lock")
class ReadWriteLockTest {
    private static final Target DOOR = Target.lock("door");
    private static final Duration NO_END = ofSeconds(Long.MAX_VALUE);

    private LockScenario locks = new LockScenario();

    /** When all sessions have closed, all reservations have been returned. */
    @AfterEach
    void nothing_is_left() {
        locks.resume(DOOR);
        for (String who : List.of("alice", "bob", "carol", "dave", "operator")) {
            locks.close(who);
        }
        locks.advance(USUAL.multipliedBy(2)); // a hold without a session ends with its lease
        locks.advance(LockScenario.IDLE.plusSeconds(1));
        locks.collect();
        assertThat(locks.quotas.keys).isZero();
        assertThat(locks.quotas.transientKeys).isZero();
        assertThat(locks.quotas.pieces).isZero();
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    private Request held(String who, ReadWriteMode readWriteMode) {
        Request request = locks.requestOffer(who, DOOR, readWriteMode);
        locks.confirm(request);
        assertThat(locks.status(request)).isEqualTo(OfferRequestStatus.HELD);
        return request;
    }

    @Nested
    @DisplayName("Requested as an offer")
    class OfferRequest {
        @ParameterizedTest
        @EnumSource
        void a_requested_lock_is_queued_and_offered_at_once_when_free(ReadWriteMode readWriteMode) {
            Request alice = locks.requestOffer("alice", DOOR, readWriteMode);
            assertThat(alice.effects()).hasSize(2);
            assertThat(alice.effects().getFirst()).isInstanceOf(Effect.Queued.class);
            assertThat(alice.effects().getLast())
                    .isEqualTo(
                            new Effect.Offered(
                                    alice.session(), alice.number(), DOOR.key(), readWriteMode, 1));
            assertThat(locks.holders(DOOR)).containsExactly("alice");
        }

        @Test
        void readers_get_their_offers_one_after_the_other() {
            Request alice = locks.read("alice", DOOR);
            Request bob = locks.read("bob", DOOR);
            assertThat(bob.outcome()).isEqualTo(QUEUED);
            locks.confirm(alice);
            assertThat(bob.outcome()).isEqualTo(OFFERED);
            locks.confirm(bob);
            assertThat(locks.holders(DOOR)).containsExactly("alice", "bob");
            assertThat(locks.check(alice).fence()).isLessThan(locks.check(bob).fence());
        }

        @Test
        void a_session_may_request_a_lock_many_times_and_waits_for_itself() {
            Request first = held("alice", ReadWriteMode.READ);
            Request second = held("alice", ReadWriteMode.READ);
            Request write = locks.write("alice", DOOR);
            assertThat(write.outcome()).isEqualTo(QUEUED);
            locks.giveUp(first);
            assertThat(write.outcome()).isEqualTo(QUEUED);
            locks.giveUp(second);
            assertThat(write.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void an_offer_request_is_found_by_its_number_session_and_key_only() {
            Request alice = locks.write("alice", DOOR);
            long number = alice.number();
            assertThat(locks.confirm("bob", DOOR, number).outcome()).isEqualTo(WAS_GONE);
            Target window = Target.lock("window");
            assertThat(locks.confirm("alice", window, number).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.giveUp("alice", window, number).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.giveUp("alice", DOOR, number + 50).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.isRetained(window)).isFalse();
            assertThat(locks.status(alice)).isEqualTo(OfferRequestStatus.OFFERED);
        }

        @Test
        void an_offer_request_without_a_wait_time_is_only_tried() {
            held("alice", ReadWriteMode.WRITE);
            Request bob = locks.requestOffer("bob", DOOR, ReadWriteMode.READ, ZERO, USUAL, NO_END);
            assertThat(bob.effects()).hasSize(2);
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.waitersFor(DOOR)).isZero();
        }
    }

    /** Section 6 of the protocol's description: every command in every state. */
    @Nested
    @DisplayName("In each state")
    class Life {
        private Request blocker;
        private Request next;

        /** Bob is queued behind alice, and carol is behind bob. */
        private Request queued() {
            blocker = held("alice", ReadWriteMode.WRITE);
            Request bob = locks.write("bob", DOOR);
            next = locks.read("carol", DOOR);
            return bob;
        }

        private Request offered() {
            Request bob = locks.write("bob", DOOR);
            next = locks.read("carol", DOOR);
            return bob;
        }

        private Request confirmed() {
            Request bob = offered();
            locks.confirm(bob);
            return bob;
        }

        @Test
        void a_queued_request_cannot_be_confirmed() {
            Request bob = queued();
            Request response = locks.confirm(bob);
            assertThat(response.outcome()).isEqualTo(WAS_QUEUED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.QUEUED);
        }

        @Test
        void a_queued_request_leaves_the_queue_when_declined() {
            Request bob = queued();
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_QUEUED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
            locks.giveUp(blocker);
            assertThat(next.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void a_queued_request_leaves_the_queue_by_cancel_or_release() {
            Request bob = queued();
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_QUEUED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
        }

        @Test
        void a_queued_request_times_out() {
            blocker = held("alice", ReadWriteMode.WRITE);
            Request bob =
                    locks.requestOffer(
                            "bob", DOOR, ReadWriteMode.WRITE, ofSeconds(5), USUAL, NO_END);
            locks.advance(ofSeconds(5).minusNanos(1));
            assertThat(bob.outcome()).isEqualTo(QUEUED);
            locks.advance(Duration.ofNanos(1));
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
        }

        @Test
        void an_offer_becomes_a_hold_when_confirmed() {
            Request bob = offered();
            Request response = locks.confirm(bob);
            assertThat(response.outcome()).isEqualTo(WAS_OFFERED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.HELD);
            assertThat(next.outcome()).isEqualTo(QUEUED);
        }

        @Test
        void a_declined_offer_goes_to_the_next_waiter() {
            Request bob = offered();
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_OFFERED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
            assertThat(next.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void an_offer_ended_by_cancel_or_release_goes_to_the_next_waiter() {
            Request bob = offered();
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_OFFERED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
            assertThat(next.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void an_offer_has_a_confirmation_deadline_and_no_wait_timeout() {
            Request bob =
                    locks.requestOffer(
                            "bob",
                            DOOR,
                            ReadWriteMode.WRITE,
                            ofSeconds(1),
                            ofSeconds(9),
                            ofSeconds(1));
            next = locks.read("carol", DOOR);
            locks.advance(ofSeconds(9).minusNanos(1));
            assertThat(bob.outcome()).isEqualTo(OFFERED);
            locks.advance(Duration.ofNanos(1));
            assertThat(bob.outcome()).isEqualTo(LAPSED);
            assertThat(next.outcome()).isEqualTo(OFFERED);
            assertThat(locks.confirm(bob).outcome()).isEqualTo(WAS_GONE);
        }

        @Test
        void a_confirmed_hold_stays_when_confirmed_again_or_declined() {
            Request bob = confirmed();
            assertThat(locks.confirm(bob).outcome()).isEqualTo(WAS_HELD);
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_HELD);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.HELD);
            assertThat(next.outcome()).isEqualTo(QUEUED);
        }

        @Test
        void a_confirmed_hold_is_released_by_cancel_or_release() {
            Request bob = confirmed();
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_HELD);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
            assertThat(next.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void the_lease_of_a_confirmed_hold_starts_at_the_confirmation() {
            Request bob =
                    locks.requestOffer(
                            "bob", DOOR, ReadWriteMode.WRITE, USUAL, USUAL, ofSeconds(3));
            next = locks.read("carol", DOOR);
            locks.advance(ofSeconds(100));
            locks.confirm(bob);
            locks.advance(ofSeconds(2));
            locks.confirm(bob); // does not restart the lease
            locks.advance(ofSeconds(1).minusNanos(1));
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.HELD);
            locks.advance(Duration.ofNanos(1));
            assertThat(bob.outcome()).isEqualTo(EXPIRED);
            assertThat(next.outcome()).isEqualTo(OFFERED);
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_GONE);
        }

        @Test
        void an_ended_request_stays_gone() {
            Request bob = confirmed();
            locks.giveUp(bob);
            assertThat(locks.confirm(bob).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.check(bob))
                    .extracting(Effect.StatusReport::status, Effect.StatusReport::fence)
                    .containsExactly(OfferRequestStatus.GONE, 0L);
        }

        @Test
        void an_offer_request_ends_with_its_session() {
            Request bob = queued();
            locks.close("bob");
            assertThat(locks.waitersFor(DOOR)).isEqualTo(1);
            locks.close("alice");
            assertThat(next.outcome()).isEqualTo(OFFERED);
            locks.close("carol");
            assertThat(bob.outcome()).isEqualTo(QUEUED);
            assertThat(locks.isRetained(DOOR)).isFalse();
        }

        @Test
        void an_offer_request_may_be_cancelled_too() {
            Request bob = queued();
            locks.cancel(bob);
            assertThat(bob.outcome()).isEqualTo(CANCELLED);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.GONE);
            locks.giveUp(blocker);
            locks.cancel(next);
            assertThat(next.outcome()).isEqualTo(CANCELLED);
            assertThat(locks.isRetained(DOOR)).isFalse();
        }
    }

    @Nested
    @DisplayName("While an offer is unconfirmed")
    class OneOffer {
        @ParameterizedTest
        @EnumSource
        void no_command_is_granted_while_an_offer_is_unconfirmed(ReadWriteMode readWriteMode) {
            Request alice = locks.requestOffer("alice", DOOR, readWriteMode);
            assertThat(locks.acquireWithoutWait("bob", DOOR).outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.tryAcquire("bob", DOOR).outcome()).isEqualTo(BUSY);
            Request acquire = locks.acquire("bob", DOOR);
            Request read = locks.read("carol", DOOR);
            Request enqueue = locks.enqueue("dave", DOOR);
            assertThat(acquire.outcome()).isEqualTo(BLOCKED);
            assertThat(read.outcome()).isEqualTo(QUEUED);
            assertThat(enqueue.outcome()).isEqualTo(QUEUED);
            locks.decline(alice);
            assertThat(acquire.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void waiters_time_out_while_an_offer_is_unconfirmed() {
            Request alice = locks.read("alice", DOOR);
            Request bob =
                    locks.requestOffer(
                            "bob", DOOR, ReadWriteMode.READ, ofSeconds(1), USUAL, NO_END);
            locks.advance(ofSeconds(1));
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            assertThat(alice.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void an_unconfirmed_offer_counts_as_a_hold() {
            locks.read("alice", DOOR);
            assertThat(locks.inspect("bob", DOOR).holders()).isEqualTo(1);
            assertThat(locks.engine.views().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                    .isEqualTo(new HeldCounts(1, 1));
            assertThat(locks.isHolding("alice")).isTrue();
        }
    }

    @Nested
    @DisplayName("Beside other commands")
    class Mixed {
        @Test
        void an_acquire_waits_for_all_confirmed_readers() {
            Request alice = held("alice", ReadWriteMode.READ);
            Request bob = held("bob", ReadWriteMode.READ);
            Request carol = locks.acquire("carol", DOOR);
            locks.giveUp(alice);
            assertThat(carol.outcome()).isEqualTo(BLOCKED);
            locks.giveUp(bob);
            assertThat(carol.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_offer_request_waits_for_acquired_and_try_acquired_holds() {
            Request alice = locks.acquire("alice", DOOR);
            Request bob = locks.read("bob", DOOR);
            assertThat(bob.outcome()).isEqualTo(QUEUED);
            locks.release(alice);
            assertThat(bob.outcome()).isEqualTo(OFFERED);
            locks.giveUp(bob);
            assertThat(locks.tryAcquire("carol", DOOR).outcome()).isEqualTo(TRY_ACQUIRED);
            Request again = locks.read("bob", DOOR);
            assertThat(again.outcome()).isEqualTo(QUEUED);
            locks.releaseBySession("carol", DOOR);
            assertThat(again.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void readers_behind_an_acquire_are_offered_the_lock_when_it_is_cancelled_or_times_out() {
            held("alice", ReadWriteMode.READ);
            Request acquire = locks.acquire("bob", DOOR);
            Request carol = locks.read("carol", DOOR);
            assertThat(carol.outcome()).isEqualTo(QUEUED);
            locks.cancel(acquire);
            assertThat(carol.outcome()).isEqualTo(OFFERED);
            locks.confirm(carol);
            locks.acquire("bob", DOOR, ofSeconds(1), USUAL);
            Request dave = locks.read("dave", DOOR);
            locks.advance(ofSeconds(1));
            assertThat(dave.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void readers_behind_an_enqueue_are_offered_the_lock_when_its_await_times_out() {
            held("alice", ReadWriteMode.READ);
            locks.enqueue("bob", DOOR);
            Request carol = locks.read("carol", DOOR);
            locks.await("bob", DOOR, ZERO);
            assertThat(carol.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void a_confirmed_hold_is_not_affected_by_try_acquire_or_tokens() {
            Request alice = held("alice", ReadWriteMode.WRITE);
            assertThat(locks.releaseBySession("alice", DOOR).outcome()).isEqualTo(NOT_HELD);
            assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(BUSY);
            assertThat(locks.inspect("alice", DOOR).own()).isFalse();
            assertThat(
                            locks.engine
                                    .views()
                                    .isHolding(alice.session(), ResourceKind.LOCK, DOOR.key()))
                    .isFalse();
            long fence = locks.check(alice).fence();
            for (long salt = 0x5A17; salt < 0x5A17 + 5; salt++) { // the scenario's salts
                Token token = new Token(fence, salt);
                assertThat(locks.release("bob", DOOR, token).outcome()).isEqualTo(NOT_HELD);
                assertThat(locks.renew("bob", DOOR, token, USUAL).outcome()).isEqualTo(NOT_HELD);
            }
            assertThat(locks.status(alice)).isEqualTo(OfferRequestStatus.HELD);
        }

        @Test
        void an_acquire_makes_a_transient_key_retained() {
            Request alice = held("alice", ReadWriteMode.READ);
            assertThat(locks.quotas.transientKeys).isEqualTo(1);
            locks.acquireWithoutWait("bob", DOOR);
            assertThat(locks.quotas.transientKeys).isZero();
            assertThat(locks.quotas.keys).isEqualTo(1);
            locks.giveUp(alice);
            assertThat(locks.isIdle(DOOR)).isTrue();
        }

        @Test
        void an_offer_request_leaves_a_retained_key_retained() {
            locks.release(locks.acquire("alice", DOOR));
            Request bob = held("bob", ReadWriteMode.WRITE);
            assertThat(locks.quotas.transientKeys).isZero();
            locks.giveUp(bob);
            assertThat(locks.isIdle(DOOR)).isTrue();
        }

        @Test
        void an_offer_request_does_not_affect_shared_locks_and_semaphores_of_its_key() {
            held("alice", ReadWriteMode.WRITE);
            assertThat(locks.tryAcquire("bob", Target.shared("door")).outcome())
                    .isEqualTo(TRY_ACQUIRED);
            Request pool = locks.acquire("bob", Target.semaphore("door", 1));
            assertThat(pool.outcome()).isEqualTo(GRANTED);
            locks.release(pool);
        }
    }

    @Nested
    @DisplayName("When a session closes")
    class Closing {
        @Test
        void a_confirmed_hold_ends_with_its_session_even_without_auto_release() {
            locks = LockScenario.withoutAutoRelease();
            Request alice =
                    locks.requestOffer(
                            "alice", DOOR, ReadWriteMode.WRITE, USUAL, USUAL, ofSeconds(60));
            locks.confirm(alice);
            Request bob = locks.write("bob", DOOR);
            locks.close("alice");
            assertThat(bob.outcome()).isEqualTo(OFFERED);
            assertThat(locks.orphaned()).isEmpty();
        }

        @Test
        void a_closing_session_gets_no_offer() {
            for (QueuePolicy queuePolicy : QueuePolicy.values()) {
                for (List<ReadWriteMode> order :
                        List.of(
                                List.of(
                                        ReadWriteMode.READ,
                                        ReadWriteMode.WRITE,
                                        ReadWriteMode.READ),
                                List.of(
                                        ReadWriteMode.WRITE,
                                        ReadWriteMode.READ,
                                        ReadWriteMode.WRITE))) {
                    locks = LockScenario.withPolicy(DOOR, queuePolicy);
                    held("alice", ReadWriteMode.READ);
                    Request blocker = locks.requestOffer("alice", DOOR, ReadWriteMode.READ);
                    order.forEach(readWriteMode -> locks.requestOffer("bob", DOOR, readWriteMode));
                    Request carol = locks.read("carol", DOOR);
                    locks.confirm(blocker);
                    long bob = locks.session("bob");
                    locks.close("bob");
                    assertThat(locks.lastEffects()).noneMatch(it -> it.session() == bob);
                    if (queuePolicy != QueuePolicy.READER_PREFERRED
                            && order.getFirst() == ReadWriteMode.WRITE) {
                        assertThat(carol.outcome())
                                .as("%s %s", queuePolicy, order)
                                .isEqualTo(OFFERED);
                    }
                }
            }
        }

        @Test
        void offers_are_made_when_a_session_is_closed_in_slices_too() {
            held("alice", ReadWriteMode.READ);
            for (int i = 0; i < 5; i++) {
                locks.write("bob", DOOR);
            }
            Request carol = locks.read("carol", DOOR);
            locks.closeInSlices("bob", 2);
            assertThat(carol.outcome()).isEqualTo(OFFERED);
        }

        @Test
        void confirmed_holds_of_a_closing_session_are_not_reported_as_orphaned() {
            held("alice", ReadWriteMode.READ);
            locks.close("alice");
            assertThat(locks.orphaned()).isEmpty();
            assertThat(locks.isRetained(DOOR)).isFalse();
        }
    }

    @Nested
    @DisplayName("Beyond the quotas")
    class MemoryLimit {
        @Test
        void an_offer_request_beyond_the_quotas_is_refused_without_a_trace() {
            locks.quotas.memoryLeft = false;
            assertThat(locks.read("alice", DOOR).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.isRetained(DOOR)).isFalse();
            locks.quotas.memoryLeft = true;
            held("alice", ReadWriteMode.READ);
            locks.quotas.memoryLeft = false;
            assertThat(locks.read("bob", DOOR).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.holders(DOOR)).containsExactly("alice");
            locks.quotas.memoryLeft = true;
        }

        @Test
        void an_offer_request_whose_key_exceeds_the_quotas_is_refused() {
            locks.quotas.maxTransientKeys = 1;
            locks.tryAcquire("dave", Target.lock("other"));
            assertThat(locks.read("alice", DOOR).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.suspend(DOOR).outcome()).isEqualTo(TOO_MANY_KEYS);
            assertThat(locks.quotas.pieces).isEqualTo(1);
        }

        @Test
        void a_full_queue_refuses_only_offer_requests_that_would_have_to_wait() {
            locks =
                    new LockScenario(
                            new EngineSettings(
                                    1,
                                    LockScenario.IDLE.toNanos(),
                                    true,
                                    0,
                                    Map.of(DOOR.key(), QueuePolicy.READER_PREFERRED)));
            Request alice = held("alice", ReadWriteMode.READ);
            assertThat(locks.write("bob", DOOR).outcome()).isEqualTo(QUEUED);
            assertThat(locks.write("carol", DOOR).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.read("dave", DOOR).outcome()).isEqualTo(OFFERED);
            assertThat(locks.waitersFor(DOOR)).isEqualTo(1);
            locks.giveUp(alice);
        }
    }

    @Test
    @DisplayName("a try acquire costs the same with many readers")
    void a_try_acquire_costs_the_same_with_many_readers() {
        // Were each of these linear in the readers, this would take minutes.
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        List<Effect> effects = new ArrayList<>();
        int many = 100_000;
        for (int i = 1; i <= many; i++) {
            long request = 2L * i;
            engine.apply(
                    new Command.RequestOffer(
                            1, request, DOOR.key(), ReadWriteMode.READ, 1, 1, Command.FOREVER, i),
                    0,
                    quotas,
                    effects);
            engine.apply(
                    new Command.Confirm(1, request + 1, DOOR.key(), request), 0, quotas, effects);
            engine.apply(
                    new Command.TryAcquire(2, i, ResourceKind.LOCK, DOOR.key(), i),
                    0,
                    quotas,
                    effects);
            effects.clear();
        }
        for (int i = 1; i <= many; i++) {
            engine.apply(
                    new Command.CancelOrRelease(1, 3L * many + i, DOOR.key(), 2L * i),
                    0,
                    quotas,
                    effects);
            effects.clear();
        }
        assertThat(quotas.pieces).isZero();
        assertThat(quotas.transientKeys).isZero();
    }
}
