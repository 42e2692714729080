package io.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.client.Holdfast;
import io.holdfast.testing.HoldfastExtension;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("The lock provider for ShedLock")
class HoldfastLockProviderIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension static final HoldfastExtension HOLDFAST = new HoldfastExtension();

    private final Holdfast firstClient = HOLDFAST.clientBuilder().connect();
    private final Holdfast secondClient = HOLDFAST.clientBuilder().connect();
    private final HoldfastLockProvider firstProvider = new HoldfastLockProvider(firstClient);
    private final HoldfastLockProvider secondProvider = new HoldfastLockProvider(secondClient);

    @AfterEach
    void close() {
        firstClient.close();
        secondClient.close();
    }

    @Test
    void a_lock_has_one_holder_until_it_is_unlocked() {
        SimpleLock lock = firstProvider.lock(config("one", LONG, Duration.ZERO)).orElseThrow();
        assertThat(secondProvider.lock(config("one", LONG, Duration.ZERO))).isEmpty();
        assertThat(firstProvider.lock(config("one", LONG, Duration.ZERO))).isEmpty();
        lock.unlock();
        assertThat(secondProvider.lock(config("one", LONG, Duration.ZERO))).isPresent();
    }

    @Test
    void a_lock_ends_after_lock_at_most_for_without_renewal() {
        SimpleLock late = firstProvider.lock(config("most", SHORT, Duration.ZERO)).orElseThrow();
        SimpleLock next = awaitLock("most");
        late.unlock();
        assertThat(firstProvider.lock(config("most", LONG, Duration.ZERO)))
                .as("a late unlock does not affect the next holder")
                .isEmpty();
        next.unlock();
    }

    @Test
    void an_unlocked_lock_is_kept_for_lock_at_least_for() {
        firstProvider.lock(config("least", LONG, LONG)).orElseThrow().unlock();
        assertThat(secondProvider.lock(config("least", LONG, Duration.ZERO))).isEmpty();
        assertThat(leaseMillis("least")).isLessThanOrEqualTo(LONG.toMillis());
    }

    @Test
    void an_unlocked_lock_is_shortened_to_lock_at_least_for() {
        firstProvider.lock(config("shorter", LONG, SHORT)).orElseThrow().unlock();
        awaitLock("shorter").unlock();
    }

    @Test
    void a_lock_outlives_the_client_of_its_holder() {
        assertThat(firstProvider.lock(config("gone", LONG, Duration.ZERO))).isPresent();
        firstProvider.lock(config("unlocked", LONG, LONG)).orElseThrow().unlock();
        firstClient.close();
        assertThat(secondProvider.lock(config("gone", LONG, Duration.ZERO))).isEmpty();
        assertThat(secondProvider.lock(config("unlocked", LONG, Duration.ZERO))).isEmpty();
    }

    @Test
    void a_held_lock_can_be_extended() {
        Duration minute = Duration.ofMinutes(1);
        SimpleLock lock =
                firstProvider.lock(config("extended", minute, Duration.ZERO)).orElseThrow();
        SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
        assertThat(leaseMillis("extended")).isGreaterThan(minute.toMillis());
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        extended.unlock();
        assertThat(secondProvider.lock(config("extended", LONG, Duration.ZERO))).isPresent();
    }

    @Test
    void an_expired_lock_cannot_be_extended() {
        SimpleLock late = firstProvider.lock(config("late", SHORT, Duration.ZERO)).orElseThrow();
        awaitLock("late");
        assertThat(late.extend(LONG, Duration.ZERO)).isEmpty();
    }

    @Test
    void the_locking_task_executor_of_shedlock_runs_a_task_once() throws Throwable {
        var executor = new DefaultLockingTaskExecutor(firstProvider);
        var others = new DefaultLockingTaskExecutor(secondProvider);
        LockConfiguration config = config("task", LONG, Duration.ZERO);
        var ran = new AtomicInteger();
        var result =
                executor.executeWithLock(
                        () -> {
                            LockExtender.extendActiveLock(LONG, Duration.ZERO);
                            // In this thread ShedLock would treat it as part of this task.
                            CompletableFuture.runAsync(
                                            () ->
                                                    others.executeWithLock(
                                                            (Runnable) ran::incrementAndGet,
                                                            config))
                                    .join();
                            return ran.get();
                        },
                        config);
        assertThat(result.getResult()).isZero();
        others.executeWithLock((Runnable) ran::incrementAndGet, config);
        assertThat(ran).hasValue(1);
    }

    @Test
    void keys_start_with_the_prefix() {
        new HoldfastLockProvider(firstClient, "jobs/").lock(config("named", LONG, Duration.ZERO));
        assertThat(secondClient.lock("jobs/named").tryAcquire()).isEmpty();
        assertThat(secondProvider.lock(config("named", LONG, Duration.ZERO))).isPresent();
        assertThat(secondClient.lock("shedlock:named").tryAcquire()).isEmpty();
    }

    @Test
    void a_plain_dflockd_is_rejected_by_the_constructor() {
        try (Holdfast plain = HOLDFAST.clientBuilder().plain().connect()) {
            assertThatThrownBy(() -> new HoldfastLockProvider(plain))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("plain dflockd");
        }
    }

    private SimpleLock awaitLock(String name) {
        return await().pollInterval(Duration.ofMillis(20))
                .until(
                        () -> secondProvider.lock(config(name, LONG, Duration.ZERO)),
                        Optional::isPresent)
                .orElseThrow();
    }

    private long leaseMillis(String name) {
        return secondClient
                .info("shedlock:" + name)
                .lock()
                .orElseThrow()
                .holders()
                .get(0)
                .lease()
                .orElseThrow()
                .toMillis();
    }

    private static LockConfiguration config(String name, Duration atMostFor, Duration atLeastFor) {
        return new LockConfiguration(Instant.now(), name, atMostFor, atLeastFor);
    }
}
