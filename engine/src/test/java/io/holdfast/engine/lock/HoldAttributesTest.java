package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.EXPIRED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.OFFERED;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RENEWED;
import static io.holdfast.engine.lock.LockScenario.Outcome.REVOKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_KEYS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TOO_MANY_WAITERS;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_GONE;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.WAS_QUEUED;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.TrackedRequestView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

@DisplayName("An acquire with attributes")
class HoldAttributesTest {
    private static final Target DOOR = Target.lock("door");
    private static final Target POOL = Target.semaphore("pool", 2);
    private static final HoldAttributes READER = new HoldAttributes(ReadWriteMode.READ, true, true);
    private static final HoldAttributes WRITER =
            new HoldAttributes(ReadWriteMode.WRITE, true, true);
    private static final HoldAttributes QUIET_READER =
            new HoldAttributes(ReadWriteMode.READ, true, false);
    private static final HoldAttributes LEFT_READER =
            new HoldAttributes(ReadWriteMode.READ, false, true);
    private static final HoldAttributes LEFT_WRITER =
            new HoldAttributes(ReadWriteMode.WRITE, false, true);

    private LockScenario locks = new LockScenario();

    static Stream<HoldAttributes> allTerms() {
        return Arrays.stream(ReadWriteMode.values())
                .flatMap(
                        readWriteMode ->
                                Stream.of(
                                        new HoldAttributes(readWriteMode, true, true),
                                        new HoldAttributes(readWriteMode, true, false),
                                        new HoldAttributes(readWriteMode, false, true),
                                        new HoldAttributes(readWriteMode, false, false)));
    }

