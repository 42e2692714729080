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

/** What every way of making lock files must keep; the last is that of Windows, tried here. */
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
    void is_there_with_all_its_fields_while_it_is_held_and_gone_after() throws Exception {
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
    void can_be_read_by_all_unless_it_is_private() throws Exception {
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
    void is_refused_to_a_second_one_which_learns_who_has_it_and_changes_nothing() throws Exception {
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
    void leaves_at_most_the_sidecar_after_six_turns() throws Exception {
        for (int i = 0; i < 6; i++) {
            semaphore().acquireNow().close();
        }
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
        assertThat(folder.resolve("my.lock.guard")).isEmptyFile();
    }

    @Test
    void is_stale_after_more_than_the_timeout_and_not_before() throws Exception {
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
    void is_held_though_its_process_is_dead_as_long_as_it_is_fresh() throws Exception {
        plant(999_999_999, clock.seconds());
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().status().alive()).isEqualTo(ProcessLiveness.NO);
    }

    @Test
    void is_never_stale_when_dated_in_the_future() throws Exception {
        plant(1, clock.seconds() + 1);
        assertThat(semaphore().tryAcquire()).isEmpty();
        assertThat(semaphore().clean()).isFalse();
        assertThat(semaphore().status().isInFuture()).isTrue();
    }

    @Test
    void is_never_stale_for_those_who_do_not_want_that() throws Exception {
        plant(1, 0);
        assertThat(semaphore(LockFileConfig.builder().neverStale()).tryAcquire()).isEmpty();
    }

    @Test
    void may_be_stale_and_kept_because_its_process_lives() throws Exception {
        var config = LockFileConfig.builder().stalePolicy(StalePolicy.AGE_AND_DEAD);
        long living = ProcessHandle.current().pid();
        plant(living, 0);
        assertThat(semaphore(config).tryAcquire()).isEmpty();
        assertThat(semaphore(config).status().isStale()).isTrue();
        // another process that got the same id
        plant("pid=" + living + "\ntimestamp=0\nstart=1000\n");
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
        plant("pid=" + living + "\ntimestamp=0\nhost=elsewhere\n");
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
        plant(999_999_999, 0);
        assertThat(semaphore(config).tryAcquire()).isPresent().get().satisfies(Guard::close);
    }

    @Test
    void that_a_writer_left_unfinished_is_held_and_stale_only_by_the_age_of_the_file()
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
    void that_is_something_else_is_held_for_ever_and_removed_by_force_alone() throws Exception {
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
    void is_released_without_its_guard_by_whoever_can_prove_it() throws Exception {
        var semaphore = semaphore(LockFileConfig.builder().pid(4711));
        Guard guard = semaphore.acquireNow();
        guard.detach();
        assertThat(guard.isStillOwner()).isFalse();
        assertThat(semaphore.status().holder().orElseThrow().pid()).isEqualTo(4711);
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.nonce("0123456789abcdef")))
                .isInstanceOf(NotOwnerException.class);
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.pid(4712)))
                .isInstanceOf(NotOwnerException.class)
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
    void is_waited_for_and_dated_when_it_was_taken() throws Exception {
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

    /** Whether somebody waits in the class that waits. */
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
    void that_does_not_come_free_in_time_is_a_timeout_that_says_who_has_it() throws Exception {
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
    void is_found_by_those_who_wait_when_it_gets_stale() throws Exception {
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
    void is_taken_and_released_by_an_interrupted_thread_which_stays_interrupted() throws Exception {
        var semaphore = semaphore(LockFileConfig.builder().settleTime(Duration.ofMillis(1)));
        plant(1, 0); // even by taking it over
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
    void is_not_waited_for_by_an_interrupted_thread() throws Exception {
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
    void survives_threads_that_are_interrupted_all_the_time() throws Exception {
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
    void keeps_threads_of_one_process_apart() throws Exception {
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
    void that_is_stale_has_one_winner_among_threads_that_find_it_together() throws Exception {
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
    void is_not_found_again_by_its_first_holder_after_a_second_one_released_it() {
        Guard first = semaphore().acquireNow();
        clock.move(Duration.ofHours(2));
        Guard second = semaphore().acquireNow();
        second.release();
        Guard third = semaphore().acquireNow();
        assertThatThrownBy(first::release).isInstanceOf(LockLostException.class);
        assertThat(third.isStillOwner()).isTrue();
        first.release(); // harmless
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
