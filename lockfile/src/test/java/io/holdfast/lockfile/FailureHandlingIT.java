package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.lockfile.LockFileOperations.Attempt;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("Handling of unexpected failures")
class FailureHandlingIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

    @TempDir private Path folder;

    private Path lock() {
        return folder.resolve("my.lock");
    }

    private long timestamp() throws IOException {
        Holder holder = LockFile.parse(Files.readAllBytes(lock()), now.get()).holder();
        return holder == null ? 0 : holder.timestamp();
    }

    @Test
    void heartbeats_continue_after_a_failed_one() {
        var broken = new AtomicBoolean();
        var warned = new AtomicBoolean();
        var config =
                LockFileConfig.builder()
                        .heartbeatInterval(Duration.ofMillis(5))
                        .clock(
                                () -> {
                                    if (broken.get()) {
                                        throw new IllegalStateException("no time");
                                    }
                                    return now.get();
                                })
                        .onWarning(
                                text -> {
                                    warned.set(true);
                                    throw new IllegalStateException("no ear");
                                })
                        .build();
        try (Guard guard = FileSemaphore.at(lock(), config).acquireNow()) {
            broken.set(true);
            await().atMost(SOON).untilTrue(warned);
            broken.set(false);
            now.set(now.get().plusSeconds(100));
            await().atMost(SOON).until(() -> timestamp() == now.get().getEpochSecond());
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    @Test
    void a_lock_acquired_with_a_clock_at_1970_does_not_become_stale_when_the_clock_is_set()
            throws IOException {
        now.set(Instant.ofEpochSecond(5));
        var semaphore = FileSemaphore.at(lock(), LockFileConfig.builder().clock(now::get).build());
        try (Guard guard = semaphore.acquireNow()) {
            now.set(Instant.ofEpochSecond(1_800_000_000));
            guard.heartbeat();
            assertThat(timestamp()).isEqualTo(1_800_000_000);
            assertThat(semaphore.tryAcquire()).isEmpty();
        }
    }

    /** Intercepts the calls of the real file system. */
    private interface Interceptor {
        Object around(String call, LockFileSystem.Action<Object> real) throws IOException;
    }

    private static LockFileSystem disk(Interceptor interceptor) {
        return (LockFileSystem)
                Proxy.newProxyInstance(
                        LockFileSystem.class.getClassLoader(),
                        new Class<?>[] {LockFileSystem.class},
                        (proxy, method, arguments) ->
                                interceptor.around(
                                        method.getName(),
                                        () -> {
                                            try {
                                                return method.invoke(
                                                        LocalLockFileSystem.INSTANCE, arguments);
                                            } catch (InvocationTargetException e) {
                                                throw (IOException) e.getCause();
                                            } catch (IllegalAccessException e) {
                                                throw new AssertionError(e);
                                            }
                                        }));
    }

    private LockFileOperations operations(Interceptor interceptor) {
        return new LockFileOperations(
                disk(interceptor),
                LockPaths.of(lock(), false),
                LockFileConfig.builder().clock(now::get).build(),
                FileSystemCapabilities.POSIX,
                time -> {});
    }

    @Test
    void a_process_suspended_just_before_publishing_refreshes_the_timestamp() throws IOException {
        var stopped =
                operations(
                        (call, real) -> {
                            if (call.equals("link")) {
                                now.set(now.get().plusSeconds(7200));
                            }
                            return real.run();
                        });
        assertThat(stopped.attempt(null)).isInstanceOf(Attempt.Acquired.class);
        assertThat(timestamp()).isEqualTo(now.get().getEpochSecond());
        assertThat(operations((call, real) -> real.run()).attempt(null))
                .isInstanceOf(Attempt.Refused.class);
    }

    @Test
    void a_process_whose_lock_is_taken_over_just_after_publishing_is_refused() throws IOException {
        var successor = operations((call, real) -> real.run());
        var displaced =
                operations(
                        (call, real) -> {
                            Object result = real.run();
                            if (call.equals("link")) {
                                now.set(now.get().plusSeconds(7200));
                                assertThat(successor.attempt(null))
                                        .isInstanceOf(Attempt.Acquired.class);
                            }
                            return result;
                        });
        assertThat(displaced.attempt(null)).isInstanceOf(Attempt.Refused.class);
    }

    @Test
    void a_takeover_that_fails_after_publishing_leaves_no_lock() throws IOException {
        Files.writeString(lock(), "pid=1\ntimestamp=5\n");
        var first = new AtomicBoolean(true);
        var failing =
                operations(
                        (call, real) -> {
                            Object result = real.run();
                            if (call.equals("locked") && first.getAndSet(false)) {
                                throw new IOException("the sidecar does not close");
                            }
                            return result;
                        });
        assertThatThrownBy(() -> failing.attempt(null)).hasMessageContaining("does not close");
        assertThat(lock()).doesNotExist();
    }

    @Test
    void a_sidecar_is_not_locked_twice_by_one_thread() throws IOException {
        Path sidecar = folder.resolve("my.lock.guard");
        Optional<Optional<Boolean>> nested =
                LocalLockFileSystem.INSTANCE.locked(
                        sidecar,
                        Duration.ZERO,
                        () ->
                                LocalLockFileSystem.INSTANCE.locked(
                                        sidecar, Duration.ZERO, () -> true));
        assertThat(nested).contains(Optional.empty());
    }

    @Test
    void cleaning_leaves_other_files_with_similar_names() throws IOException {
        for (String name : new String[] {".my.lock.old", ".my.lock.other.1.0123456789abcdef.new"}) {
            Files.setLastModifiedTime(
                    Files.createFile(folder.resolve(name)), FileTime.from(Instant.EPOCH));
        }
        assertThat(FileSemaphore.at(lock()).clean()).isFalse();
    }

    @Test
    void an_exception_of_the_warning_callback_does_not_prevent_the_release() throws IOException {
        var config =
                LockFileConfig.builder()
                        .onWarning(
                                text -> {
                                    throw new IllegalStateException("no ear");
                                })
                        .build();
        Guard guard = FileSemaphore.at(lock(), config).acquireNow();
        Files.createDirectory(folder.resolve("my.lock.guard"));
        guard.close();
        assertThat(lock()).doesNotExist();
    }

    @Test
    void a_release_that_fails_completely_is_retried() throws IOException {
        var broken = new AtomicBoolean();
        var operations =
                operations(
                        (call, real) -> {
                            if (broken.get()) {
                                throw new IOException("Too many open files");
                            }
                            return real.run();
                        });
        var acquired = (Attempt.Acquired) operations.attempt(null);
        Guard guard = new Guard(operations, acquired.held()).start();
        broken.set(true);
        assertThatThrownBy(guard::close).hasMessageContaining("Too many open files");
        assertThat(lock()).exists();
        broken.set(false);
        await().atMost(SOON).until(() -> !Files.exists(lock()));
    }

    @Test
    void cleaning_finds_helpers_with_names_of_the_maximum_length() throws IOException {
        String name = "n".repeat(227);
        Path helper = folder.resolve("." + name + ".123.0123456789abcdef.new");
        Files.setLastModifiedTime(Files.createFile(helper), FileTime.from(Instant.EPOCH));
        assertThat(FileSemaphore.at(folder.resolve(name)).clean()).isTrue();
        assertThat(helper).doesNotExist();
    }
}
