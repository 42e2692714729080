package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.BUSY;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.KEPT;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.QUEUED;
import static io.holdfast.engine.lock.LockScenario.Outcome.RELEASED;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.Outcome.TRY_ACQUIRED;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.ResourceView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

@DisplayName("A try-acquired hold")
class TryAcquireTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");

    private final LockScenario locks = new LockScenario();

    @Test
    void a_try_acquire_of_a_free_lock_is_granted() {
        var alice = locks.tryAcquire("alice", PRINTER);
        assertThat(alice.tryAcquired())
                .isEqualTo(new Effect.TryAcquired(alice.session(), alice.number(), true, 1));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        assertThat(locks.isHolding("alice")).isTrue();
    }

    @Test
    void a_try_acquire_by_the_holder_changes_nothing() {
        locks.tryAcquire("alice", PRINTER);
        byte[] before = EngineSnapshot.of(locks.engine);
        long fence = locks.quotas.lastFence;
        var again = locks.tryAcquire("alice", PRINTER);
        assertThat(again.tryAcquired())
                .isEqualTo(new Effect.TryAcquired(again.session(), again.number(), false, 1));
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        assertThat(locks.quotas.lastFence).isEqualTo(fence);
        assertThat(locks.releaseBySession("alice", PRINTER).outcome()).isEqualTo(RELEASED);
        assertThat(locks.holdersOf(PRINTER)).isZero();
    }

    @Test
    void a_try_acquire_of_a_held_lock_is_refused_and_changes_nothing() {
        locks.tryAcquire("alice", PRINTER);
        byte[] before = EngineSnapshot.of(locks.engine);
        assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(BUSY);
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
        assertThat(locks.engine.hasSession(locks.session("bob"))).isFalse();
    }

    @Test
    void a_try_acquired_hold_has_no_lease() {
        locks.tryAcquire("alice", PRINTER);
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        locks.advance(ofDays(10_000));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        assertThat(locks.view(PRINTER))
                .get()
                .extracting(ResourceView::leaseLeftNanos)
                .isEqualTo(Command.FOREVER);
    }

    @Test
    void a_released_try_acquired_hold_has_ended() {
        locks.tryAcquire("alice", PRINTER);
        assertThat(locks.releaseBySession("alice", PRINTER).outcome()).isEqualTo(RELEASED);
        assertThat(locks.isHolding("alice")).isFalse();
        assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
    }

    @Test
    void a_try_acquired_hold_is_released_only_once_and_only_by_its_holder() {
        locks.tryAcquire("alice", PRINTER);
        assertThat(locks.releaseBySession("bob", PRINTER).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.releaseBySession("alice", SCANNER).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.releaseBySession("alice", PRINTER);
        assertThat(locks.releaseBySession("alice", PRINTER).outcome()).isEqualTo(NOT_HELD);
        locks.tryAcquire("bob", PRINTER);
        assertThat(locks.releaseBySession("alice", PRINTER).outcome()).isEqualTo(NOT_HELD);
        assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
    }

    @Test
    void a_try_acquired_hold_cannot_be_released_with_a_guessed_token() {
        locks.tryAcquire("alice", PRINTER);
        long fence = locks.since(PRINTER); // the next fences are predictable
        byte[] before = EngineSnapshot.of(locks.engine);
        for (long near = fence - 2; near <= fence + 2; near++) {
            for (long salt : new long[] {0, 1, -1, fence, Long.MAX_VALUE, Long.MIN_VALUE}) {
                Token guess = new Token(near, salt);
                assertThat(locks.release("bob", PRINTER, guess).outcome()).isEqualTo(NOT_HELD);
                assertThat(locks.release("alice", PRINTER, guess).outcome()).isEqualTo(NOT_HELD);
                assertThat(locks.renew("bob", PRINTER, guess, ofSeconds(1)).outcome())
                        .isEqualTo(NOT_HELD);
            }
        }
        assertThat(EngineSnapshot.of(locks.engine)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "SHARED"})
    void a_try_acquired_hold_has_a_higher_fence_than_earlier_grants(ResourceKind resourceKind) {
        Target target = new Target(resourceKind, Key.of("target"), 1);
        long last = locks.acquire("zoe", SCANNER).fence();
        for (int i = 0; i < 5; i++) {
            locks.tryAcquire("alice", target);
            assertThat(locks.since(target)).isGreaterThan(last);
            last = locks.since(target);
            locks.releaseBySession("alice", target);
            long between = locks.acquire("zoe", Target.lock("other-" + i)).fence();
            assertThat(between).isGreaterThan(last);
            last = between;
        }
    }

    @Nested
    @DisplayName("With waiters")
    class AndWaiters {
        @Test
        void a_try_acquire_is_refused_while_a_lease_holds_the_lock() {
            var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(BUSY);
            locks.release(alice);
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
        }

        @Test
        void a_try_acquire_is_granted_after_the_lease_is_over() {
            locks.acquire("alice", PRINTER, ofSeconds(10));
            locks.advanceSilently(ofSeconds(10));
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
        }

        @Test
        void a_try_acquired_hold_makes_acquires_wait_or_fail() {
            locks.tryAcquire("alice", PRINTER);
            assertThat(locks.acquireWithoutWait("bob", PRINTER).outcome()).isEqualTo(TIMED_OUT);
            assertThat(locks.acquire("bob", PRINTER).outcome()).isEqualTo(BLOCKED);
            assertThat(locks.enqueue("carol", PRINTER).outcome()).isEqualTo(QUEUED);
            assertThat(locks.waitersFor(PRINTER)).isEqualTo(2);
        }

        @Test
        void a_released_try_acquired_hold_goes_to_the_first_waiter() {
            locks.tryAcquire("alice", PRINTER);
            long since = locks.since(PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            var carol = locks.acquire("carol", PRINTER);
            var released = locks.releaseBySession("alice", PRINTER);
            assertThat(locks.lastEffects())
                    .containsExactly(released.effects().getFirst(), bob.grant());
            assertThat(bob.fence()).isGreaterThan(since).isEqualTo(locks.since(PRINTER));
            assertThat(carol.outcome()).isEqualTo(BLOCKED);
        }

        @Test
        void a_try_acquired_hold_goes_to_the_first_waiter_when_its_session_closes() {
            locks.tryAcquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            locks.close("alice");
            assertThat(bob.outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_try_acquire_never_overtakes_waiters() {
            locks.tryAcquire("alice", PRINTER);
            locks.enqueue("bob", PRINTER);
            assertThat(locks.tryAcquire("carol", PRINTER).outcome()).isEqualTo(BUSY);
            locks.releaseBySession(
                    "alice", PRINTER); // bob holds it, but has not got the effect yet
            assertThat(locks.tryAcquire("carol", PRINTER).outcome()).isEqualTo(BUSY);
            assertThat(locks.tryAcquire("alice", PRINTER).outcome()).isEqualTo(BUSY);
            assertThat(locks.await("bob", PRINTER).outcome()).isEqualTo(GRANTED);
        }

        @Test
        void a_try_acquire_by_a_waiter_is_refused() {
            locks.tryAcquire("alice", PRINTER);
            var bob = locks.acquire("bob", PRINTER);
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(BUSY);
            assertThat(bob.outcome()).isEqualTo(BLOCKED);
        }

        @Test
        void the_holder_of_a_try_acquired_hold_may_queue_behind_itself() {
            locks.tryAcquire("alice", PRINTER);
            var alice = locks.acquire("alice", PRINTER);
            assertThat(alice.outcome()).isEqualTo(BLOCKED);
            assertThat(locks.tryAcquire("alice", PRINTER).outcome()).isEqualTo(KEPT);
            locks.releaseBySession("alice", PRINTER);
            assertThat(alice.outcome()).isEqualTo(GRANTED);
        }
    }

    @Nested
    @DisplayName("When its session closes")
    class WhoseSessionCloses {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void a_try_acquired_hold_ends_with_its_session_even_without_auto_release(
                boolean autoRelease) {
            LockScenario any = new LockScenario(new EngineSettings(0, 0, autoRelease));
            any.tryAcquire("alice", PRINTER);
            any.tryAcquire("alice", Target.shared("printer"));
            any.acquire("alice", SCANNER);
            any.close("alice");
            assertThat(any.isRetained(PRINTER)).isFalse();
            assertThat(any.isRetained(Target.shared("printer"))).isFalse();
            assertThat(any.holdersOf(SCANNER)).isEqualTo(autoRelease ? 0 : 1);
        }

        @Test
        void orphaned_try_acquired_holds_are_counted_by_kind() {
            locks.tryAcquire("alice", PRINTER);
            locks.tryAcquire("alice", SCANNER);
            locks.tryAcquire("alice", Target.lock("given back"));
            locks.releaseBySession("alice", Target.lock("given back"));
            for (String name : List.of("a", "b", "printer")) {
                locks.tryAcquire("alice", Target.shared(name));
                locks.tryAcquire("bob", Target.shared(name));
            }
            locks.acquire("alice", Target.lock("with a lease"));
            locks.acquire("alice", Target.semaphore("pool", 2));
            long alice = locks.session("alice");
            locks.close("alice");
            assertThat(locks.lastEffects()).containsExactly(new Effect.Orphaned(alice, 2, 3));
            long bob = locks.session("bob");
            locks.close("bob");
            assertThat(locks.lastEffects()).containsExactly(new Effect.Orphaned(bob, 0, 3));
        }

        @Test
        void a_released_try_acquired_hold_is_not_counted_as_orphaned() {
            locks.tryAcquire("alice", PRINTER);
            locks.releaseBySession("alice", PRINTER);
            locks.acquire("alice", SCANNER);
            locks.close("alice");
            locks.close("unknown");
            assertThat(locks.orphaned()).isEmpty();
        }

        @Test
        void the_orphaned_effect_belongs_to_no_request() {
            assertThat(new Effect.Orphaned(1, 2, 3).request()).isZero();
        }
    }

    @Nested
    @DisplayName("With a retained key")
    class RetainedKey {
        @Test
        void a_try_acquire_leaves_a_retained_key_retained() {
            locks.release(locks.acquire("alice", PRINTER));
            assertThat(locks.tryAcquire("bob", PRINTER).outcome()).isEqualTo(TRY_ACQUIRED);
            locks.releaseBySession("bob", PRINTER);
            assertThat(locks.isIdle(PRINTER)).isTrue();
        }

        @Test
        void a_try_acquired_retained_key_is_not_dropped_and_its_idle_time_restarts() {
            locks.release(locks.acquire("alice", PRINTER));
            locks.tryAcquire("bob", PRINTER);
            locks.advance(LockScenario.IDLE.multipliedBy(3));
            locks.collect();
            assertThat(locks.holderOf(PRINTER)).isEqualTo("bob");
            locks.releaseBySession("bob", PRINTER);
            locks.collect();
            locks.advance(LockScenario.IDLE);
            locks.collect();
            assertThat(locks.isIdle(PRINTER)).isTrue();
            locks.advance(ofSeconds(1));
            locks.collect();
            assertThat(locks.isRetained(PRINTER)).isFalse();
        }
    }

    @Test
    @DisplayName("a try acquired shared lock has no token")
    void a_try_acquired_shared_lock_has_no_token() {
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        Key key = Key.of("shared");
        List<Effect> effects = new ArrayList<>();
        engine.apply(
                new Command.TryAcquire(1, 1, ResourceKind.SHARED, key, 42), 0, quotas, effects);
        long fence =
                Objects.requireNonNull(engine.views().holders(ResourceKind.SHARED, key)).since();
        Token right = new Token(fence, 42);
        engine.apply(
                new Command.Release(1, 2, ResourceKind.SHARED, key, right), 0, quotas, effects);
        engine.apply(
                new Command.Renew(1, 3, ResourceKind.SHARED, key, right, 1), 0, quotas, effects);
        assertThat(effects)
                .containsExactly(
                        new Effect.TryAcquired(1, 1, true, 1),
                        new Effect.Refused(1, 2, Refusal.NOT_HELD),
                        new Effect.Refused(1, 3, Refusal.NOT_HELD));
        assertThat(engine.views().hasHolds(1)).isTrue();
    }
}
