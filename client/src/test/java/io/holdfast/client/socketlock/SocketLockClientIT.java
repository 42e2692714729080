package io.holdfast.client.socketlock;

import static io.holdfast.client.socketlock.Eventually.await;

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

@DisplayName("A client of its own primary")
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
    void asks_for_the_lock_when_it_has_none(LockMode mode) {
        SocketLock lock = acquire(client(), mode);

        assertThat(lock.mode()).isEqualTo(mode);
        assertThat(lock.isValid()).isTrue();
        assertThat(lock.fence()).isPositive();
        assertThat(lock.toString()).contains(mode.name()).contains("VALID");
    }

    @ParameterizedTest
    @CsvSource({"READ, READ", "WRITE, READ", "WRITE, WRITE"})
    void counts_further_uses_of_the_lock_that_it_has(LockMode had, LockMode wanted) {
        SocketLockClient client = client();
        SocketLockClient other = client();
        SocketLock outer = acquire(client, had);
        SocketLock inner = acquire(client, wanted);

        assertThat(inner.mode()).isEqualTo(had);
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
    void does_not_make_a_writer_of_a_reader() {
        SocketLockClient client = client();
        SocketLock lock = client.acquireRead();

        assertThatThrownBy(client::acquireWrite)
                .isExactlyInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: write requested while read lock held");
        assertThat(lock.release()).isTrue();
        assertThat(client.acquireWrite().isValid()).isTrue();
    }

    @Test
    void ignores_the_time_to_live_of_a_nested_acquire() throws Exception {
        SocketLockClient client = client();
        SocketLock outer = client.acquireWrite();
        SocketLock inner = client.acquireWrite(AcquireOptions.ttl(Duration.ofNanos(1)));
        long start = System.nanoTime();

        await().until(() -> System.nanoTime() - start > Duration.ofMillis(1200).toNanos());
        assertThat(inner.isValid()).isTrue();
        assertThat(outer.isValid()).isTrue();
    }

    @Test
    void has_one_acquire_in_flight_at_most() throws Exception {
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
    void gives_every_acquire_of_many_threads_a_lock_a_count_or_a_clear_no() throws Exception {
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
    void shares_the_lock_with_other_readers_and_no_writer() {
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
    void is_told_when_the_time_to_live_is_longer_than_allowed() {
        SocketLockClient client =
                client(LockConfig.builder().maxTtl(Duration.ofSeconds(5)).build());

        assertThatThrownBy(() -> client.acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(6))))
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: timeout too long");
        assertThat(client.acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(5))).isValid())
                .isTrue();
    }

    @Test
    void is_told_when_the_primary_lets_nobody_wait_any_longer() {
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
    void gives_up_after_the_time_that_its_caller_gave() {
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
    void waits_for_centuries_if_it_is_told_to() throws Exception {
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
    void has_its_timers_work_beside_one_that_is_centuries_away() {
        Duration centuries = Duration.ofDays(106_751);
        SocketLockClient client =
                client(LockConfig.builder().statusInterval(centuries).heartbeat(centuries).build());
        SocketLock lock = client.acquireWrite(AcquireOptions.ttl(Duration.ofNanos(1)));

        await().until(() -> lock.state() == LockState.LOST);
        SocketLock next = client.acquireWrite(AcquireOptions.ttl(Duration.ofDays(106_751)));
        assertThat(next.isValid()).isTrue();
    }

    @Test
    void has_the_lock_after_the_one_whose_time_to_live_is_over() throws Exception {
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
    void tells_of_its_changes_in_order() {
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
    void was_released_whatever_becomes_of_those_who_share_it() {
        SocketLock first = client().acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(1)));
        SocketLock second = client().acquireWrite();
        assertThat(second.release()).isTrue();
        await().until(() -> first.state() == LockState.LOST);
        assertThat(second.state()).isEqualTo(LockState.RELEASED);
    }

    @Test
    void tells_that_its_time_was_over_even_if_the_release_comes_first() {
        for (int i = 0; i < 2; i++) {
            SocketLock lock = client().acquireWrite(AcquireOptions.ttl(Duration.ofSeconds(1)));
            List<LockState> changes = new CopyOnWriteArrayList<>();
            lock.onChange(changes::add);
            while (lock.isValid()) {
                Thread.onSpinWait();
            }
            assertThat(lock.release()).isFalse();
            assertThat(lock.state()).isEqualTo(LockState.LOST); // for good
            await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        }
    }

    // ---- interrupts

    @Test
    void leaves_nothing_behind_when_it_is_interrupted() throws Exception {
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
    void leaves_nothing_behind_whenever_it_is_interrupted() throws Exception {
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
    void does_not_ask_in_an_interrupted_thread_but_counts() throws Exception {
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
    void releases_and_closes_in_an_interrupted_thread() throws Exception {
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
    void waits_in_close_until_all_uses_have_ended() throws Exception {
        SocketLockClient client = client();
        SocketLock outer = client.acquireWrite();
        Call<Boolean> closing = Call.run(client::close).waiting();
        SocketLock inner = client.acquireRead(); // nested ones are still served
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
    void is_as_before_when_close_is_interrupted() throws Exception {
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
    void goes_on_closing_for_one_thread_when_another_is_interrupted() throws Exception {
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
    void closes_for_all_threads_that_close_it() throws Exception {
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
    void closes_at_once_although_another_thread_waits_in_close() throws Exception {
        SocketLockClient client = client();
        SocketLock lock = client.acquireWrite();
        Call<Boolean> closing = Call.run(client::close).waiting();

        assertThat(Call.run(client::closeNow).result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(lock.state()).isEqualTo(LockState.LOST);
    }

    @Test
    void ends_the_acquire_in_flight_when_it_closes() throws Exception {
        SocketLock foreign = client().acquireWrite();
        SocketLockClient client = client();
        Call<SocketLock> asking = Call.of(client::acquireWrite).waiting();
        client.close();

        assertThat(asking.failure()).isInstanceOf(SocketLockClosedException.class);
        assertThat(foreign.release()).isTrue();
    }

    @Test
    void loses_its_lock_when_it_is_closed_at_once() {
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

    // ---- where it cannot be

    @Test
    void needs_a_path() {
        assertThatThrownBy(() -> SocketLockClient.connect(Path.of("")))
                .isInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: path is required");
    }

    @Test
    void says_what_is_wrong_with_a_path() {
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
    void does_not_connect_in_an_interrupted_thread() throws Exception {
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
    void gives_up_at_once_when_there_is_no_time() {
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
