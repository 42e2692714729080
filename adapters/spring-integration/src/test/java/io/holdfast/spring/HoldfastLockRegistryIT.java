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
@SuppressWarnings("LockNotBeforeTry") // what happens without an unlock is what is tested
class HoldfastLockRegistryIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension static final HoldfastExtension HOLDFAST = new HoldfastExtension();

    private final Holdfast ours = HOLDFAST.clientBuilder().connect();
    private final Holdfast theirs = HOLDFAST.clientBuilder().connect();
    private final HoldfastLockRegistry here = new HoldfastLockRegistry(ours);
    private final HoldfastLockRegistry there = new HoldfastLockRegistry(theirs);
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        others.shutdownNow();
        ours.close();
        theirs.close();
    }

    @Test
    void lets_one_process_in_at_a_time() throws Exception {
        DistributedLock lock = here.obtain("one");
        lock.lock();
        assertThat(there.obtain("one").tryLock()).isFalse();
        Future<?> next = others.submit(() -> there.obtain("one").lock());
        awaitWaiters("one", 1);
        lock.unlock();
        next.get(60, TimeUnit.SECONDS);
        assertThat(lock.tryLock()).isFalse();
    }

    @Test
    void lets_one_thread_in_at_a_time() throws Exception {
        DistributedLock lock = here.obtain("threads");
        lock.lock();
        assertThat(elsewhere(() -> here.obtain("threads").tryLock())).isFalse();
        assertThat(elsewhere(() -> here.obtain("threads").tryLock(1, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThatThrownBy(() -> elsewhere(() -> unlocked(lock)))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
        assertThat(elsewhere(() -> here.obtain("threads").tryLock())).isTrue();
    }

    @Test
    void lets_a_thread_in_again_and_releases_after_the_last_unlock() throws InterruptedException {
        here.obtain("again").lock();
        assertThat(here.obtain("again").tryLock()).isTrue();
        here.obtain("again").lockInterruptibly();
        here.obtain("again").lock(LONG);
        assertThat(here.obtain("again").tryLock(LONG, LONG)).isTrue();
        for (int i = 0; i < 4; i++) {
            here.obtain("again").unlock();
            assertThat(there.obtain("again").tryLock()).isFalse();
        }
        here.obtain("again").unlock();
        assertThat(there.obtain("again").tryLock()).isTrue();
    }

    @Test
    void ends_a_lock_with_its_time_to_live_and_tells_its_thread() throws Exception {
        DistributedLock lock = here.obtain("ttl");
        lock.lock(SHORT);
        DistributedLock next = there.obtain("ttl");
        assertThat(next.tryLock(LONG, LONG)).isTrue();
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> here.renewLock("ttl"))
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasCauseInstanceOf(LeaseLostException.class));
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(lock.tryLock()).as("others have it").isFalse();
        next.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void renews_a_lock_that_has_a_time_to_live_when_told_to() throws InterruptedException {
        DistributedLock lock = here.obtain("renewed");
        assertThat(lock.tryLock(LONG, Duration.ofSeconds(20))).isTrue();
        here.renewLock("renewed", LONG);
        assertThat(lease("renewed")).isGreaterThan(Duration.ofMinutes(9));
        here.renewLock("renewed");
        lock.unlock();
        assertThatThrownBy(() -> here.renewLock("renewed"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> here.renewLock("never", LONG))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void makes_the_lease_longer_if_the_thread_comes_in_again_for_longer() {
        here.obtain("longer").lock(Duration.ofSeconds(20));
        here.obtain("longer").lock(LONG);
        assertThat(lease("longer")).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void gives_up_when_interrupted_unless_asked_not_to() throws Exception {
        Hold hold = theirs.lock("spring:interrupted").acquire();
        AtomicReference<Thread> waiting = new AtomicReference<>();
        Future<?> polite =
                others.submit(
                        () -> {
                            waiting.set(Thread.currentThread());
                            here.obtain("interrupted").lockInterruptibly();
                            return null;
                        });
        awaitWaiters("interrupted", 1);
        waiting.get().interrupt();
        assertThatThrownBy(() -> polite.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InterruptedException.class);
        awaitWaiters("interrupted", 0);

        Future<Boolean> stubborn =
                others.submit(
                        () -> {
                            waiting.set(Thread.currentThread());
                            here.obtain("interrupted").lock();
                            here.obtain("interrupted").unlock();
                            return Thread.currentThread().isInterrupted();
                        });
        awaitWaiters("interrupted", 1);
        waiting.get().interrupt();
        hold.close();
        assertThat(stubborn.get(60, TimeUnit.SECONDS)).as("still interrupted").isTrue();
        assertThat(there.obtain("interrupted").tryLock()).isTrue();
    }

    @Test
    void leaves_nothing_of_keys_that_are_not_in_use() throws Exception {
        InProcessKeyLocks locals = new InProcessKeyLocks(ours);
        DistributedLock lock = new ThreadBoundLock("unused", locals);
        lock.lock();
        lock.lock();
        assertThat(elsewhere(() -> lock.tryLock())).isFalse();
        lock.unlock();
        assertThat(locals.size()).isEqualTo(1);
        lock.unlock();
        assertThat(locals.size()).isZero();
        try (Hold unused = theirs.lock("unused").acquire()) {
            assertThat(unused.isHeld()).isTrue();
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        }
        assertThat(locals.size()).isZero();
    }

    @Test
    void serves_code_that_is_run_under_a_lock() throws Exception {
        String answer = here.executeLocked("code", () -> "done");
        assertThat(answer).isEqualTo("done");
        here.executeLocked(
                "code",
                () ->
                        assertThatThrownBy(() -> there.executeLocked("code", SHORT, () -> {}))
                                .isInstanceOf(TimeoutException.class));
    }

    @Test
    void has_no_conditions() {
        assertThatThrownBy(() -> here.obtain("x").newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    private static boolean unlocked(DistributedLock lock) {
        lock.unlock();
        return true;
    }

    private <T> T elsewhere(Callable<T> task) throws Exception {
        return others.submit(task).get(60, TimeUnit.SECONDS);
    }

    private void awaitWaiters(String name, long count) {
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> standing(name).map(KeyInfo.ResourceInfo::waiters).orElse(0L) == count);
    }

    private Duration lease(String name) {
        return standing(name).orElseThrow().holders().get(0).lease().orElseThrow();
    }

    private Optional<KeyInfo.ResourceInfo> standing(String name) {
        return theirs.info("spring:" + name).lock();
    }
}
