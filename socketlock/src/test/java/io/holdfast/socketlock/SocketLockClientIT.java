package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A client with an embedded primary")
class SocketLockClientIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final AcquireOptions HURRIED = AcquireOptions.timeout(Duration.ofMillis(50));

    @TempDir private Path folder;
    private final List<SocketLockClient> clients = new ArrayList<>();

    @AfterEach
    void end() {
        for (int i = clients.size() - 1; i >= 0; i--) {
            clients.get(i).closeNow();
        }
    }

    private SocketLockClient client() {
        return client(LockConfig.defaults());
    }

    private SocketLockClient client(LockConfig config) {
        SocketLockClient client = SocketLockClient.connect(folder.resolve("s"), config);
        clients.add(client);
        return client;
    }

    private static SocketLock acquire(SocketLockClient client, LockMode mode) {
        AcquireOptions soon = AcquireOptions.timeout(SOON);
        return mode == LockMode.READ ? client.acquireRead(soon) : client.acquireWrite(soon);
    }

    private static void mustWait(SocketLockClient client, LockMode mode) {
        assertThatThrownBy(
                        () -> {
                            if (mode == LockMode.READ) {
                                client.acquireRead(HURRIED);
                            } else {
                                client.acquireWrite(HURRIED);
                            }
                        })
                .isInstanceOf(SocketLockTimeoutException.class);
    }

    // ---- the use counter

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void a_first_acquire_requests_the_lock(LockMode mode) {
        SocketLock lock = acquire(client(), mode);

        assertThat(lock.mode()).isEqualTo(mode);
        assertThat(lock.isValid()).isTrue();
        assertThat(lock.fence()).isPositive();
        assertThat(lock.toString()).contains(mode.name()).contains("VALID");
    }

    @ParameterizedTest
    @CsvSource({"READ, READ", "WRITE, READ", "WRITE, WRITE"})
    void further_acquires_of_a_held_lock_are_counted(LockMode held, LockMode requested) {
        SocketLockClient client = client();
        SocketLockClient other = client();
        SocketLock outer = acquire(client, held);
        SocketLock inner = acquire(client, requested);

        assertThat(inner.mode()).isEqualTo(held);
        assertThat(inner.fence()).isEqualTo(outer.fence());
        assertThat(outer.release()).isTrue();
        assertThat(outer.release()).isFalse();
        assertThat(outer.isValid()).isFalse();
        assertThat(inner.isValid()).isTrue();
        mustWait(other, LockMode.WRITE);
        assertThat(inner.release()).isTrue();
        assertThat(acquire(other, LockMode.WRITE).isValid()).isTrue();
    }

    @Test
    void a_read_lock_is_not_upgraded_to_a_write_lock() {
        SocketLockClient client = client();
        SocketLock lock = client.acquireRead();

        assertThatThrownBy(client::acquireWrite)
                .isExactlyInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: write requested while read lock held");
        assertThat(lock.release()).isTrue();
        assertThat(client.acquireWrite().isValid()).isTrue();
    }

    @Test
    void the_time_to_live_of_a_nested_acquire_is_ignored() throws Exception {
        SocketLockClient client = client();
        SocketLock outer = client.acquireWrite();
        SocketLock inner = client.acquireWrite(AcquireOptions.ttl(Duration.ofNanos(1)));
        long start = System.nanoTime();

        await().until(() -> System.nanoTime() - start > Duration.ofMillis(1200).toNanos());
        assertThat(inner.isValid()).isTrue();
        assertThat(outer.isValid()).isTrue();
    }

    @Test
    void a_client_has_at_most_one_acquire_in_flight() throws Exception {
        SocketLockClient client = client();
        SocketLock foreign = client().acquireWrite();
        Call<SocketLock> first = Call.of(client::acquireWrite).waiting();

        assertThatThrownBy(client::acquireRead)
                .isExactlyInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: multiple lock requests");
        foreign.release();
        assertThat(first.result().isValid()).isTrue();
    }

    @Test
    // H19.
    void concurrent_acquires_of_many_threads_succeed_join_or_fail() throws Exception {
        var confirmed = ConcurrentHashMap.<String>newKeySet();
        LockEvent.Listener listener =
                event -> {
                    if (event.type() == LockEvent.Type.LOCK_CONFIRMED) {
                        confirmed.add(event.lockId());
                    } else if (event.type() == LockEvent.Type.LOCK_RELEASED) {
                        confirmed.remove(event.lockId());
                    }
                };
        SocketLockClient other = client(LockConfig.builder().listener(listener).build());
        SocketLockClient client = client();
        var locks = new AtomicInteger();
        List<Call<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            threads.add(Call.run(() -> useOften(client, locks)));
        }
        for (Call<Boolean> thread : threads) {
            thread.result();
        }

        assertThat(locks.get()).isPositive();
        SocketLock last = acquire(other, LockMode.WRITE);
        await().untilAsserted(() -> assertThat(confirmed).hasSize(1)); // the last
        assertThat(last.release()).isTrue();
    }

    private static void useOften(SocketLockClient client, AtomicInteger locks) {
        for (int i = 0; i < 200; i++) {
            try (SocketLock lock =
                    ThreadLocalRandom.current().nextBoolean()
                            ? client.acquireWrite()
                            : client.acquireRead()) {
                assertThat(lock.isValid()).isTrue();
                locks.incrementAndGet();
            } catch (SocketLockException e) {
                assertThat(e.getMessage())
                        .isIn(
                                "socketlock: multiple lock requests",
                                "socketlock: write requested while read lock held");
            }
        }
    }

    // ---- between clients

    @Test
    void a_read_lock_is_shared_with_readers_and_excludes_writers() {
        SocketLockClient one = client();
        SocketLockClient other = client();
        SocketLock mine = one.acquireRead();
        SocketLock theirs = acquire(other, LockMode.READ);
        SocketLockClient third = client();

        mustWait(third, LockMode.WRITE);
        mine.release();
        mustWait(third, LockMode.WRITE);
        theirs.release();
        SocketLock written = acquire(third, LockMode.WRITE);
        mustWait(one, LockMode.READ);
        assertThat(written.fence()).isGreaterThan(theirs.fence());
        assertThat(theirs.fence()).isGreaterThan(mine.fence());
    }

    @Test
    void a_time_to_live_longer_than_allowed_is_refused() {
        SocketLockClient client =
                client(LockConfig.builder().maxTtl(Duration.ofSeconds(5)).build());

        assertThatThrownBy(() -> client.acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(6))))
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: timeout too long");
        assertThat(client.acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(5))).isValid())
                .isTrue();
    }

    @Test
    void an_acquire_is_refused_after_the_request_timeout_of_the_primary() {
        SocketLockClient holder =
                client(LockConfig.builder().requestTimeout(Duration.ofMillis(50)).build());
        SocketLock lock = holder.acquireWrite();
        SocketLockClient waiter = client();

        assertThatThrownBy(waiter::acquireWrite)
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: timeout waiting for lock");
        assertThat(lock.isValid()).isTrue();
    }

    @Test
    void an_acquire_ends_after_the_timeout_of_the_caller() {
        SocketLockClient holder = client();
        SocketLockClient waiter = client();
        SocketLock lock = holder.acquireWrite();

        mustWait(waiter, LockMode.READ);
        mustWait(waiter, LockMode.WRITE);
        assertThatThrownBy(() -> waiter.acquireRead(AcquireOptions.timeout(Duration.ZERO)))
                .isInstanceOf(SocketLockTimeoutException.class);
        assertThatThrownBy(
                        () ->
                                waiter.acquireRead(
                                        AcquireOptions.timeout(Duration.ofSeconds(Long.MIN_VALUE))))
                .isInstanceOf(SocketLockTimeoutException.class);
        lock.release();
        assertThat(acquire(holder, LockMode.WRITE).release()).isTrue();
        assertThat(acquire(waiter, LockMode.WRITE).release()).isTrue();
    }

    @Test
    void an_acquire_with_a_timeout_of_centuries_waits() throws Exception {
        SocketLockClient holder = client();
        SocketLockClient waiter = client();
        SocketLock lock = holder.acquireWrite();
        Call<SocketLock> asking =
                Call.of(
                        () ->
                                waiter.acquireWrite(
                                        AcquireOptions.timeout(Duration.ofDays(106_751))));
        asking.waiting();
        lock.release();

        assertThat(asking.result().isValid()).isTrue();
    }

    @Test
    void timers_work_beside_one_that_is_due_in_centuries() {
        Duration centuries = Duration.ofDays(106_751);
        SocketLockClient client =
                client(LockConfig.builder().statusInterval(centuries).heartbeat(centuries).build());
        SocketLock lock = client.acquireWrite(AcquireOptions.ttl(Duration.ofNanos(1)));

        await().until(() -> lock.state() == LockState.LOST);
        SocketLock next = client.acquireWrite(AcquireOptions.ttl(Duration.ofDays(106_751)));
        assertThat(next.isValid()).isTrue();
    }

    @Test
    void the_next_client_acquires_a_lock_that_has_expired() throws Exception {
        SocketLockClient holder = client();
        SocketLockClient waiter = client();
        SocketLock lock = holder.acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(1)));
        SocketLock next = acquire(waiter, LockMode.WRITE);

        assertThat(lock.isValid()).isFalse();
        assertThat(lock.release()).isFalse();
        assertThat(next.isValid()).isTrue();
        assertThat(next.fence()).isGreaterThan(lock.fence());
    }

    @Test
    void state_changes_are_delivered_in_order() {
        SocketLock lock = client().acquireWrite();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(
                state -> {
                    throw new IllegalStateException("a listener that fails");
                });
        lock.onChange(changes::add);
        lock.release();

        await().dontCatchUncaughtExceptions()
                .untilAsserted(() -> assertThat(changes).containsExactly(LockState.RELEASED));
    }

    @Test
    void a_released_lock_stays_released_whatever_happens_to_the_shared_hold() {
        SocketLock first = client().acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(1)));
        SocketLock second = client().acquireWrite();
        assertThat(second.release()).isTrue();
        await().until(() -> first.state() == LockState.LOST);
        assertThat(second.state()).isEqualTo(LockState.RELEASED);
    }

    @Test
    void an_expired_lock_is_reported_as_lost_even_if_it_is_released_first() {
        for (int i = 0; i < 2; i++) {
            SocketLock lock = client().acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(1)));
            List<LockState> changes = new CopyOnWriteArrayList<>();
            lock.onChange(changes::add);
            while (lock.isValid()) {
                Thread.onSpinWait();
            }
            assertThat(lock.release()).isFalse();
            assertThat(lock.state()).isEqualTo(LockState.LOST); // permanently
            await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        }
    }

    // ---- interrupts

    @Test
    void an_interrupted_acquire_leaves_no_hold() throws Exception {
        SocketLockClient holder = client();
        SocketLockClient waiter = client();
        SocketLock lock = holder.acquireWrite();
        Call<SocketLock> asking = Call.of(waiter::acquireWrite).waiting();
        asking.interrupt();

        assertThat(asking.failure()).isInstanceOf(SocketLockInterruptedException.class);
        assertThat(asking.keptTheInterrupt()).isTrue();
        lock.release();
        assertThat(acquire(client(), LockMode.WRITE).release()).isTrue();
        assertThat(acquire(waiter, LockMode.WRITE).release()).isTrue();
    }

    @Test
    void an_acquire_interrupted_at_any_time_leaves_no_hold() throws Exception {
        SocketLockClient other = client();
        SocketLockClient client = client();
        for (int i = 0; i < 60; i++) {
            Call<SocketLock> asking = Call.of(client::acquireWrite);
            int spins = ThreadLocalRandom.current().nextInt(2000);
            for (int j = 0; j < spins; j++) {
                Thread.onSpinWait();
            }
            asking.interrupt();
            try {
                asking.result().release();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(SocketLockInterruptedException.class);
            }
            assertThat(acquire(other, LockMode.WRITE).release()).isTrue();
        }
    }

    @Test
    void an_interrupted_thread_can_join_a_lock_but_not_request_one() throws Exception {
        SocketLockClient client = client();
        Call<SocketLock> asking =
                Call.of(
                        () -> {
                            Thread.currentThread().interrupt();
                            return client.acquireWrite();
                        });
        assertThat(asking.failure()).isInstanceOf(SocketLockInterruptedException.class);
        assertThat(asking.keptTheInterrupt()).isTrue();
        SocketLock lock = acquire(client, LockMode.WRITE);
        Call<SocketLock> counting =
                Call.of(
                        () -> {
                            Thread.currentThread().interrupt();
                            return client.acquireWrite();
                        });

        assertThat(counting.result().release()).isTrue();
        assertThat(counting.keptTheInterrupt()).isTrue();
        assertThat(lock.release()).isTrue();
    }

    @Test
    void release_and_close_work_in_an_interrupted_thread() throws Exception {
        SocketLockClient other = client();
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        Call<Boolean> releasing =
                Call.of(
                        () -> {
                            Thread.currentThread().interrupt();
                            boolean released = lock.release();
                            client.close();
                            return released;
                        });

        assertThat(releasing.result()).isTrue();
        assertThat(releasing.keptTheInterrupt()).isTrue();
        assertThat(acquire(other, LockMode.WRITE).isValid()).isTrue();
    }

    // ---- the end

    @Test
    void close_waits_until_all_uses_are_released() throws Exception {
        SocketLockClient client = client();
        SocketLock outer = client.acquireWrite();
        Call<Boolean> closing = Call.run(client::close).waiting();
        SocketLock inner = client.acquireRead(); // nested acquires still succeed
        outer.release();

        assertThat(inner.isValid()).isTrue();
        assertThat(closing.isDone()).isFalse();
        assertThat(inner.release()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThatThrownBy(client::acquireRead)
                .isInstanceOf(SocketLockClosedException.class)
                .hasMessage("socketlock: client is closed");
        client.close();
        client.closeNow();
    }

    @Test
    void an_interrupted_close_leaves_the_client_usable() throws Exception {
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        Call<Boolean> closing = Call.run(client::close).waiting();
        closing.interrupt();

        assertThat(closing.failure()).isInstanceOf(SocketLockInterruptedException.class);
        assertThat(closing.keptTheInterrupt()).isTrue();
        assertThat(lock.isValid()).isTrue();
        assertThat(lock.release()).isTrue();
        assertThat(client.acquireRead().release()).isTrue();
    }

    @Test
    void an_interrupt_of_one_closing_thread_does_not_affect_another() throws Exception {
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        Call<Boolean> one = Call.run(client::close).waiting();
        Call<Boolean> other = Call.run(client::close).waiting();
        other.interrupt();
        assertThat(other.failure()).isInstanceOf(SocketLockInterruptedException.class);
        lock.release();

        assertThat(one.result()).isTrue();
    }

    @Test
    void close_ends_for_all_closing_threads() throws Exception {
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        List<Call<Boolean>> closing = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            closing.add(Call.run(client::close).waiting());
        }
        lock.release();

        for (Call<Boolean> each : closing) {
            assertThat(each.result()).isTrue();
        }
    }

    @Test
    void close_now_works_while_another_thread_waits_in_close() throws Exception {
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        Call<Boolean> closing = Call.run(client::close).waiting();

        assertThat(Call.run(client::closeNow).result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(lock.state()).isEqualTo(LockState.LOST);
    }

    @Test
    void close_ends_the_acquire_in_flight() throws Exception {
        SocketLock foreign = client().acquireWrite();
        SocketLockClient client = client();
        Call<SocketLock> asking = Call.of(client::acquireWrite).waiting();
        client.close();

        assertThat(asking.failure()).isInstanceOf(SocketLockClosedException.class);
        assertThat(foreign.release()).isTrue();
    }

    @Test
    void close_now_loses_the_held_lock() {
        SocketLockClient other = client();
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        client.closeNow();

        assertThat(lock.isValid()).isFalse();
        assertThat(lock.state()).isEqualTo(LockState.LOST);
        assertThat(lock.release()).isFalse();
        await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        assertThat(acquire(other, LockMode.WRITE).isValid()).isTrue();
    }

    // ---- invalid paths

    @Test
    void an_empty_path_is_refused() {
        assertThatThrownBy(() -> SocketLockClient.connect(Path.of("")))
                .isInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: path is required");
    }

    @Test
    void an_unusable_path_is_reported_with_the_reason() {
        assertThatThrownBy(() -> SocketLockClient.connect(folder.resolve("none/s")))
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageContaining("no such directory");
        assertThatThrownBy(() -> SocketLockClient.connect(folder.resolve("x".repeat(120))))
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageContaining("too long for a socket");
        assertThatThrownBy(() -> SocketLockClient.connect(Path.of("/")))
                .isInstanceOf(SocketLockUnavailableException.class);
    }

    @Test
    void connecting_fails_in_an_interrupted_thread() throws Exception {
        Call<SocketLockClient> connecting =
                Call.of(
                        () -> {
                            Thread.currentThread().interrupt();
                            return client();
                        });

        assertThat(connecting.failure()).isInstanceOf(SocketLockInterruptedException.class);
        assertThat(connecting.keptTheInterrupt()).isTrue();
        assertThat(client().isPrimary()).isTrue();
    }

    @Test
    void connecting_with_a_zero_timeout_fails_at_once() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThatThrownBy(
                            () ->
                                    SocketLockClient.connect(
                                            folder.resolve("s"), LockConfig.defaults(), none))
                    .isInstanceOf(SocketLockUnavailableException.class);
        }
        assertThat(client().isPrimary()).isTrue();
    }
}
