package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Tests that apply to all ways of creating lock files, including that of Windows, which is tested
 * on this system.
 */
@DisplayName("A lock file")
@ParameterizedClass
@FieldSource("PLATFORMS")
class FileSemaphoreIT {
    static final List<FileSystemCapabilities> PLATFORMS =
            List.of(
                    FileSystemCapabilities.POSIX,
                    new FileSystemCapabilities(false, true),
                    FileSystemCapabilities.WINDOWS);

    private static final Duration SOON = Duration.ofSeconds(60);

    private final FileSystemCapabilities fileSystemCapabilities;
    private final MovableClock clock = new MovableClock();

    @TempDir private Path folder;

    FileSemaphoreIT(FileSystemCapabilities fileSystemCapabilities) {
        this.fileSystemCapabilities = fileSystemCapabilities;
    }

    private Path lock() {
        return folder.resolve("my.lock");
    }

    private FileSemaphore semaphore() {
        return semaphore(LockFileConfig.builder());
    }

    private FileSemaphore semaphore(LockFileConfig.Builder config) {
        return FileSemaphore.at(lock(), config.clock(clock).build(), fileSystemCapabilities);
    }

    private void plant(String content) throws IOException {
        Files.writeString(lock(), content);
    }

    private void plant(long pid, long timestamp) throws IOException {
        plant("pid=" + pid + "\ntimestamp=" + timestamp + "\n");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void a_held_lock_has_a_file_with_all_fields_that_is_removed_at_the_release() throws Exception {
        try (Guard guard = semaphore().tryAcquire("a tag").orElseThrow()) {
            assertThat(Files.readString(lock()))
                    .startsWith(
                            "pid="
                                    + ProcessHandle.current().pid()
                                    + "\ntimestamp="
                                    + clock.seconds()
                                    + "\ntag=a tag\nnonce="
                                    + guard.nonce()
                                    + "\nstart=")
                    .endsWith("\nacquired=" + clock.seconds() + "\n");
            assertThat(guard.nonce()).matches("[0-9a-f]{16}");
            assertThat(guard.isStillOwner()).isTrue();
            assertThat(files()).doesNotContain("my.lock.tmp").contains("my.lock");
        }
        assertThat(lock()).doesNotExist();
    }

    @Test
    void a_lock_file_is_readable_for_all_users_unless_it_is_private() throws Exception {
        try (Guard guard = semaphore().acquireNow()) {
            assertThat(rights()).isEqualTo("rw-r--r--");
            assertThat(guard.isStillOwner()).isTrue();
        }
        try (Guard guard = semaphore(LockFileConfig.builder().privateFile(true)).acquireNow()) {
            assertThat(rights()).isEqualTo("rw-------");
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    private String rights() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(lock()));
    }

    @Test
    void a_second_acquire_is_refused_with_the_holder_and_changes_nothing() throws Exception {
        var semaphore = semaphore();
        try (Guard guard = semaphore.tryAcquire("first").orElseThrow()) {
            byte[] before = Files.readAllBytes(lock());
            List<String> filesBefore = files();
            assertThat(semaphore.tryAcquire()).isEmpty();
            assertThatThrownBy(semaphore::acquireNow)
                    .isInstanceOf(HeldException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid())
                    .hasMessageContaining("(first)");
            assertThat(Files.readAllBytes(lock())).isEqualTo(before);
            assertThat(files()).isEqualTo(filesBefore);
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    @Test
    void six_acquires_and_releases_leave_at_most_the_sidecar() throws Exception {
        for (int i = 0; i < 6; i++) {
            semaphore().acquireNow().close();
        }
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
        assertThat(folder.resolve("my.lock.guard")).isEmptyFile();
    }

    @Test
    void a_lock_is_stale_when_it_is_older_than_the_timeout() throws Exception {
        plant(1, clock.seconds() - 3600);
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().status().isStale()).isFalse();
        clock.move(Duration.ofSeconds(1));
        assertThat(semaphore().status().isStale()).isTrue();
        try (Guard guard = semaphore().acquireNow()) {
            assertThat(guard.isStillOwner()).isTrue();
        }
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_lock_of_a_dead_process_is_held_until_it_is_stale() throws Exception {
        plant(999_999_999, clock.seconds());
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().status().alive()).isEqualTo(ProcessLiveness.NO);
    }

    @Test
    void a_lock_with_a_timestamp_in_the_future_is_not_stale() throws Exception {
        plant(1, clock.seconds() + 1);
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().clean()).isFalse();
        assertThat(semaphore().status().isInFuture()).isTrue();
    }

    @Test
    void a_lock_is_not_stale_with_the_setting_never_stale() throws Exception {
        plant(1, 0);
        assertThat(semaphore(LockFileConfig.builder().neverStale()).tryAcquire()).isEmpty();
    }

    @Test
    void a_stale_lock_of_a_running_process_is_kept_with_the_policy_age_and_dead() throws Exception {
        var config = LockFileConfig.builder().stalePolicy(StalePolicy.AGE_AND_DEAD);
        long living = ProcessHandle.current().pid();
        plant(living, 0);
        assertThat(semaphore(config).tryAcquire()).isEmpty();
        assertThat(semaphore(config).status().isStale()).isTrue();
        // another process with the same pid
        plant("pid=" + living + "\ntimestamp=0\nstart=1000\n");
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
        plant("pid=" + living + "\ntimestamp=0\nhost=elsewhere\n");
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
        plant(999_999_999, 0);
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
    }

    @Test
    void an_unfinished_lock_file_is_held_and_becomes_stale_by_its_modification_time()
            throws Exception {
        plant("pid=12");
        clock.move(
                Duration.ofSeconds(
                        Files.getLastModifiedTime(lock()).toInstant().getEpochSecond()
                                - clock.seconds()));
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().clean()).isFalse();
        assertThat(semaphore().status().content()).isEqualTo(LockFileContent.DEBRIS);
        clock.move(Duration.ofSeconds(3601));
        try (Guard guard = semaphore().acquireNow()) {
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    @Test
    void a_file_that_is_no_lock_file_is_held_and_removed_only_by_force() throws Exception {
        plant("Dear diary,\n");
        clock.move(Duration.ofDays(10_000));
        var semaphore = semaphore();
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(semaphore.clean()).isFalse();
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.none()))
                .isInstanceOf(DamagedLockException.class);
        assertThat(Files.readString(lock())).isEqualTo("Dear diary,\n");
        assertThat(semaphore.forceRelease()).isTrue();
        assertThat(semaphore.forceRelease()).isFalse();
        assertThat(lock()).doesNotExist();
    }

