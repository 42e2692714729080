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

@DisplayName("When something else goes wrong")
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
    void a_heartbeat_that_fails_in_any_way_is_followed_by_others() {
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
    void a_clock_that_began_in_1970_and_is_set_makes_no_lock_stale() throws IOException {
        now.set(Instant.ofEpochSecond(5));
        var semaphore = FileSemaphore.at(lock(), LockFileConfig.builder().clock(now::get).build());
        try (Guard guard = semaphore.acquireNow()) {
            now.set(Instant.ofEpochSecond(1_800_000_000));
            guard.heartbeat();
            assertThat(timestamp()).isEqualTo(1_800_000_000);
            assertThat(semaphore.tryAcquire()).isEmpty();
        }
    }

    /** The real disk, on which something happens at some calls. */
    private interface Twist {
        Object around(String call, LockFileSystem.Action<Object> real) throws IOException;
    }

    private static LockFileSystem disk(Twist twist) {
        return (LockFileSystem)
                Proxy.newProxyInstance(
                        LockFileSystem.class.getClassLoader(),
                        new Class<?>[] {LockFileSystem.class},
                        (proxy, method, arguments) ->
                                twist.around(
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

    private LockFileOperations operations(Twist twist) {
        return new LockFileOperations(
                disk(twist),
                LockPaths.of(lock(), false),
                LockFileConfig.builder().clock(now::get).build(),
                FileSystemCapabilities.POSIX,
                time -> {});
    }

    @Test
    void whoever_is_stopped_just_before_publishing_dates_its_lock_anew() throws IOException {
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
    void whoever_is_stopped_just_after_publishing_and_robbed_is_refused() throws IOException {
        var successor = operations((call, real) -> real.run());
        var robbed =
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
        assertThat(robbed.attempt(null)).isInstanceOf(Attempt.Refused.class);
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
    void cleaning_leaves_the_files_of_others_that_end_as_ours_do() throws IOException {
        for (String name : new String[] {".my.lock.old", ".my.lock.other.1.0123456789abcdef.new"}) {
            Files.setLastModifiedTime(
                    Files.createFile(folder.resolve(name)), FileTime.from(Instant.EPOCH));
        }
        assertThat(FileSemaphore.at(lock()).clean()).isFalse();
    }

    @Test
    void a_warning_that_nobody_can_hear_stops_no_release() throws IOException {
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
    void a_release_that_fails_altogether_is_tried_again() throws IOException {
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
    void cleaning_finds_helpers_whose_names_just_fit() throws IOException {
        String name = "n".repeat(227);
        Path helper = folder.resolve("." + name + ".123.0123456789abcdef.new");
        Files.setLastModifiedTime(Files.createFile(helper), FileTime.from(Instant.EPOCH));
        assertThat(FileSemaphore.at(folder.resolve(name)).clean()).isTrue();
        assertThat(helper).doesNotExist();
    }
}
