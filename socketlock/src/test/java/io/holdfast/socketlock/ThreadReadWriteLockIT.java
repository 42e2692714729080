package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

@SuppressWarnings("LockNotBeforeTry") // where a test fails it may as well stay locked
@DisplayName("The lock of threads and processes")
class ThreadReadWriteLockIT {
    @TempDir private Path folder;
    private final List<SocketLockClient> clients = new ArrayList<>();

    private ReadWriteLock here = new ReentrantReadWriteLock();

    /** A client that acts as one of another process. */
    private ReadWriteLock elsewhere = here;

    @BeforeEach
    void connect() {
        for (int i = 0; i < 2; i++) {
            clients.add(SocketLockClient.connect(folder.resolve("s")));
        }
        elsewhere = clients.get(0).asReadWriteLock();
        here = clients.get(1).asReadWriteLock();
    }

    @AfterEach
    void end() {
        clients.get(1).closeNow();
        clients.get(0).closeNow();
    }

    /** A thread that holds a lock until the test lets it unlock. */
    private static final class Keeper {
        private final CountDownLatch locked = new CountDownLatch(1);
        private final CountDownLatch mayGo = new CountDownLatch(1);
        private final Call<Boolean> call;

        Keeper(Lock lock) {
            call =
                    Call.of(
                            () -> {
                                lock.lock();
                                try {
                                    locked.countDown();
                                    return mayGo.await(60, SECONDS);
                                } finally {
                                    lock.unlock();
                                }
                            });
        }

        static Keeper of(Lock lock) throws InterruptedException {
            var keeper = new Keeper(lock);
            assertThat(keeper.locked.await(60, SECONDS)).isTrue();
            return keeper;
        }

        boolean isIn() {
            return locked.getCount() == 0;
        }

        void leave() throws Exception {
            mayGo.countDown();
            assertThat(call.result()).isTrue();
        }
    }

    private static boolean tryElsewhere(Lock lock) throws Exception {
        return Call.of(
                        () -> {
                            boolean locked = lock.tryLock();
                            if (locked) {
                                lock.unlock();
                            }
                            return locked;
                        })
                .result();
    }

    @Test
    void every_call_returns_the_same_lock() {
        assertThat(clients.get(0).asReadWriteLock()).isSameAs(elsewhere).isNotSameAs(here);
        assertThat(here.readLock()).isSameAs(here.readLock());
        assertThatThrownBy(here.readLock()::newCondition)
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void readers_share_the_lock_within_and_between_processes() throws Exception {
        Keeper one = Keeper.of(here.readLock());
        Keeper another = Keeper.of(here.readLock());
        Keeper foreign = Keeper.of(elsewhere.readLock());

        assertThat(tryElsewhere(here.writeLock())).isFalse();
        assertThat(tryElsewhere(elsewhere.writeLock())).isFalse();
        assertThat(tryElsewhere(here.readLock())).isTrue();
        one.leave();
        another.leave();
        assertThat(tryElsewhere(here.writeLock())).isFalse();
        foreign.leave();
        assertThat(tryElsewhere(here.writeLock())).isTrue();
    }

    @Test
    void a_thread_with_the_read_lock_is_refused_the_write_lock_without_waiting() throws Exception {
        here.readLock().lock();
        Lock write = here.writeLock();
        assertThatThrownBy(write::lock)
                .hasMessage("socketlock: write requested while read lock held");
        assertThatThrownBy(write::lockInterruptibly)
                .hasMessage("socketlock: write requested while read lock held");
        assertThatThrownBy(() -> write.tryLock(1, TimeUnit.HOURS))
                .hasMessage("socketlock: write requested while read lock held");
        assertThat(write.tryLock()).isFalse();
        here.readLock().unlock();
        write.lock();
        write.unlock();
    }

    @Test
    void a_writer_excludes_other_threads_and_processes() throws Exception {
        Keeper writer = Keeper.of(here.writeLock());

        assertThat(tryElsewhere(here.readLock())).isFalse();
        assertThat(tryElsewhere(here.writeLock())).isFalse();
        assertThat(tryElsewhere(elsewhere.readLock())).isFalse();
        assertThat(tryElsewhere(elsewhere.writeLock())).isFalse();
        var next = new Keeper(elsewhere.writeLock());
        next.call.waiting();
        assertThat(next.isIn()).isFalse();
        writer.leave();
        await().until(next::isIn);
        next.leave();
    }

    @Test
    void threads_of_two_processes_exclude_each_other() throws Exception {
        int[] counted = {0, 0};
        List<Call<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ReadWriteLock lock = i % 2 == 0 ? here : elsewhere;
            threads.add(
                    Call.run(
                            () -> {
                                for (int j = 0; j < 40; j++) {
                                    lock.writeLock().lock();
                                    counted[0]++;
                                    counted[1]++;
                                    lock.writeLock().unlock();
                                    lock.readLock().lock();
                                    assertThat(counted[0]).isEqualTo(counted[1]);
                                    lock.readLock().unlock();
                                }
                            }));
        }
        for (Call<Boolean> thread : threads) {
            thread.result();
        }

        assertThat(counted[0]).isEqualTo(240);
    }

    @Test
    void a_thread_with_the_write_lock_may_lock_again_for_writing_and_reading() throws Exception {
        here.writeLock().lock();
        here.writeLock().lock();
        here.readLock().lock();
        here.writeLock().unlock();
        here.writeLock().unlock();

        // From now on the thread's lock is only a read lock.
        assertThat(tryElsewhere(here.readLock())).isTrue();
        assertThat(tryElsewhere(here.writeLock())).isFalse();
        assertThat(tryElsewhere(elsewhere.writeLock())).isFalse();
        here.readLock().unlock();
        assertThat(tryElsewhere(elsewhere.writeLock())).isTrue();
    }

