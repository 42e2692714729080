package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.NOBODY;
import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RENEWED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("When a session closes")
class SessionCloseTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");
    private static final Target POOL = Target.semaphore("pool", 2);

    private final LockScenario locks = new LockScenario();

    @Test
    void holds_of_a_closing_session_pass_on_in_the_order_they_were_granted() {
        locks.acquire("alice", SCANNER);
        locks.acquire("alice", PRINTER);
        locks.acquire("alice", POOL);
        locks.acquire("alice", POOL);
        var printer = locks.acquire("bob", PRINTER);
        var scanner = locks.acquire("carol", SCANNER);
        var first = locks.acquire("dave", POOL);
        var second = locks.acquire("erin", POOL);
        locks.close("alice");
        assertThat(locks.lastEffects())
                .containsExactly(scanner.grant(), printer.grant(), first.grant(), second.grant());
    }

    @Test
    void waiters_of_a_closing_session_are_removed_at_once() {
        var few = LockScenario.withMaxWaiters(1);
        var holder = few.acquire("holder", PRINTER);
        few.acquire("alice", PRINTER);
        few.close("alice");
        assertThat(few.waitersFor(PRINTER)).isZero();
        var bob = few.acquire("bob", PRINTER);
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        few.release(holder);
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_grant_after_a_session_has_closed_skips_it() {
        var holder = locks.acquire("holder", PRINTER);
        locks.acquire("alice", PRINTER);
        locks.enqueue("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.close("alice");
        locks.close("bob");
        locks.release(holder);
        assertThat(carol.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_closing_session_with_only_semaphore_slots_and_waiters_is_cleaned_up() {
        locks.acquire("holder", PRINTER);
        locks.acquire("alice", POOL);
        locks.enqueue("alice", POOL);
        locks.enqueue("alice", PRINTER);
        locks.close("alice");
        assertThat(locks.isIdle(POOL)).isTrue();
        assertThat(locks.waitersFor(PRINTER)).isZero();
    }

    @Test
    void the_blocked_await_of_a_closing_session_ends_without_an_effect() {
        locks.acquire("holder", PRINTER);
        locks.enqueue("alice", PRINTER);
        var await = locks.await("alice", PRINTER);
        locks.close("alice");
        assertThat(await.effects()).isEmpty();
        assertThat(locks.waitersFor(PRINTER)).isZero();
    }

    @Test
    void the_uncollected_grant_of_a_closing_session_passes_on() {
        var holder = locks.acquire("holder", PRINTER);
        locks.enqueue("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.release(holder);
        locks.close("alice");
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_closing_session_does_not_grant_to_itself() {
        locks.acquire("alice", PRINTER);
        locks.acquire("alice", PRINTER);
        locks.enqueue("alice", PRINTER);
        locks.close("alice");
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(locks.lastEffects()).isEmpty();
    }

    @Test
    void a_slot_granted_at_the_time_of_the_close_goes_to_the_next_waiter() {
        locks.acquire("holder", PRINTER, ofSeconds(10));
        locks.acquire("alice", PRINTER);
        var bob = locks.acquire("bob", PRINTER);
        locks.advanceSilently(ofSeconds(10));
        locks.close("alice");
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void a_session_that_used_the_token_of_another_is_not_its_owner() {
        var bob = locks.acquire("bob", PRINTER);
        locks.renew("alice", PRINTER, bob.token(), ofSeconds(100));
        locks.close("alice");
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
    }

    @Test
    void closing_a_session_does_not_affect_others() {
        locks.acquire("bob", PRINTER);
        var carol = locks.acquire("carol", PRINTER);
        locks.acquire("alice", SCANNER);
        locks.close("alice");
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
        assertThat(carol.outcome()).isEqualTo(BLOCKED);
    }

    @Test
    void closing_an_unknown_session_does_nothing() {
        locks.acquire("bob", PRINTER);
        locks.close("stranger");
        assertThat(locks.lastEffects()).isEmpty();
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
    }

    @Test
    void a_closed_session_leaves_nothing_behind() {
        var holder = locks.acquire("holder", PRINTER);
        long before = EngineObjectCount.of(locks.engine);
        for (int i = 0; i < 100; i++) {
            String who = "visitor-" + i;
            locks.acquireWithoutWait(who, PRINTER);
            locks.enqueue(who, PRINTER);
            locks.await(who, PRINTER, ofSeconds(5));
            locks.acquire(who, PRINTER);
            locks.release(who, PRINTER, new Token(1, 1));
            locks.await(who, SCANNER);
            locks.close(who);
        }
        assertThat(EngineObjectCount.of(locks.engine)).isEqualTo(before);
        locks.release(holder);
    }

    @Test
    void the_cost_of_a_close_depends_on_the_state_of_the_session_only() {
        // If a close were linear in the length of the queue, this would take minutes.
        int sessions = 150_000;
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        List<Effect> effects = new ArrayList<>();
        assertTimeoutPreemptively(
                ofSeconds(20),
                () -> {
                    for (int i = 1; i <= sessions; i++) {
                        engine.apply(
                                new Command.Acquire(
                                        i, 1, ResourceKind.LOCK, PRINTER.key(), 1, 1000, 1000, i),
                                0,
                                quotas,
                                effects);
                    }
                    for (int i = 0; i < sessions; i++) { // all over the queue, each once
                        long session = i * 7919L % sessions + 1;
                        engine.apply(new Command.CloseSession(session, 0), 0, quotas, effects);
                    }
                });
        assertThat(Views.of(engine, 0).inUse()).isEmpty();
    }

    @Nested
    @DisplayName("Without auto-release")
    class WithoutAutoRelease {
        private final LockScenario keeping = LockScenario.withoutAutoRelease();

        @Test
        void without_auto_release_holds_stay_until_their_lease_ends() {
            keeping.acquire("alice", PRINTER, ofSeconds(10));
            var bob = keeping.acquire("bob", PRINTER);
            keeping.close("alice");
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            assertThat(keeping.holderOf(PRINTER)).isEqualTo("alice");
            keeping.advance(ofSeconds(10));
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void without_auto_release_the_token_of_a_closed_session_renews_and_releases() {
            var alice = keeping.acquire("alice", PRINTER, ofSeconds(10));
            keeping.close("alice");
            var renewal = keeping.renew("bob", PRINTER, alice.token(), ofSeconds(20));
            assertThat(renewal.outcome()).isEqualTo(RENEWED);
            keeping.advance(ofSeconds(15));
            var release = keeping.release("bob", PRINTER, alice.token());
            assertThat(release.outcome()).isEqualTo(RELEASED);
            assertThat(keeping.holderOf(PRINTER)).isEqualTo(NOBODY);
            assertThat(keeping.release("bob", PRINTER, alice.token()).outcome())
                    .isEqualTo(NOT_HELD);
        }

        @Test
        void without_auto_release_waiters_and_enqueue_records_are_removed() {
            var holder = keeping.acquire("holder", PRINTER);
            keeping.acquire("alice", PRINTER);
            keeping.enqueue("alice", PRINTER);
            var bob = keeping.acquire("bob", PRINTER);
            keeping.close("alice");
            assertThat(keeping.waitersFor(PRINTER)).isEqualTo(1);
            keeping.release(holder);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void without_auto_release_a_hold_with_an_undelivered_token_is_released() {
            var holder = keeping.acquire("holder", PRINTER);
            keeping.enqueue("alice", PRINTER);
            var bob = keeping.acquire("bob", PRINTER);
            keeping.release(holder); // alice is granted, but the token was never sent
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
            keeping.close("alice");
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void without_auto_release_a_granted_enqueue_with_a_delivered_token_stays() {
            var enqueue = keeping.enqueue("alice", PRINTER, ofSeconds(10));
            keeping.close("alice");
            assertThat(keeping.holdersOf(PRINTER)).isEqualTo(1);
            assertThat(keeping.release("bob", PRINTER, enqueue.token()).outcome())
                    .isEqualTo(RELEASED);
        }

        @Test
        void without_auto_release_a_grant_without_a_written_response_is_released() {
            var holder = keeping.acquire("holder", PRINTER);
            var alice = keeping.acquire("alice", PRINTER);
            var bob = keeping.acquire("bob", PRINTER);
            keeping.release(holder);
            keeping.close("alice", alice);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_hold_whose_token_the_enqueue_delivered_stays_without_a_response_of_the_await() {
            var enqueue = keeping.enqueue("alice", PRINTER);
            var await = keeping.await("alice", PRINTER);
            keeping.close("alice", await);
            assertThat(keeping.holdersOf(PRINTER)).isEqualTo(1);
            assertThat(keeping.release("bob", PRINTER, enqueue.token()).outcome())
                    .isEqualTo(RELEASED);
        }

        @Test
        void a_hold_whose_token_only_the_await_would_have_delivered_is_released() {
            var holder = keeping.acquire("holder", PRINTER);
            keeping.enqueue("alice", PRINTER);
            var bob = keeping.acquire("bob", PRINTER);
            keeping.release(holder);
            var await = keeping.await("alice", PRINTER);
            keeping.close("alice", await);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void only_the_grant_without_a_response_is_released() {
            var first = keeping.acquire("alice", SCANNER);
            var second = keeping.acquire("alice", PRINTER);
            keeping.close("alice", second);
            assertThat(keeping.holdersOf(PRINTER)).isZero();
            assertThat(keeping.holdersOf(SCANNER)).isEqualTo(1);
            assertThat(keeping.release("bob", SCANNER, first.token()).outcome())
                    .isEqualTo(RELEASED);
        }

        @Test
        void without_auto_release_a_grant_at_the_time_of_the_close_passes_on() {
            keeping.acquire("holder", PRINTER, ofSeconds(10));
            var alice = keeping.acquire("alice", PRINTER);
            var bob = keeping.acquire("bob", PRINTER);
            keeping.advanceSilently(ofSeconds(10));
            keeping.close("alice", alice);
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_kept_hold_does_not_belong_to_a_new_session_of_the_same_client() {
            keeping.acquire("alice", PRINTER);
            keeping.close("alice");
            assertThat(keeping.enqueue("alice", PRINTER).outcome()).isEqualTo(QUEUED);
            assertThat(keeping.isHolding("alice")).isFalse();
            keeping.close("alice");
            assertThat(keeping.holdersOf(PRINTER)).isEqualTo(1);
        }

        @Test
        void kept_holds_end_each_with_its_own_lease() {
            keeping.acquire("alice", POOL, ofSeconds(10));
            keeping.acquire("alice", PRINTER, ofSeconds(15));
            keeping.acquire("alice", POOL, ofSeconds(20));
            keeping.close("alice");
            keeping.advance(ofSeconds(10));
            assertThat(keeping.holdersOf(POOL)).isEqualTo(1);
            keeping.advance(ofSeconds(5));
            assertThat(keeping.holdersOf(PRINTER)).isZero();
            keeping.advance(ofSeconds(5));
            assertThat(keeping.holdersOf(POOL)).isZero();
            assertThat(keeping.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        }
    }
}