    @Test
    void a_lock_is_released_without_its_guard_with_a_credential() throws Exception {
        var semaphore = semaphore(LockFileConfig.builder().pid(4711));
        Guard guard = semaphore.acquireNow();
        guard.detach();
        assertThat(guard.isStillOwner()).isFalse();
        assertThat(semaphore.status().holder().orElseThrow().pid()).isEqualTo(4711);
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.nonce("0123456789abcdef")))
                .isInstanceOf(CredentialMismatchException.class);
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.pid(4712)))
                .isInstanceOf(CredentialMismatchException.class)
                .hasMessageContaining("4711");
        assertThat(semaphore.release(ReleaseCredential.nonce(guard.nonce()))).isTrue();
        assertThat(semaphore.release(ReleaseCredential.nonce(guard.nonce()))).isFalse();
        plant(4711, clock.seconds());
        assertThat(semaphore.release(ReleaseCredential.pid(4711))).isTrue();
        plant(1, clock.seconds());
        assertThat(semaphore.release(ReleaseCredential.none())).isTrue();
        plant("pid=1");
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.pid(1)))
                .isInstanceOf(DamagedLockException.class);
        assertThat(semaphore.release(ReleaseCredential.none())).isTrue();
        assertThat(semaphore.status().isLocked()).isFalse();
    }

    @Test
    void a_waiter_acquires_the_lock_with_the_time_of_the_acquisition() throws Exception {
        var semaphore = semaphore();
        Guard first = semaphore.acquireNow();
        CompletableFuture<Guard> second = CompletableFuture.supplyAsync(() -> acquire(semaphore));
        await().atMost(SOON).until(() -> isWaiting());
        clock.move(Duration.ofSeconds(100));
        assertThat(second).isNotDone();
        first.release();
        try (Guard guard = second.get(60, TimeUnit.SECONDS)) {
            assertThat(guard.acquired().getEpochSecond()).isEqualTo(clock.seconds());
        }
    }

    /** Whether a thread waits in {@link DeletionWatch}. */
    static boolean isWaiting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(DeletionWatch.class.getName()));
    }

    private static Guard acquire(FileSemaphore semaphore) {
        try {
            return semaphore.acquire(SOON);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void an_acquire_that_times_out_reports_the_holder() throws Exception {
        plant(4711, clock.seconds());
        assertThatThrownBy(() -> semaphore().acquire(Duration.ZERO))
                .isInstanceOf(LockFileTimeoutException.class);
        assertThatThrownBy(() -> semaphore().acquire(Duration.ofMillis(150)))
                .isInstanceOf(LockFileTimeoutException.class)
                .hasMessageContaining("within 150 ms")
                .hasMessageContaining("process 4711");
        assertThat(semaphore().waitUntilFree(Duration.ofMillis(50)).isLocked()).isTrue();
        assertThat(files()).isEqualTo(List.of("my.lock"));
    }

    @Test
    void a_waiter_takes_over_a_lock_that_becomes_stale() throws Exception {
        plant(4711, clock.seconds());
        var semaphore = semaphore();
        CompletableFuture<Guard> waiter = CompletableFuture.supplyAsync(() -> acquire(semaphore));
        await().atMost(SOON).until(() -> isWaiting());
        clock.move(Duration.ofHours(2));
        waiter.get(60, TimeUnit.SECONDS).close();
        plant(4711, 0);
        assertThat(semaphore.waitUntilFree(SOON).isObtainable()).isTrue();
    }

    @Test
    void an_interrupted_thread_can_acquire_and_release_and_stays_interrupted() throws Exception {
        var semaphore = semaphore(LockFileConfig.builder().settleTime(Duration.ofMillis(1)));
        plant(1, 0); // also by a takeover
        Thread.currentThread().interrupt();
        Optional<Guard> guard = semaphore.tryAcquire();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(guard).isPresent();
        Thread.currentThread().interrupt();
        assertThat(guard.get().isStillOwner()).isTrue();
        guard.get().release();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void an_interrupted_thread_does_not_wait_for_a_lock() throws Exception {
        Guard guard = semaphore().acquireNow();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore().acquire(SOON))
                .isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore().waitUntilFree(SOON))
                .isInstanceOf(InterruptedException.class);
        guard.release();
    }

    @Test
    void locking_works_in_threads_that_are_interrupted_continuously() throws Exception {
        var inside = new AtomicInteger();
        var turns = new AtomicInteger();
        var done = new CountDownLatch(2);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(
                    new Thread(
                            () -> {
                                var semaphore = semaphore();
                                for (int turn = 0; turn < 30; turn++) {
                                    Optional<Guard> guard = semaphore.tryAcquire();
                                    guard.ifPresent(
                                            held -> {
                                                assertThat(inside.incrementAndGet()).isEqualTo(1);
                                                turns.incrementAndGet();
                                                inside.decrementAndGet();
                                                held.release();
                                            });
                                }
                                done.countDown();
                            }));
        }
        threads.forEach(Thread::start);
        while (!done.await(100, TimeUnit.MICROSECONDS)
                && threads.stream().anyMatch(Thread::isAlive)) {
            threads.forEach(Thread::interrupt);
        }
        assertThat(done.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(turns).hasPositiveValue();
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void threads_of_one_process_exclude_each_other() throws Exception {
        var inside = new AtomicInteger();
        var worst = new AtomicInteger();
        try (var pool = new ClosingPool(8)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                workers.add(
                        pool.submit(
                                () -> {
                                    for (int turn = 0; turn < 10; turn++) {
                                        try (Guard guard = acquire(semaphore())) {
                                            worst.accumulateAndGet(
                                                    inside.incrementAndGet(), Math::max);
                                            assertThat(guard.isStillOwner()).isTrue();
                                            inside.decrementAndGet();
                                        }
                                    }
                                }));
            }
            for (Future<?> worker : workers) {
                worker.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(worst).hasValue(1);
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void of_threads_that_find_a_stale_lock_together_one_takes_it_over() throws Exception {
        try (var pool = new ClosingPool(6)) {
            for (int round = 0; round < 20; round++) {
                plant(1, 0);
                var go = new CountDownLatch(1);
                List<Future<Optional<Guard>>> attempts = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    attempts.add(
                            pool.submit(
                                    () -> {
                                        go.await();
                                        return semaphore().tryAcquire();
                                    }));
                }
                go.countDown();
                List<Guard> winners = new ArrayList<>();
                for (Future<Optional<Guard>> attempt : attempts) {
                    attempt.get(60, TimeUnit.SECONDS).ifPresent(winners::add);
                }
                assertThat(winners).hasSize(1);
                assertThat(winners.get(0).isStillOwner()).isTrue();
                winners.get(0).release();
            }
        }
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_former_holder_does_not_own_the_lock_after_a_successor_released_it() {
        Guard first = semaphore().acquireNow();
        clock.move(Duration.ofHours(2));
        Guard second = semaphore().acquireNow();
        second.release();
        Guard third = semaphore().acquireNow();
        assertThatThrownBy(first::release).isInstanceOf(LockLostException.class);
        assertThat(third.isStillOwner()).isTrue();
        first.release(); // has no effect
        assertThat(third.isStillOwner()).isTrue();
        third.release();
    }

    private static final class ClosingPool implements AutoCloseable {
        private final java.util.concurrent.ExecutorService pool;

        ClosingPool(int threads) {
            pool = Executors.newFixedThreadPool(threads);
        }

        Future<?> submit(Runnable task) {
            return pool.submit(task);
        }

        <T> Future<T> submit(java.util.concurrent.Callable<T> task) {
            return pool.submit(task);
        }

        @Override
        public void close() {
            pool.shutdownNow();
        }
    }
}
