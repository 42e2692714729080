package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.testing.FakeHoldfast;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("An acquire")
class AcquireTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FakeHoldfast fake = new FakeHoldfast();
    private final Holdfast a = fake.client("a");
    private final Holdfast b = fake.client("b");

    @AfterEach
    void nothing_is_left() {
        fake.close();
        assertThat(fake.inUse()).isZero();
    }

    private void untilInUse(int count) {
        Background.until(() -> fake.inUse() == count);
    }

    @Test
    void an_acquire_waits_until_the_holder_releases() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        var waiting = Background.run(() -> b.lock("k").acquire());
        untilInUse(2);
        hold.close();
        assertThat(waiting.get().isHeld()).isTrue();
    }

    @Test
    void an_acquire_throws_at_its_timeout() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var waiting = Background.run(() -> b.lock("k").acquire(SECOND));
            var trying = Background.run(() -> b.lock("k").tryAcquire(SECOND));
            untilInUse(3);
            fake.advance(SECOND);
            assertThatThrownBy(waiting::get)
                    .hasCauseInstanceOf(AcquireTimeoutException.class)
                    .hasMessageContaining("k");
            assertThat(trying.get()).isEmpty();
            assertThat(hold.isHeld()).isTrue();
            assertThat(fake.inUse()).isEqualTo(1);
        }
    }

    @Test
    void an_interrupted_acquire_leaves_the_queue() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var waiting = Background.run(() -> b.lock("k").acquire());
            untilInUse(2);
            waiting.thread().interrupt();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
            assertThat(fake.inUse()).isEqualTo(1);
            assertThat(hold.isHeld()).isTrue();
        }
    }

    @Test
    void an_acquire_of_an_interrupted_thread_is_not_sent() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> a.lock("k").acquire()).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void a_try_acquire_keeps_the_interrupt_flag() {
        Thread.currentThread().interrupt();
        assertThat(a.lock("k").tryAcquire()).isPresent();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_late_grant_gets_a_full_lease_first() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        var lease = Duration.ofSeconds(30);
        var waiting = Background.run(() -> b.lock("k").lease(lease).renew(false).acquire());
        untilInUse(2);
        fake.advance(Duration.ofSeconds(100));
        hold.close();
        try (var late = waiting.get()) {
            assertThat(late.heldForAtLeast(lease)).isTrue();
        }
    }

    @Test
    void an_async_acquire_completes_on_the_executor() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        var thread = new AtomicReference<Thread>();
        var future =
                b.lock("k")
                        .acquireAsync(SECOND)
                        .thenApply(
                                acquired -> {
                                    thread.set(Thread.currentThread());
                                    return acquired;
                                });
        hold.close();
        try (var acquired = future.get(60, TimeUnit.SECONDS)) {
            assertThat(acquired.isHeld()).isTrue();
            assertThat(thread.get()).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void a_cancelled_async_acquire_leaves_the_queue() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var future = b.lock("k").acquireAsync(SECOND);
            assertThat(fake.inUse()).isEqualTo(2);
            assertThat(future.cancel(true)).isTrue();
            assertThat(fake.inUse()).isEqualTo(1);
            assertThat(hold.isHeld()).isTrue();
            assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void an_async_acquire_fails_at_its_timeout() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var future = b.lock("k").acquireAsync(SECOND);
            fake.advance(SECOND);
            assertThatThrownBy(future::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(AcquireTimeoutException.class);
            assertThat(hold.isHeld()).isTrue();
        }
    }

    @Test
    void an_acquire_ends_when_the_client_is_closed() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var waiting = Background.run(() -> b.lock("k").acquire());
            untilInUse(2);
            b.close();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(ClientClosedException.class);
            assertThat(hold.isHeld()).isTrue();
        }
    }

    @Test
    void a_queued_acquire_keeps_its_position_and_is_renewed_until_it_is_awaited() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        var queued = b.lock("k").enqueue();
        assertThat(queued.isGranted()).isFalse();
        hold.close();
        Background.until(queued::isGranted);
        fake.advance(Duration.ofMinutes(10)); // renewed until it is awaited
        try (var acquired = queued.await(Duration.ZERO)) {
            assertThat(acquired.heldForAtLeast(acquired.lease())).isTrue();
            assertThatThrownBy(() -> queued.await(Duration.ZERO))
                    .isInstanceOf(IllegalStateException.class);
            queued.close();
            assertThat(acquired.isHeld()).isTrue();
        }
    }

    @Test
    void a_queued_acquire_is_cancelled_when_its_await_times_out() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            var queued = b.lock("k").enqueue();
            var waiting = Background.run(() -> queued.tryAwait(SECOND));
            Background.until(() -> waiting.thread().getState() == Thread.State.WAITING);
            fake.advance(SECOND);
            assertThat(waiting.get()).isEmpty();
            assertThat(fake.inUse()).isEqualTo(1);
            assertThat(hold.isHeld()).isTrue();
        }
    }

    @Test
    void a_closed_queued_acquire_leaves_neither_waiter_nor_hold() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        var queued = b.lock("k").enqueue();
        queued.close();
        assertThat(fake.inUse()).isEqualTo(1);
        hold.close();
        var granted = b.lock("k").enqueue();
        assertThat(granted.isGranted()).isTrue();
        granted.close();
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void with_lock_holds_while_the_task_runs_and_throws_after_a_loss() throws Exception {
        assertThat(a.withLock("k", SECOND, () -> b.lock("k").tryAcquire())).isEmpty();
        assertThat(fake.inUse()).isZero();
        assertThatThrownBy(() -> a.withLock("k", SECOND, () -> fake.releaseByToken("k")))
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(
                        () ->
                                a.withLock(
                                        "k",
                                        SECOND,
                                        () -> {
                                            throw new java.io.IOException("task");
                                        }))
                .isInstanceOf(java.io.IOException.class);
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void a_multi_lock_acquires_all_keys_or_none_in_order() throws Exception {
        var one = a.lock("b").acquire(Duration.ZERO);
        assertThat(b.multiLock("c", "a", "b", "a").tryAcquire()).isEmpty();
        assertThat(fake.inUse()).isEqualTo(1);
        var future = b.multiLock("c", "a", "b").acquireAsync(SECOND);
        assertThat(a.lock("a").tryAcquire()).isEmpty();
        one.close();
        try (var all = future.get(60, TimeUnit.SECONDS)) {
            assertThat(all.parts()).extracting(Hold::key).containsExactly("a", "b", "c");
            assertThat(all.parts()).allMatch(part -> part.fence().isPresent());
            assertThat(all.isHeld()).isTrue();
            fake.releaseByToken("b");
            assertThat(all.lossReason()).contains(LossReason.RELEASED);
            assertThat(all.isHeld()).isFalse();
        }
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void a_multi_lock_sorts_keys_by_bytes_not_by_java_characters() throws Exception {
        // U+FF5E comes before U+1F512 in UTF-8, and after its surrogates in UTF-16.
        try (var all = a.multiLock("\uD83D\uDD12", "\uFF5E").acquire(Duration.ZERO)) {
            assertThat(all.parts()).extracting(Hold::key).containsExactly("\uFF5E", "\uD83D\uDD12");
        }
    }

    @Test
    void a_multi_lock_has_one_deadline() throws Exception {
        var first = a.lock("a").acquire(Duration.ZERO);
        try (var second = a.lock("b").acquire(Duration.ZERO)) {
            var waiting = Background.run(() -> b.multiLock("a", "b").tryAcquire(SECOND));
            untilInUse(3);
            fake.advance(Duration.ofMillis(600));
            first.close();
            untilInUse(3);
            fake.advance(Duration.ofMillis(400));
            assertThat(waiting.get()).isEmpty();
            assertThat(fake.inUse()).isEqualTo(1);
            assertThat(second.isHeld()).isTrue();
        }
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the lock does not belong to a thread
    void a_java_lock_can_be_unlocked_by_any_thread() throws Exception {
        var lock = a.lock("k").asJavaLock();
        lock.lock();
        assertThat(b.lock("k").asJavaLock().tryLock()).isFalse();
        assertThat(lock.tryLock()).isFalse();
        Background.run(
                        () -> {
                            lock.unlock();
                            return true;
                        })
                .get();
        assertThat(fake.inUse()).isZero();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        lock.lockInterruptibly();
        fake.releaseByToken("k");
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the lock does not belong to a thread
    void a_java_lock_that_was_lost_does_not_release_the_hold_of_the_next_thread() throws Exception {
        var lock = a.lock("k").asJavaLock();
        lock.lock();
        fake.releaseByToken("k");
        Background.run(lock::tryLock).get();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(b.lock("k").tryAcquire()).isEmpty();
        lock.unlock();
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void a_multi_lock_reports_no_loss_before_all_keys_are_held() throws Exception {
        var losses = new CopyOnWriteArrayList<LossReason>();
        var last = b.lock("z").acquire(Duration.ZERO);
        var waiting = Background.run(() -> a.multiLock("k", "z").onLost(losses::add).acquire());
        untilInUse(3);
        fake.releaseByToken("k");
        last.close();
        try (var all = waiting.get()) {
            assertThat(all.isHeld()).isTrue();
            assertThat(losses).isEmpty();
            fake.releaseByToken("z");
            assertThat(losses).containsExactly(LossReason.RELEASED);
        }
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the lock does not belong to a thread
    void lock_of_a_java_lock_keeps_the_interrupt_flag() throws Exception {
        var hold = b.lock("k").acquire(Duration.ZERO);
        var lock = a.lock("k").asJavaLock();
        var waiting =
                Background.run(
                        () -> {
                            lock.lock();
                            return Thread.interrupted();
                        });
        untilInUse(2);
        waiting.thread().interrupt();
        hold.close();
        assertThat(waiting.get()).isTrue();
        lock.unlock();
    }

    @Test
    void features_that_a_plain_server_lacks_are_named_in_the_exception() {
        var plain = fake.client("p", HoldfastBuilder::plain);
        assertThat(plain.features()).isEqualTo(new Features(false, false, false, false, false));
        assertThatThrownBy(() -> plain.readWriteLock("k").read().tryAcquire())
                .isInstanceOf(UnsupportedByServerException.class)
                .hasMessageContaining("read lock k")
                .hasMessageContaining("plain dflockd");
        assertThatThrownBy(() -> plain.lock("k").unbound().tryAcquire())
                .isInstanceOf(UnsupportedByServerException.class)
                .hasMessageContaining("unbound");
        assertThat(plain.lock("k").tryAcquire().orElseThrow().fence()).isEmpty();
        assertThat(plain.info("k").lock().orElseThrow().held()).isEqualTo(1);
    }
}
