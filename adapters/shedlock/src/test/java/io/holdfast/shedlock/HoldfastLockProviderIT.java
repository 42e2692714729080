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

    private final Holdfast ours = HOLDFAST.clientBuilder().connect();
    private final Holdfast theirs = HOLDFAST.clientBuilder().connect();
    private final HoldfastLockProvider here = new HoldfastLockProvider(ours);
    private final HoldfastLockProvider there = new HoldfastLockProvider(theirs);

    @AfterEach
    void close() {
        ours.close();
        theirs.close();
    }

    @Test
    void gives_a_lock_to_one_until_it_is_unlocked() {
        SimpleLock lock = here.lock(config("one", LONG, Duration.ZERO)).orElseThrow();
        assertThat(there.lock(config("one", LONG, Duration.ZERO))).isEmpty();
        assertThat(here.lock(config("one", LONG, Duration.ZERO))).isEmpty();
        lock.unlock();
        assertThat(there.lock(config("one", LONG, Duration.ZERO))).isPresent();
    }

    @Test
    void ends_a_lock_after_its_longest_time_without_renewal() {
        SimpleLock late = here.lock(config("most", SHORT, Duration.ZERO)).orElseThrow();
        SimpleLock next = awaitLock("most");
        late.unlock();
        assertThat(here.lock(config("most", LONG, Duration.ZERO)))
                .as("an unlock that comes late takes nothing from the next holder")
                .isEmpty();
        next.unlock();
    }

    @Test
    void keeps_an_unlocked_lock_for_its_shortest_time() {
        here.lock(config("least", LONG, LONG)).orElseThrow().unlock();
        assertThat(there.lock(config("least", LONG, Duration.ZERO))).isEmpty();
        assertThat(leaseMillis("least")).isLessThanOrEqualTo(LONG.toMillis());
    }

    @Test
    void shortens_an_unlocked_lock_to_its_shortest_time() {
        here.lock(config("shorter", LONG, SHORT)).orElseThrow().unlock();
        awaitLock("shorter").unlock();
    }

    @Test
    void keeps_the_lock_of_one_who_is_gone() {
        assertThat(here.lock(config("gone", LONG, Duration.ZERO))).isPresent();
        here.lock(config("unlocked", LONG, LONG)).orElseThrow().unlock();
        ours.close();
        assertThat(there.lock(config("gone", LONG, Duration.ZERO))).isEmpty();
        assertThat(there.lock(config("unlocked", LONG, Duration.ZERO))).isEmpty();
    }

    @Test
    void extends_a_lock_that_is_held() {
        Duration minute = Duration.ofMinutes(1);
        SimpleLock lock = here.lock(config("extended", minute, Duration.ZERO)).orElseThrow();
        SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
        assertThat(leaseMillis("extended")).isGreaterThan(minute.toMillis());
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        extended.unlock();
        assertThat(there.lock(config("extended", LONG, Duration.ZERO))).isPresent();
    }

    @Test
    void does_not_extend_a_lock_that_ended() {
        SimpleLock late = here.lock(config("late", SHORT, Duration.ZERO)).orElseThrow();
        awaitLock("late");
        assertThat(late.extend(LONG, Duration.ZERO)).isEmpty();
    }

    @Test
    void serves_the_executor_of_shedlock() throws Throwable {
        var executor = new DefaultLockingTaskExecutor(here);
        var others = new DefaultLockingTaskExecutor(there);
        LockConfiguration config = config("task", LONG, Duration.ZERO);
        var ran = new AtomicInteger();
        var result =
                executor.executeWithLock(
                        () -> {
                            LockExtender.extendActiveLock(LONG, Duration.ZERO);
                            // In this thread ShedLock would take it for a part of this task.
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
    void names_its_keys_with_a_prefix() {
        new HoldfastLockProvider(ours, "jobs/").lock(config("named", LONG, Duration.ZERO));
        assertThat(theirs.lock("jobs/named").tryAcquire()).isEmpty();
        assertThat(there.lock(config("named", LONG, Duration.ZERO))).isPresent();
        assertThat(theirs.lock("shedlock:named").tryAcquire()).isEmpty();
    }

    @Test
    void refuses_a_plain_dflockd_at_once() {
        try (Holdfast plain = HOLDFAST.clientBuilder().plain().connect()) {
            assertThatThrownBy(() -> new HoldfastLockProvider(plain))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("plain dflockd");
        }
    }

    private SimpleLock awaitLock(String name) {
        return await().pollInterval(Duration.ofMillis(20))
                .until(() -> there.lock(config(name, LONG, Duration.ZERO)), Optional::isPresent)
                .orElseThrow();
    }

    private long leaseMillis(String name) {
        return theirs.info("shedlock:" + name)
                .lock()
                .orElseThrow()
                .holders()
                .get(0)
                .lease()
                .orElseThrow()
                .toMillis();
    }

    private static LockConfiguration config(String name, Duration most, Duration least) {
        return new LockConfiguration(Instant.now(), name, most, least);
    }
}