    @Test
    void a_read_lock_cannot_be_upgraded() {
        here.readLock().lock();

        assertThat(here.writeLock().tryLock()).isFalse();
        here.readLock().unlock();
        assertThat(here.writeLock().tryLock()).isTrue();
        here.writeLock().unlock();
    }

    @Test
    void try_lock_waits_for_its_timeout() throws Exception {
        Keeper foreign = Keeper.of(elsewhere.writeLock());

        assertThat(here.readLock().tryLock(30, MILLISECONDS)).isFalse();
        assertThat(here.writeLock().tryLock(0, MILLISECONDS)).isFalse();
        Call<Boolean> call = Call.of(() -> here.writeLock().tryLock(Long.MAX_VALUE, DAYS));
        call.waiting();
        foreign.leave();
        assertThat(call.result()).isTrue();
    }

    @Test
    void try_lock_without_a_timeout_acquires_a_free_lock() throws Exception {
        assertThat(here.readLock().tryLock(0, SECONDS)).isTrue();
        here.readLock().unlock();
        assertThat(here.writeLock().tryLock(-1, SECONDS)).isTrue();
        here.writeLock().unlock();
    }

    @Test
    void an_interrupt_ends_an_interruptible_wait() throws Exception {
        Keeper foreign = Keeper.of(elsewhere.writeLock());
        Call<Boolean> locking =
                Call.of(
                        () -> {
                            here.writeLock().lockInterruptibly();
                            return true;
                        });
        locking.waiting().interrupt();
        assertThat(locking.failure()).isInstanceOf(InterruptedException.class);
        assertThat(locking.keptTheInterrupt()).isFalse();
        Call<Boolean> trying = Call.of(() -> here.readLock().tryLock(20, SECONDS));
        trying.waiting().interrupt();
        assertThat(trying.failure()).isInstanceOf(InterruptedException.class);
        foreign.leave();

        assertThat(tryElsewhere(elsewhere.writeLock())).isTrue();
        assertThat(here.writeLock().tryLock(20, SECONDS)).isTrue();
        here.writeLock().unlock();
    }

    @Test
    void an_interrupt_does_not_end_an_uninterruptible_wait() throws Exception {
        Keeper foreign = Keeper.of(elsewhere.writeLock());
        Call<Boolean> locking =
                Call.of(
                        () -> {
                            here.writeLock().lock();
                            here.writeLock().unlock();
                            return Thread.currentThread().isInterrupted();
                        });
        locking.waiting().interrupt();
        await().during(Duration.ofMillis(100)).until(() -> !locking.isDone());
        foreign.leave();

        assertThat(locking.result()).isTrue();
        assertThat(tryElsewhere(elsewhere.writeLock())).isTrue();
    }

    @Test
    void lock_waits_longer_than_the_request_timeout_of_the_primary() throws Exception {
        LockConfig hurried = LockConfig.builder().requestTimeout(Duration.ofMillis(30)).build();
        try (SocketLockClient one = SocketLockClient.connect(folder.resolve("t"), hurried);
                SocketLockClient other = SocketLockClient.connect(folder.resolve("t"))) {
            SocketLock foreign = one.acquireWrite();
            var keeper = new Keeper(other.asReadWriteLock().writeLock());
            await().during(Duration.ofMillis(200)).until(() -> !keeper.call.isDone());
            foreign.release();
            await().until(keeper::isIn);
            keeper.leave();
        }
    }

    @Test
    void try_lock_waits_for_its_timeout_although_the_primary_refuses_earlier() throws Exception {
        LockConfig hurried = LockConfig.builder().requestTimeout(Duration.ofMillis(30)).build();
        try (SocketLockClient one = SocketLockClient.connect(folder.resolve("t"), hurried);
                SocketLockClient other = SocketLockClient.connect(folder.resolve("t"));
                SocketLock foreign = one.acquireWrite()) {
            Call<Boolean> trying =
                    Call.of(
                            () -> {
                                Lock lock = other.asReadWriteLock().writeLock();
                                boolean locked = lock.tryLock(20, SECONDS);
                                lock.unlock();
                                return locked;
                            });
            await().during(Duration.ofMillis(200)).until(() -> !trying.isDone());
            foreign.release();
            assertThat(trying.result()).isTrue();
            try (SocketLock again = one.acquireWrite()) {
                assertThat(other.asReadWriteLock().writeLock().tryLock(100, MILLISECONDS))
                        .isFalse();
                assertThat(again.isValid()).isTrue();
            }
        }
    }

    @Test
    void a_thread_that_does_not_hold_the_lock_cannot_unlock_it() throws Exception {
        Keeper writer = Keeper.of(here.writeLock());

        assertThatThrownBy(here.writeLock()::unlock)
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(here.readLock()::unlock)
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(tryElsewhere(elsewhere.readLock())).isFalse();
        writer.leave();
    }

    @Test
    void unlock_reports_a_lost_lock_and_still_unlocks() throws Exception {
        here.writeLock().lock();
        clients.get(1).closeNow();

        assertThatThrownBy(here.writeLock()::unlock)
                .isInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: lock expired");
        assertThatThrownBy(here.writeLock()::unlock)
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> here.readLock().lock())
                .isInstanceOf(SocketLockClosedException.class);
        assertThatThrownBy(() -> here.writeLock().tryLock())
                .isInstanceOf(SocketLockClosedException.class);
        assertThatThrownBy(here.readLock()::unlock)
                .isInstanceOf(IllegalMonitorStateException.class);
    }
}