    /** When all sessions have closed and all leases have ended, nothing is left. */
    @AfterEach
    void nothing_is_left() {
        locks.resume(DOOR);
        locks.quotas.memoryLeft = true;
        List<String> people = List.of("alice", "bob", "carol", "dave", "operator");
        people.forEach(locks::close);
        locks.advance(USUAL.multipliedBy(2));
        locks.advance(LockScenario.IDLE.plusSeconds(1));
        locks.collect();
        assertThat(locks.quotas.keys).isZero();
        assertThat(locks.quotas.transientKeys).isZero();
        assertThat(locks.quotas.pieces).isZero();
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Nested
    @DisplayName("For reading")
    class Reading {
        @Test
        void a_read_acquire_shares_the_lock_with_other_readers_each_with_a_fence_of_its_own() {
            Request alice = locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, QUIET_READER);
            Request again = locks.acquire("alice", DOOR, LEFT_READER);
            assertThat(locks.holders(DOOR)).containsExactly("alice", "bob", "alice");
            assertThat(alice.fence()).isLessThan(bob.fence());
            assertThat(bob.fence()).isLessThan(again.fence());
        }

        @Test
        void a_read_acquire_excludes_writers_until_the_last_reader_has_left() {
            Request alice = locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, READER);
            Request plain = locks.acquire("carol", DOOR);
            Request writer = locks.acquire("dave", DOOR, WRITER);
            locks.release(alice);
            assertThat(plain.outcome()).isEqualTo(BLOCKED);
            locks.release(bob);
            assertThat(locks.holders(DOOR)).containsExactly("carol");
            locks.release(plain);
            assertThat(writer.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_read_acquire_waits_for_a_writer_with_any_attributes() {
            for (HoldAttributes holdAttributes :
                    List.of(HoldAttributes.PLAIN, WRITER, LEFT_WRITER)) {
                Request alice = locks.acquire("alice", DOOR, holdAttributes);
                Request bob = locks.acquire("bob", DOOR, READER);
                Request carol = locks.acquire("carol", DOOR, READER);
                assertThat(bob.outcome()).isEqualTo(BLOCKED);
                locks.release(alice);
                assertThat(locks.holders(DOOR)).containsExactly("bob", "carol");
                locks.release(bob);
                locks.release(carol);
            }
        }

        @Test
        void a_read_acquire_waits_for_a_try_acquired_hold_and_makes_a_try_acquire_fail() {
            assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(TRY_ACQUIRED);
            Request bob = locks.acquire("bob", DOOR, READER);
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            locks.releaseBySession("alice", DOOR);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(BUSY);
            assertThat(locks.tryAcquire("bob", DOOR).outcome()).isEqualTo(BUSY);
            locks.release(bob);
            assertThat(locks.tryAcquire("alice", DOOR).outcome()).isEqualTo(TRY_ACQUIRED);
        }

        @Test
        void a_read_hold_is_released_by_its_token_and_not_by_session() {
            locks.acquire("alice", DOOR, READER);
            locks.acquire("bob", DOOR, READER);
            assertThat(locks.releaseBySession("alice", DOOR).outcome()).isEqualTo(NOT_HELD);
            assertThat(locks.inspect("alice", DOOR).holders()).isEqualTo(2);
            assertThat(locks.inspect("alice", DOOR).own()).isFalse();
        }

        @Test
        void a_read_hold_keeps_an_enqueue_queued_and_a_later_read_queues_behind_it() {
            Request alice = locks.acquire("alice", DOOR, READER);
            assertThat(locks.enqueue("bob", DOOR).outcome()).isEqualTo(QUEUED);
            Request carol = locks.acquire("carol", DOOR, READER);
            assertThat(carol.outcome()).isEqualTo(BLOCKED);
            locks.release(alice);
            assertThat(locks.holders(DOOR)).containsExactly("bob");
            Request bob = locks.await("bob", DOOR);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            locks.release(bob);
            assertThat(carol.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void
                a_read_acquire_waits_while_an_offer_is_unconfirmed_and_shares_with_confirmed_readers() {
            Request alice = locks.read("alice", DOOR);
            Request bob = locks.acquire("bob", DOOR, READER);
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            locks.confirm(alice);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            Request carol = locks.read("carol", DOOR);
            assertThat(carol.outcome()).isEqualTo(OFFERED);
            assertThat(locks.acquire("dave", DOOR, READER).outcome()).isEqualTo(BLOCKED);
            assertThat(locks.holders(DOOR)).containsExactly("alice", "bob", "carol");
        }

        @Test
        void a_read_acquire_waits_while_the_key_is_suspended() {
            locks.suspend(DOOR);
            Request alice = locks.acquire("alice", DOOR, READER);
            assertThat(alice.outcome()).isEqualTo(BLOCKED);
            locks.resume(DOOR);
            assertThat(alice.outcome()).isEqualTo(GRANTED);
            locks.suspend(DOOR);
            assertThat(locks.reassert("bob", DOOR, ReadWriteMode.WRITE, USUAL).outcome())
                    .isEqualTo(BUSY);
            assertThat(locks.reassert("bob", DOOR, ReadWriteMode.READ, USUAL).outcome())
                    .isEqualTo(WAS_HELD);
            assertThat(locks.holders(DOOR)).containsExactly("alice", "bob");
        }

        @Test
        void readers_and_writers_of_the_same_session_wait_for_each_other() {
            Request writer = locks.acquire("alice", DOOR, WRITER);
            Request first = locks.acquire("alice", DOOR, READER);
            Request second = locks.acquire("alice", DOOR, READER);
            Request last = locks.acquire("alice", DOOR, WRITER);
            assertThat(locks.waitersFor(DOOR)).isEqualTo(3);
            locks.release(writer);
            assertThat(locks.holdersOf(DOOR)).isEqualTo(2);
            locks.release(second);
            assertThat(last.outcome()).isEqualTo(BLOCKED);
            locks.release(first);
            assertThat(last.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_read_hold_is_released_by_its_own_token_only() {
            Request alice = locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, READER);
            Token guessed = new Token(alice.fence(), bob.token().salt());
            assertThat(locks.release("alice", DOOR, guessed).outcome()).isEqualTo(NOT_HELD);
            assertThat(locks.holdersOf(DOOR)).isEqualTo(2);
            assertThat(locks.release(alice).outcome()).isEqualTo(RELEASED);
            assertThat(locks.holders(DOOR)).containsExactly("bob");
            assertThat(locks.release("alice", DOOR, alice.token()).outcome()).isEqualTo(NOT_HELD);
            assertThat(locks.holders(DOOR)).containsExactly("bob");
        }

        @Test
        void a_read_hold_is_renewed_by_its_own_token_while_other_leases_expire() {
            Request alice = locks.acquire("alice", DOOR, QUIET_READER, USUAL, ofSeconds(5));
            locks.acquire("bob", DOOR, QUIET_READER, USUAL, ofSeconds(5));
            locks.advance(ofSeconds(4));
            assertThat(locks.renew(alice, ofSeconds(5)).outcome()).isEqualTo(RENEWED);
            locks.advance(ofSeconds(4));
            assertThat(locks.holders(DOOR)).containsExactly("alice");
            locks.advance(ofSeconds(1));
            assertThat(locks.holdersOf(DOOR)).isZero();
            assertThat(locks.renew(alice, ofSeconds(5)).outcome()).isEqualTo(NOT_HELD);
        }

        @Test
        void a_read_acquire_without_a_wait_time_is_only_tried() {
            locks.acquire("alice", DOOR, WRITER);
            Request bob = locks.acquire("bob", DOOR, READER, ZERO, USUAL);
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.waitersFor(DOOR)).isZero();
            assertThat(locks.trackedRequests("bob")).isEmpty();
        }

        @Test
        void a_read_waiter_that_times_out_lets_the_next_waiters_in() {
            locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, WRITER, ofSeconds(3), USUAL);
            Request carol = locks.acquire("carol", DOOR, READER);
            locks.advance(ofSeconds(3));
            assertThat(bob.outcome()).isEqualTo(TIMED_OUT);
            assertThat(carol.outcome()).isEqualTo(GRANTED);
            assertThat(locks.trackedRequests("bob")).isEmpty();
        }

        @Test
        void a_read_acquire_is_refused_by_a_full_queue_unless_it_is_granted_at_once() {
            locks = LockScenario.withMaxWaiters(1);
            locks.acquire("alice", DOOR, READER);
            assertThat(locks.acquire("bob", DOOR, READER).outcome()).isEqualTo(GRANTED);
            assertThat(locks.acquire("carol", DOOR, WRITER).outcome()).isEqualTo(BLOCKED);
            Request dave = locks.acquire("dave", DOOR, READER);
            assertThat(dave.outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.trackedRequests("dave")).isEmpty();
        }

        @Test
        void read_holds_and_read_waiters_are_charged_to_the_quotas() {
            locks.acquire("alice", DOOR, READER);
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("bob", DOOR, READER).outcome()).isEqualTo(TOO_MANY_KEYS);
            locks.quotas.memoryLeft = true;
            locks.acquire("carol", DOOR, WRITER);
            locks.quotas.memoryLeft = false;
            assertThat(locks.acquire("dave", DOOR, READER).outcome()).isEqualTo(TOO_MANY_WAITERS);
            assertThat(locks.trackedRequests("bob")).isEmpty();
            assertThat(locks.trackedRequests("dave")).isEmpty();
        }
    }

    @Nested
    @DisplayName("In the queue")
    class InQueue {
        @ParameterizedTest
        @EnumSource
        void a_read_waiter_is_granted_according_to_the_policy(QueuePolicy queuePolicy) {
            locks = LockScenario.withPolicy(DOOR, queuePolicy);
            Request alice = locks.acquire("alice", DOOR);
            locks.acquire("bob", DOOR, READER);
            locks.acquire("carol", DOOR, WRITER);
            locks.acquire("dave", DOOR, READER);
            locks.release(alice);
            List<String> next =
                    switch (queuePolicy) {
                        case FIFO -> List.of("bob");
                        case READER_PREFERRED -> List.of("bob", "dave");
                        case WRITER_PREFERRED -> List.of("carol");
                    };
            assertThat(locks.holders(DOOR)).isEqualTo(next);
        }

        @ParameterizedTest
        @EnumSource
        void a_read_waiter_is_not_overtaken_unless_readers_are_preferred(QueuePolicy queuePolicy) {
            locks = LockScenario.withPolicy(DOOR, queuePolicy);
            locks.acquire("alice", DOOR, READER);
            Request writer = locks.acquire("bob", DOOR, WRITER);
            Request reader = locks.acquire("carol", DOOR, READER);
            assertThat(writer.outcome()).isEqualTo(BLOCKED);
            assertThat(reader.outcome())
                    .isEqualTo(queuePolicy == QueuePolicy.READER_PREFERRED ? GRANTED : BLOCKED);
        }

        @Test
        void a_waiter_keeps_its_position_when_the_first_reader_arrives() {
            Request alice = locks.acquire("alice", DOOR);
            Request bob = locks.acquire("bob", DOOR);
            Request carol = locks.acquire("carol", DOOR, READER);
            Request dave = locks.acquire("dave", DOOR);
            locks.release(alice);
            assertThat(locks.holders(DOOR)).containsExactly("bob");
            locks.release(bob);
            assertThat(locks.holders(DOOR)).containsExactly("carol");
            locks.release(carol);
            assertThat(dave.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_session_may_queue_many_times_and_is_granted_in_order() {
            Request alice = locks.acquire("alice", DOOR, WRITER);
            List<Request> waits = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waits.add(locks.acquire("bob", DOOR, WRITER));
            }
            locks.release(alice);
            for (Request wait : waits) {
                assertThat(wait.outcome()).isEqualTo(GRANTED);
                locks.release(wait);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"door", "pool"})
        void all_waiters_of_a_session_are_removed_when_it_ends(String name) {
            Target what = name.equals("door") ? DOOR : Target.semaphore("pool", 1);
            Request alice = locks.acquire("alice", what, WRITER);
            List<Request> gone = new ArrayList<>();
            for (HoldAttributes holdAttributes :
                    List.of(WRITER, LEFT_WRITER, HoldAttributes.PLAIN)) {
                gone.add(locks.acquire("bob", what, holdAttributes));
            }
            Request carol = locks.acquire("carol", what, WRITER);
            locks.close("bob");
            locks.release(alice);
            assertThat(gone).allMatch(it -> it.effects().isEmpty());
            assertThat(carol.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void readers_are_granted_together_when_the_writers_between_them_end_with_their_session() {
            locks.acquire("alice", DOOR, READER);
            locks.acquire("bob", DOOR, WRITER);
            Request own = locks.acquire("bob", DOOR, READER);
            Request carol = locks.acquire("carol", DOOR, READER);
            locks.close("bob");
            assertThat(own.effects()).isEmpty();
            assertThat(carol.outcome()).isEqualTo(GRANTED);
        }
    }

    @Nested
    @DisplayName("Not bound to its session")
    class Unbound {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void an_unbound_hold_outlives_its_session_until_its_token_is_used(boolean autoRelease) {
            locks = autoRelease ? new LockScenario() : LockScenario.withoutAutoRelease();
            Request alice = locks.acquire("alice", DOOR, LEFT_WRITER);
            Request bob = locks.acquire("bob", DOOR, WRITER);
            locks.close("alice");
            assertThat(locks.holderOf(DOOR)).isEqualTo("alice");
            assertThat(locks.engine.hasSession(alice.session())).isFalse();
            assertThat(locks.renew("bob", DOOR, alice.token(), USUAL).outcome()).isEqualTo(RENEWED);
            assertThat(locks.release("bob", DOOR, alice.token()).outcome()).isEqualTo(RELEASED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void an_unbound_hold_granted_from_the_queue_outlives_its_session() {
            Request alice = locks.acquire("alice", DOOR, WRITER);
            Request bob = locks.acquire("bob", DOOR, LEFT_READER);
            locks.release(alice);
            locks.close("bob");
            assertThat(locks.holders(DOOR)).containsExactly("bob");
            assertThat(locks.release("carol", DOOR, bob.token()).outcome()).isEqualTo(RELEASED);
        }

        @Test
        void an_unbound_hold_expires_after_its_session_has_ended() {
            locks.acquire("alice", DOOR, LEFT_READER, USUAL, ofSeconds(10));
            Request bob = locks.acquire("bob", DOOR, WRITER);
            locks.advance(ofSeconds(4));
            locks.close("alice");
            locks.advance(ofSeconds(5));
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            locks.advance(ofSeconds(1));
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void an_unbound_hold_with_an_undelivered_token_ends_with_its_session(boolean autoRelease) {
            locks = autoRelease ? new LockScenario() : LockScenario.withoutAutoRelease();
            Request held = locks.acquire("alice", POOL, LEFT_WRITER);
            Request untold = locks.acquire("alice", POOL, LEFT_WRITER);
            locks.close("alice", untold);
            assertThat(locks.holdersOf(POOL)).isEqualTo(1);
            assertThat(locks.release("bob", POOL, untold.token()).outcome()).isEqualTo(NOT_HELD);
            assertThat(locks.release("bob", POOL, held.token()).outcome()).isEqualTo(RELEASED);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void bound_and_unbound_holds_differ_only_with_auto_release(boolean autoRelease) {
            locks = autoRelease ? new LockScenario() : LockScenario.withoutAutoRelease();
            locks.acquire("alice", DOOR, READER);
            locks.acquire("alice", DOOR, LEFT_READER);
            locks.close("alice");
            assertThat(locks.holdersOf(DOOR)).isEqualTo(autoRelease ? 1 : 2);
        }

        @Test
        void an_unbound_hold_leaves_no_session_state_when_closed_in_slices() {
            for (int i = 0; i < 3; i++) {
                locks.acquire("alice", DOOR, LEFT_READER);
                locks.acquire("alice", DOOR, READER);
            }
            locks.acquire("alice", DOOR, WRITER);
            locks.closeInSlices("alice", 1);
            assertThat(locks.holdersOf(DOOR)).isEqualTo(3);
            assertThat(locks.waitersFor(DOOR)).isZero();
        }
    }

    @Nested
    @DisplayName("Tracked")
    class Tracked {
        @Test
        void the_expiry_of_a_tracked_hold_is_reported_once_before_the_next_grant() {
            Request alice = locks.acquire("alice", DOOR, WRITER, USUAL, ofSeconds(2));
            Request bob = locks.acquire("bob", DOOR, READER);
            locks.advance(ofSeconds(2));
            assertThat(locks.lastEffects())
                    .containsExactly(
                            new Effect.Expired(alice.session(), alice.number()), bob.grant());
            locks.advance(USUAL);
            assertThat(alice.outcome()).isEqualTo(EXPIRED);
            assertThat(alice.effects()).hasSize(2);
            assertThat(bob.outcome()).isEqualTo(EXPIRED);
        }

        @Test
        void the_expiry_of_each_tracked_reader_is_reported() {
            Request alice = locks.acquire("alice", DOOR, READER, USUAL, ofSeconds(2));
            Request bob = locks.acquire("bob", DOOR, READER, USUAL, ofSeconds(3));
            locks.advance(ofSeconds(2));
            assertThat(alice.outcome()).isEqualTo(EXPIRED);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            locks.renew(bob, ofSeconds(3));
            locks.advance(ofSeconds(2));
            assertThat(bob.outcome()).isEqualTo(GRANTED);
            locks.advance(ofSeconds(1));
            assertThat(bob.outcome()).isEqualTo(EXPIRED);
        }

        @Test
        void the_release_of_a_tracked_hold_by_another_session_is_reported() {
            Request alice = locks.acquire("alice", POOL, WRITER);
            Request release = locks.release("bob", POOL, alice.token());
            assertThat(locks.lastEffects())
                    .containsExactly(
                            new Effect.Released(release.session(), release.number()),
                            new Effect.Revoked(alice.session(), alice.number()));
            assertThat(alice.outcome()).isEqualTo(REVOKED);
        }

        @Test
        void the_end_of_a_tracked_hold_by_its_holder_is_not_reported() {
            List<Request> ended = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ended.add(locks.acquire("alice", Target.lock("key" + i), WRITER));
            }
            locks.release(ended.get(0));
            locks.giveUp(ended.get(1));
            locks.releaseBySession("alice", Target.lock("key2"));
            locks.close("alice");
            assertThat(ended).allMatch(it -> it.effects().size() == 1);
        }

        @Test
        void the_loss_of_an_untracked_hold_is_not_reported() {
            Request alice = locks.acquire("alice", DOOR, QUIET_READER, USUAL, ofSeconds(2));
            Request bob = locks.acquire("bob", DOOR, QUIET_READER);
            locks.release("carol", DOOR, bob.token());
            locks.advance(ofSeconds(2));
            assertThat(alice.effects()).hasSize(1);
            assertThat(bob.effects()).hasSize(1);
            assertThat(locks.trackedRequests("alice")).isEmpty();
        }

        @Test
        void declining_a_tracked_waiter_removes_it_and_serves_the_next() {
            locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, WRITER);
            Request carol = locks.acquire("carol", DOOR, READER);
            assertThat(locks.status(bob)).isEqualTo(OfferRequestStatus.QUEUED);
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_QUEUED);
            assertThat(bob.effects()).isEmpty();
            assertThat(carol.outcome()).isEqualTo(GRANTED);
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.holders(DOOR)).containsExactly("alice", "carol");
        }

        @Test
        void the_result_of_a_decline_comes_before_the_next_grant() {
            locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, WRITER);
            Request carol = locks.acquire("carol", DOOR, READER);
            Request declined = locks.decline(bob);
            assertThat(locks.lastEffects())
                    .containsExactly(declined.effects().getFirst(), carol.grant());
        }

        @ParameterizedTest
        @EnumSource
        void a_granted_tracked_acquire_stays_when_declined_or_confirmed(
                ReadWriteMode readWriteMode) {
            Request alice =
                    locks.acquire("alice", DOOR, new HoldAttributes(readWriteMode, true, true));
            byte[] before = EngineSnapshot.of(locks.engine);
            assertThat(locks.decline(alice).outcome()).isEqualTo(WAS_HELD);
            assertThat(locks.confirm(alice).outcome()).isEqualTo(WAS_HELD);
            assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
            assertThat(locks.check(alice).fence()).isEqualTo(alice.fence());
        }

        @Test
        void cancel_or_release_ends_a_tracked_waiter_or_hold() {
            Request alice = locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, WRITER);
            Request carol = locks.acquire("carol", DOOR, WRITER);
            assertThat(locks.giveUp(bob).outcome()).isEqualTo(WAS_QUEUED);
            assertThat(locks.giveUp(alice).outcome()).isEqualTo(WAS_HELD);
            assertThat(carol.outcome()).isEqualTo(GRANTED);
            assertThat(locks.release("alice", DOOR, alice.token()).outcome()).isEqualTo(NOT_HELD);
        }

        @Test
        void a_tracked_acquire_of_a_semaphore_is_found_by_its_number() {
            locks.acquire("alice", POOL, WRITER);
            locks.acquire("alice", POOL, WRITER);
            Request bob = locks.acquire("bob", POOL, WRITER);
            Request carol = locks.acquire("carol", POOL, WRITER);
            assertThat(locks.decline(bob).outcome()).isEqualTo(WAS_QUEUED);
            assertThat(locks.waitersFor(POOL)).isEqualTo(1);
            locks.close("alice");
            assertThat(locks.giveUp(carol).outcome()).isEqualTo(WAS_HELD);
            assertThat(locks.holdersOf(POOL)).isZero();
        }

        @Test
        void a_tracked_acquire_is_found_by_its_session_and_key_only() {
            Request alice = locks.acquire("alice", DOOR, WRITER);
            long number = alice.number();
            assertThat(locks.giveUp("bob", DOOR, number).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.giveUp("alice", POOL, number).outcome()).isEqualTo(WAS_GONE);
            Request untracked = locks.acquire("alice", POOL);
            assertThat(locks.giveUp(untracked).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.holderOf(DOOR)).isEqualTo("alice");
            assertThat(locks.holderOf(POOL)).isEqualTo("alice");
        }

        @Test
        void a_tracked_acquire_is_not_found_after_its_session_has_ended() {
            Request alice = locks.acquire("alice", DOOR, LEFT_WRITER);
            locks.close("alice");
            assertThat(locks.engine.views().trackedRequests(alice.session(), 0, 10, locks.now()))
                    .isEmpty();
            assertThat(locks.giveUp("alice", DOOR, alice.number()).outcome()).isEqualTo(WAS_GONE);
            assertThat(locks.holdersOf(DOOR)).isEqualTo(1);
        }
    }

    @Nested
    @DisplayName("In views and snapshots")
    class ViewsAndSnapshots {
        @Test
        void tracked_acquires_are_listed_in_order_of_request_numbers() {
            Request first = locks.acquire("alice", POOL, WRITER, USUAL, ofSeconds(9));
            Request second = locks.acquire("alice", DOOR, READER);
            Request third = locks.acquire("alice", DOOR, WRITER);
            locks.acquire("alice", Target.lock("plain"));
            locks.read("alice", Target.lock("asked"));
            locks.acquire("bob", DOOR, WRITER);
            locks.advance(ofSeconds(4));
            assertThat(locks.trackedRequests("alice"))
                    .containsExactly(
                            new TrackedRequestView(
                                    first.number(), first.token(), ofSeconds(5).toNanos()),
                            new TrackedRequestView(
                                    second.number(),
                                    second.token(),
                                    USUAL.minusSeconds(4).toNanos()),
                            new TrackedRequestView(third.number(), null, 0));
            locks.release(second);
            locks.advance(ofSeconds(5));
            assertThat(locks.trackedRequests("alice"))
                    .containsExactly(
                            new TrackedRequestView(
                                    third.number(),
                                    third.token(),
                                    USUAL.minusSeconds(5).toNanos()));
        }

        @Test
        void tracked_acquires_are_listed_page_by_page() {
            locks.acquire("bob", DOOR, WRITER);
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                numbers.add(locks.acquire("alice", DOOR, READER).number());
                locks.requestOffer(
                        "alice",
                        DOOR,
                        ReadWriteMode.READ); // is not listed and does not count for a page
            }
            List<Long> seen = new ArrayList<>();
            List<TrackedRequestView> page;
            do {
                long after = seen.isEmpty() ? 0 : seen.getLast();
                page =
                        locks.engine
                                .views()
                                .trackedRequests(locks.session("alice"), after, 3, locks.now());
                assertThat(page).hasSizeLessThanOrEqualTo(3);
                page.forEach(it -> seen.add(it.request()));
            } while (!page.isEmpty());
            assertThat(seen).isEqualTo(numbers);
        }

        @Test
        void a_key_view_has_up_to_the_requested_number_of_holders() {
            assertThat(locks.engine.views().view(ResourceKind.LOCK, DOOR.key(), 0, 9, locks.now()))
                    .isNull();
            Request alice = locks.acquire("alice", DOOR, READER);
            Request bob = locks.acquire("bob", DOOR, LEFT_READER, USUAL, ofSeconds(8));
            locks.acquire("carol", DOOR, WRITER);
            locks.advance(ofSeconds(3));
            KeyView.Holder first =
                    new KeyView.Holder(
                            alice.session(),
                            alice.fence(),
                            ReadWriteMode.READ,
                            ofSeconds(3).toNanos(),
                            USUAL.minusSeconds(3).toNanos(),
                            false);
            KeyView.Holder second =
                    new KeyView.Holder(
                            bob.session(),
                            bob.fence(),
                            ReadWriteMode.READ,
                            ofSeconds(3).toNanos(),
                            ofSeconds(5).toNanos(),
                            false);
            KeyView.Waiter third =
                    new KeyView.Waiter(
                            locks.session("carol"),
                            1,
                            ReadWriteMode.WRITE,
                            ofSeconds(3).toNanos(),
                            USUAL.minusSeconds(3).toNanos());
            assertThat(locks.engine.views().view(ResourceKind.LOCK, DOOR.key(), 0, 9, locks.now()))
                    .isEqualTo(
                            new KeyView(
                                    ResourceKind.LOCK,
                                    1,
                                    2,
                                    1,
                                    List.of(first, second),
                                    List.of(third)));
            assertThat(locks.engine.views().view(ResourceKind.LOCK, DOOR.key(), 0, 1, locks.now()))
                    .isEqualTo(
                            new KeyView(
                                    ResourceKind.LOCK, 1, 2, 1, List.of(first), List.of(third)));
            assertThat(
                            locks.engine
                                    .views()
                                    .view(ResourceKind.SEMAPHORE, DOOR.key(), 0, 9, locks.now()))
                    .isNull();
        }

        @Test
        void snapshots_differ_by_the_attributes_of_holds_and_waiters() {
            Set<List<Byte>> states = new HashSet<>();
            for (HoldAttributes holdAttributes : allTerms().toList()) {
                LockScenario other = new LockScenario();
                other.acquire("alice", DOOR, holdAttributes);
                assertThat(states.add(state(other))).as("held as %s", holdAttributes).isTrue();
                other = new LockScenario();
                other.acquire("alice", DOOR);
                other.acquire("bob", DOOR, holdAttributes);
                assertThat(states.add(state(other))).as("waiting as %s", holdAttributes).isTrue();
            }
        }

        private static List<Byte> state(LockScenario locks) {
            List<Byte> bytes = new ArrayList<>();
            for (byte value : EngineSnapshot.of(locks.engine)) {
                bytes.add(value);
            }
            return bytes;
        }
    }

    @ParameterizedTest
    @MethodSource("allTerms")
    void an_acquire_with_attributes_is_charged_to_the_quotas_like_any_other(
            HoldAttributes holdAttributes) {
        Request alice = locks.acquire("alice", DOOR);
        Request bob = locks.acquire("bob", DOOR, holdAttributes);
        Request carol = locks.acquire("carol", DOOR);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        locks.release(alice);
        assertThat(bob.grant().leaseNanos()).isEqualTo(USUAL.toNanos());
        assertThat(locks.release(bob).outcome()).isEqualTo(RELEASED);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }
}
