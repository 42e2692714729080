package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.IDLE;
import static io.holdfast.engine.lock.LockScenario.Outcome.LIMIT_MISMATCH;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ResourceView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An idle key")
class IdleKeysTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target POOL = Target.semaphore("pool", 2);

    private final LockScenario locks = new LockScenario();

    @Test
    void an_idle_key_is_dropped_after_the_idle_time() {
        locks.release(locks.acquire("alice", PRINTER));
        locks.advance(IDLE);
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).as("exactly the idle time is not more").isTrue();
        locks.advance(ofNanos(1));
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).isFalse();
        assertThat(locks.quotas.keys).isZero();
    }

    @Test
    void an_idle_key_is_dropped_by_a_collection_only() {
        locks.release(locks.acquire("alice", PRINTER));
        locks.advance(IDLE.multipliedBy(10));
        assertThat(locks.isRetained(PRINTER)).isTrue();
    }

    @Test
    void a_dropped_key_leaves_nothing_behind() {
        long empty = EngineObjectCount.of(locks.engine);
        var alice = locks.acquire("alice", PRINTER);
        locks.acquire("alice", POOL, ofSeconds(1));
        locks.enqueue("bob", PRINTER);
        locks.release(alice);
        locks.close("alice");
        locks.close("bob");
        locks.advance(IDLE.plusNanos(1));
        locks.collect();
        assertThat(EngineObjectCount.of(locks.engine)).isEqualTo(empty);
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void an_idle_key_is_dropped_by_the_next_collection_when_the_idle_time_is_zero() {
        var eager = LockScenario.withIdleTime(ZERO);
        eager.release(eager.acquire("alice", PRINTER));
        assertThat(eager.engine.hasCollectable(eager.now())).isTrue();
        eager.collect();
        assertThat(eager.isRetained(PRINTER)).isFalse();
    }

    @Test
    void a_key_with_a_holder_or_a_waiter_is_not_idle() {
        var eager = LockScenario.withIdleTime(ZERO);
        eager.acquire("alice", PRINTER, ofSeconds(1000));
        eager.acquire("bob", PRINTER);
        eager.enqueue("alice", POOL, ofSeconds(1000));
        eager.advance(ofSeconds(500));
        assertThat(eager.engine.hasCollectable(eager.now())).isFalse();
        eager.collect();
        assertThat(eager.isRetained(PRINTER)).isTrue();
        assertThat(eager.isRetained(POOL)).isTrue();
    }

    @Test
    void an_idle_key_is_not_kept_by_releases_and_renewals_with_wrong_tokens() {
        var alice = locks.acquire("alice", PRINTER);
        locks.release(alice);
        for (int i = 0; i < 61; i++) {
            locks.advance(ofSeconds(1));
            assertThat(locks.release("alice", PRINTER, alice.token()).outcome())
                    .isEqualTo(NOT_HELD);
            assertThat(locks.renew("alice", PRINTER, new Token(1, i), USUAL).outcome())
                    .isEqualTo(NOT_HELD);
            locks.await("alice", PRINTER);
        }
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    @Test
    void an_idle_key_is_not_kept_by_requests_with_another_limit() {
        locks.release(locks.acquire("alice", POOL));
        for (int i = 0; i < 61; i++) {
            locks.advance(ofSeconds(1));
            assertThat(locks.acquireWithoutWait("bob", Target.semaphore("pool", 9)).outcome())
                    .isEqualTo(LIMIT_MISMATCH);
        }
        locks.collect();
        assertThat(locks.isRetained(POOL)).isFalse();
    }

    @Test
    void the_idle_time_starts_at_a_release() {
        var alice = locks.acquire("alice", PRINTER);
        locks.advance(ofSeconds(100));
        locks.release(alice);
        assertIdleFor(PRINTER, 0);
    }

    @Test
    void the_idle_time_starts_at_the_expiry_of_a_lease() {
        locks.acquire("alice", PRINTER, ofSeconds(100));
        locks.advance(ofSeconds(100));
        assertIdleFor(PRINTER, 0);
    }

    @Test
    void the_idle_time_starts_at_the_close_of_the_session() {
        locks.acquire("alice", PRINTER);
        locks.advance(ofSeconds(100));
        locks.close("alice");
        assertIdleFor(PRINTER, 0);
    }

    @Test
    void the_idle_time_starts_at_a_cancellation() {
        var alice = locks.acquire("alice", PRINTER);
        locks.advance(ofSeconds(100));
        locks.cancel(alice);
        assertIdleFor(PRINTER, 0);
    }

    @Test
    void the_last_activity_is_shown_for_a_key_in_use_too() {
        var alice = locks.acquire("alice", PRINTER);
        locks.advance(ofSeconds(7));
        assertThat(locks.view(PRINTER).orElseThrow().idleNanos()).isEqualTo(ofSeconds(7).toNanos());
        locks.acquireWithoutWait("bob", PRINTER);
        assertThat(locks.view(PRINTER).orElseThrow().idleNanos()).isZero();
        locks.advance(ofSeconds(7));
        locks.renew(alice, USUAL);
        assertThat(locks.view(PRINTER).orElseThrow().idleNanos()).isZero();
        locks.advance(ofSeconds(3));
        locks.release("bob", PRINTER, new Token(alice.fence(), 0));
        assertThat(locks.view(PRINTER).orElseThrow().idleNanos()).isEqualTo(ofSeconds(3).toNanos());
    }

    @Test
    void an_idle_key_is_dropped_before_those_that_were_used_later() {
        var keys = new Target[] {PRINTER, POOL, Target.lock("scanner")};
        for (Target key : keys) {
            locks.release(locks.acquire("alice", key));
            locks.advance(ofSeconds(10));
        }
        locks.release(locks.acquire("alice", PRINTER)); // now the youngest
        locks.advance(IDLE.minusSeconds(15)); // the pool is idle for 65 s, the scanner for 55 s
        locks.collect();
        assertThat(locks.isRetained(POOL)).isFalse();
        assertThat(locks.isRetained(keys[2])).isTrue();
        assertThat(locks.isRetained(PRINTER)).isTrue();
        locks.advance(ofSeconds(10));
        locks.collect();
        assertThat(locks.isRetained(keys[2])).isFalse();
        assertThat(locks.isRetained(PRINTER)).isTrue();
    }

    @Test
    void an_idle_key_is_dropped_in_slices_the_oldest_first() {
        for (int i = 0; i < 10; i++) {
            locks.release(locks.acquire("alice", Target.lock("key-" + i)));
        }
        locks.advance(IDLE.plusNanos(1));
        for (int left = 10; left > 0; left -= 3) {
            assertThat(locks.engine.hasCollectable(locks.now())).isTrue();
            locks.collect(3);
            int gone = Math.min(10, 10 - left + 3);
            for (int i = 0; i < 10; i++) {
                assertThat(locks.isRetained(Target.lock("key-" + i))).isEqualTo(i >= gone);
            }
        }
        assertThat(locks.engine.hasCollectable(locks.now())).isFalse();
    }

    @Test
    void an_idle_key_is_dropped_during_a_listing() {
        for (int i = 0; i < 4; i++) {
            locks.release(locks.acquire("alice", Target.lock("key-" + i)));
        }
        locks.advance(IDLE.plusNanos(1));
        KeyScan<ResourceView> keyScan = locks.engine.views().listIdle();
        var views = new java.util.ArrayList<ResourceView>();
        assertThat(keyScan.next(2, locks.now(), views)).isTrue();
        assertThat(locks.engine.hasCollectable(locks.now())).isTrue();
        locks.collect();
        assertThat(locks.quotas.keys).isZero();
        keyScan.close();
    }

    @Test
    void has_collectable_reports_an_idle_key_when_due() {
        assertThat(locks.engine.hasCollectable(locks.now())).isFalse();
        locks.release(locks.acquire("alice", PRINTER));
        assertThat(locks.engine.hasCollectable(locks.now() + IDLE.toNanos() + 1)).isTrue();
        locks.advance(IDLE.plusNanos(1));
        locks.collect();
        assertThat(locks.engine.hasCollectable(locks.now())).isFalse();
    }

    @Test
    void a_key_that_is_used_again_is_not_dropped() {
        for (int i = 0; i < 5; i++) {
            locks.release(locks.acquire("alice", PRINTER));
            locks.advance(IDLE.minusSeconds(1));
            locks.collect();
            assertThat(locks.isRetained(PRINTER)).isTrue();
        }
        var alice = locks.acquire("alice", PRINTER);
        locks.advance(IDLE.multipliedBy(3));
        locks.collect();
        locks.release(alice);
        locks.advance(IDLE);
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).isTrue();
        locks.advance(ofNanos(1));
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    private void assertIdleFor(Target what, long nanos) {
        assertThat(locks.isIdle(what)).isTrue();
        assertThat(locks.view(what).orElseThrow().idleNanos()).isEqualTo(nanos);
    }
}
