package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@DisplayName("Another process")
@Timeout(120)
class ProcessesIT {
    @TempDir private Path folder;
    private Path lock;
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void name() {
        lock = folder.resolve("my.lock");
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(String... command) throws IOException {
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        return process;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private Process program(String what, Path path) throws IOException {
        return start(
                java(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockProgram.class.getName(),
                what,
                path.toString());
    }

    private static String line(Process process) throws IOException {
        BufferedReader reader = process.inputReader();
        return String.valueOf(reader.readLine());
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void a_process_that_exits_or_is_terminated_releases_its_locks() throws Exception {
        Process exits = program("hold", lock);
        assertThat(line(exits)).isEqualTo("holds");
        assertThat(FileSemaphore.at(lock).tryAcquire()).isEmpty();
        exits.getOutputStream().close();
        assertThat(exits.waitFor()).isZero();
        assertThat(lock).doesNotExist();

        Process terminated = program("hold", lock);
        assertThat(line(terminated)).isEqualTo("holds");
        terminated.toHandle().destroy(); // unlike Process.destroy, this leaves the input open
        assertThat(terminated.waitFor()).isEqualTo(143);
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_process_that_cannot_release_one_lock_at_exit_releases_the_others() throws Exception {
        assertThat(program("hold-some", folder).waitFor()).isZero();
        try (Stream<Path> left = Files.find(folder, 2, (path, is) -> path.endsWith("my.lock"))) {
            assertThat(left).containsExactly(folder.resolve("elsewhere").resolve("my.lock"));
        }
    }

    @Test
    void a_process_whose_warning_callback_exits_during_a_release_does_not_deadlock()
            throws Exception {
        assertThat(program("exit-when-warned", lock).waitFor()).isEqualTo(5);
    }

    @Test
    void a_process_without_release_on_exit_or_that_is_killed_leaves_its_lock() throws Exception {
        Process keeps = program("hold-on-exit", lock);
        assertThat(line(keeps)).isEqualTo("holds");
        keeps.getOutputStream().close();
        assertThat(keeps.waitFor()).isZero();
        assertThat(FileSemaphore.at(lock).status().alive()).isEqualTo(ProcessLiveness.NO);
        assertThat(FileSemaphore.at(lock).forceRelease()).isTrue();

        Process killed = program("hold", lock);
        assertThat(line(killed)).isEqualTo("holds");
        assertThat(FileSemaphore.at(lock).status().alive()).isEqualTo(ProcessLiveness.YES);
        killed.destroyForcibly().waitFor();
        assertThat(FileSemaphore.at(lock).status().alive()).isEqualTo(ProcessLiveness.NO);
        assertThat(FileSemaphore.at(lock).tryAcquire()).isEmpty();
    }

    @Test
    void a_process_on_a_full_disk_leaves_nothing_behind() throws Exception {
        String program =
                "ulimit -f 0; exec "
                        + java()
                        + " -XX:-UsePerfData -cp '"
                        + System.getProperty("java.class.path")
                        + "' "
                        + LockProgram.class.getName()
                        + " try "
                        + lock;
        Process full = start("sh", "-c", program);
        assertThat(line(full)).startsWith("LockFileIoException").contains("File too large");
        assertThat(full.waitFor()).isZero();
        assertThat(files()).isEmpty();
    }

    @Test
    void a_process_that_keeps_the_sidecar_locked_blocks_no_release_and_no_later_takeover()
            throws Exception {
        List<String> warnings = new ArrayList<>();
        var config = LockFileConfig.builder().onWarning(warnings::add).build();
        var semaphore = FileSemaphore.at(lock, config);
        semaphore.acquireNow().close(); // creates the sidecar
        Guard guard = semaphore.acquireNow();
        Process busy = program("lock-sidecar", folder.resolve("my.lock.guard"));
        assertThat(line(busy)).isEqualTo("holds true");

        guard.release();
        assertThat(guard.isLost()).isFalse();
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("another process has")
                .contains("my.lock.guard");
        assertThat(Files.readString(lock)).startsWith("pid=0").contains("\ntimestamp=0000000000\n");
        assertThat(semaphore.status().isStale()).isTrue();
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.none()))
                .isInstanceOf(LockFileIoException.class)
                .hasMessageContaining("locked by another process");

        busy.destroyForcibly().waitFor();
        try (Guard next = semaphore.acquireNow()) {
            assertThat(next.isStillOwner()).isTrue();
        }
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_released_lock_file_is_removed_when_another_process_unlocks_the_sidecar()
            throws Exception {
        // For programs that never take over a stale lock.
        var config = LockFileConfig.builder().neverStale().onWarning(text -> {}).build();
        var semaphore = FileSemaphore.at(lock, config);
        semaphore.acquireNow().close();
        Guard guard = semaphore.acquireNow();
        Process busy = program("lock-sidecar", folder.resolve("my.lock.guard"));
        assertThat(line(busy)).isEqualTo("holds true");
        guard.release();
        assertThat(lock).exists();
        busy.destroyForcibly().waitFor();
        await().atMost(Duration.ofSeconds(60)).until(() -> !Files.exists(lock));
        assertThat(files()).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_process_that_keeps_the_sidecar_locked_blocks_no_heartbeat() throws Exception {
        var clock = new MovableClock();
        var semaphore = FileSemaphore.at(lock, LockFileConfig.builder().clock(clock).build());
        semaphore.acquireNow().close();
        Guard guard = semaphore.acquireNow();
        Process busy = program("lock-sidecar", folder.resolve("my.lock.guard"));
        assertThat(line(busy)).isEqualTo("holds true");
        clock.move(Duration.ofSeconds(50));
        guard.heartbeat();
        assertThat(semaphore.status().holder().orElseThrow().timestamp())
                .isEqualTo(clock.seconds());
        busy.destroyForcibly().waitFor();
        guard.release();
    }

    @Test
    void a_release_by_another_process_wakes_a_waiter() throws Exception {
        Process holder = program("hold", lock);
        assertThat(line(holder)).isEqualTo("holds");
        // The interval is so long that only a deletion event can end the wait in time.
        var config = LockFileConfig.builder().retryInterval(Duration.ofHours(1)).build();
        var waiter =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return FileSemaphore.at(lock, config).acquire();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        await().atMost(Duration.ofSeconds(60)).until(FileSemaphoreIT::isWaiting);
        holder.getOutputStream().close();
        try (Guard guard = waiter.get(60, TimeUnit.SECONDS)) {
            assertThat(guard.isStillOwner()).isTrue();
        }
    }
}
