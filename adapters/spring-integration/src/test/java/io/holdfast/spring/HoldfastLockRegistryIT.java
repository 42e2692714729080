package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.KeyInfo;
import io.holdfast.client.LeaseLostException;
import io.holdfast.testing.HoldfastExtension;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.integration.support.locks.DistributedLock;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("The lock registry for Spring Integration")
@SuppressWarnings("LockNotBeforeTry") // the tests cover what happens without an unlock
class HoldfastLockRegistryIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension static final HoldfastExtension HOLDFAST = new HoldfastExtension();

    private final Holdfast firstClient = HOLDFAST.clientBuilder().connect();
    private final Holdfast secondClient = HOLDFAST.clientBuilder().connect();
    private final HoldfastLockRegistry firstRegistry = new HoldfastLockRegistry(firstClient);
    private final HoldfastLockRegistry secondRegistry = new HoldfastLockRegistry(secondClient);
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        others.shutdownNow();
        firstClient.close();
        secondClient.close();
    }

    @Test
    void a_lock_has_one_holder_among_processes() throws Exception {
        DistributedLock lock = firstRegistry.obtain("one");
        lock.lock();
        assertThat(secondRegistry.obtain("one").tryLock()).isFalse();
        Future<?> next = others.submit(() -> secondRegistry.obtain("one").lock());
        awaitWaiters("one", 1);
        lock.unlock();
        next.get(60, TimeUnit.SECONDS);
        assertThat(lock.tryLock()).isFalse();
    }

    @Test
    void a_lock_has_one_holder_among_threads() throws Exception {
        DistributedLock lock = firstRegistry.obtain("threads");
        lock.lock();
        assertThat(inOtherThread(() -> firstRegistry.obtain("threads").tryLock())).isFalse();
        assertThat(
                        inOtherThread(
                                () ->
                                        firstRegistry
                                                .obtain("threads")
                                                .tryLock(1, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThatThrownBy(() -> inOtherThread(() -> unlocked(lock)))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
        assertThat(inOtherThread(() -> firstRegistry.obtain("threads").tryLock())).isTrue();
    }

    @Test
    void a_lock_is_reentrant_and_released_after_the_last_unlock() throws InterruptedException {
        firstRegistry.obtain("again").lock();
        assertThat(firstRegistry.obtain("again").tryLock()).isTrue();
        firstRegistry.obtain("again").lockInterruptibly();
        firstRegistry.obtain("again").lock(LONG);
        assertThat(firstRegistry.obtain("again").tryLock(LONG, LONG)).isTrue();
        for (int i = 0; i < 4; i++) {
            firstRegistry.obtain("again").unlock();
            assertThat(secondRegistry.obtain("again").tryLock()).isFalse();
        }
        firstRegistry.obtain("again").unlock();
        assertThat(secondRegistry.obtain("again").tryLock()).isTrue();
    }

    @Test
    void a_lock_ends_after_its_time_to_live_and_its_thread_gets_an_exception() throws Exception {
        DistributedLock lock = firstRegistry.obtain("ttl");
        lock.lock(SHORT);
        DistributedLock next = secondRegistry.obtain("ttl");
        assertThat(next.tryLock(LONG, LONG)).isTrue();
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> firstRegistry.renewLock("ttl"))
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasCauseInstanceOf(LeaseLostException.class));
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(lock.tryLock()).as("another client holds it").isFalse();
        next.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void renew_lock_extends_a_lock_with_a_time_to_live() throws InterruptedException {
        DistributedLock lock = firstRegistry.obtain("renewed");
        assertThat(lock.tryLock(LONG, Duration.ofSeconds(20))).isTrue();
        firstRegistry.renewLock("renewed", LONG);
        assertThat(lease("renewed")).isGreaterThan(Duration.ofMinutes(9));
        firstRegistry.renewLock("renewed");
        lock.unlock();
        assertThatThrownBy(() -> firstRegistry.renewLock("renewed"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> firstRegistry.renewLock("never", LONG))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_reentrant_acquire_with_a_longer_time_to_live_extends_the_lease() {
        firstRegistry.obtain("longer").lock(Duration.ofSeconds(20));
        firstRegistry.obtain("longer").lock(LONG);
        assertThat(lease("longer")).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void an_interrupt_ends_lock_interruptibly_but_not_lock() throws Exception {
        Hold hold = secondClient.lock("spring:interrupted").acquire();
        AtomicReference<Thread> waiting = new AtomicReference<>();
        Future<?> interruptible =
                others.submit(
                        () -> {
                            waiting.set(Thread.currentThread());
                            firstRegistry.obtain("interrupted").lockInterruptibly();
                            return null;
                        });
        awaitWaiters("interrupted", 1);
        waiting.get().interrupt();
        assertThatThrownBy(() -> interruptible.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InterruptedException.class);
        awaitWaiters("interrupted", 0);

        Future<Boolean> uninterruptible =
                others.submit(
                        () -> {
                            waiting.set(Thread.currentThread());
                            firstRegistry.obtain("interrupted").lock();
                            firstRegistry.obtain("interrupted").unlock();
                            return Thread.currentThread().isInterrupted();
                        });
        awaitWaiters("interrupted", 1);
        waiting.get().interrupt();
        hold.close();
        assertThat(uninterruptible.get(60, TimeUnit.SECONDS)).as("still interrupted").isTrue();
        assertThat(secondRegistry.obtain("interrupted").tryLock()).isTrue();
    }

    @Test
    void keys_that_are_not_in_use_take_no_memory() throws Exception {
        InProcessKeyLocks locals = new InProcessKeyLocks(firstClient);
        DistributedLock lock = new ThreadBoundLock("unused", locals);
        lock.lock();
        lock.lock();
        assertThat(inOtherThread(() -> lock.tryLock())).isFalse();
        lock.unlock();
        assertThat(locals.size()).isEqualTo(1);
        lock.unlock();
        assertThat(locals.size()).isZero();
        try (Hold unused = secondClient.lock("unused").acquire()) {
            assertThat(unused.isHeld()).isTrue();
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        }
        assertThat(locals.size()).isZero();
    }

    @Test
    void code_can_be_executed_under_a_lock() throws Exception {
        String result = firstRegistry.executeLocked("code", () -> "done");
        assertThat(result).isEqualTo("done");
        firstRegistry.executeLocked(
                "code",
                () ->
                        assertThatThrownBy(
                                        () -> secondRegistry.executeLocked("code", SHORT, () -> {}))
                                .isInstanceOf(TimeoutException.class));
    }

    @Test
    void conditions_are_not_supported() {
        assertThatThrownBy(() -> firstRegistry.obtain("x").newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    private static boolean unlocked(DistributedLock lock) {
        lock.unlock();
        return true;
    }

    private <T> T inOtherThread(Callable<T> task) throws Exception {
        return others.submit(task).get(60, TimeUnit.SECONDS);
    }

    private void awaitWaiters(String name, long count) {
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> info(name).map(KeyInfo.ResourceInfo::waiters).orElse(0L) == count);
    }

    private Duration lease(String name) {
        return info(name).orElseThrow().holders().get(0).lease().orElseThrow();
    }

    private Optional<KeyInfo.ResourceInfo> info(String name) {
        return secondClient.info("spring:" + name).lock();
    }
}
