package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.lockfile.LockLostException.Reason;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

@DisplayName("A holder")
class LostLockIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String NAIVE = "pid=1\ntimestamp=1800000000\n";

    private final MovableClock clock = new MovableClock();
    private final Queue<LockLostException> losses = new ConcurrentLinkedQueue<>();

    @TempDir private Path folder;
    private Path lock;

    @BeforeEach
    void name() {
        lock = folder.resolve("my.lock");
    }

    private LockFileConfig.Builder config() {
        return LockFileConfig.builder().clock(clock).onLost(losses::add);
    }

    private Guard acquire() {
        return FileSemaphore.at(lock, config().build()).acquireNow();
    }

    @Test
    void a_displaced_holder_is_notified_at_its_next_heartbeat_and_leaves_the_successors_file()
            throws Exception {
        Guard displaced = acquire();
        clock.move(Duration.ofHours(2));
        try (Guard successor = acquire()) {
            displaced.heartbeat();
            assertThat(displaced.isLost()).isTrue();
            assertThat(losses)
                    .singleElement()
                    .extracting(LockLostException::reason)
                    .isEqualTo(Reason.TAKEN_OVER);
            assertThat(successor.isStillOwner()).isTrue();
            displaced.close();
            displaced.heartbeat();
            assertThat(losses).hasSize(1);
            assertThat(displaced.isLost()).isTrue();
            assertThat(successor.isStillOwner()).isTrue();
        }
        assertThat(lock).doesNotExist();
    }

    @Test
    void a_displaced_holder_is_notified_at_its_release() {
        Guard displaced = acquire();
        clock.move(Duration.ofHours(2));
        Guard successor = acquire();
        assertThatThrownBy(displaced::release)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("taken over")
                .hasMessageContaining("held by process");
        assertThatCode(displaced::release).doesNotThrowAnyException();
        assertThat(losses).hasSize(1);
        assertThat(successor.isStillOwner()).isTrue();
        successor.release();
    }

    @Test
    void a_holder_whose_file_was_overwritten_does_not_write_to_it() throws Exception {
        Guard guard = acquire();
        Files.writeString(lock, NAIVE);
        guard.heartbeat();
        assertThat(losses)
                .singleElement()
                .extracting(LockLostException::reason)
                .isEqualTo(Reason.OVERWRITTEN);
        guard.close();
        assertThat(lock).hasContent(NAIVE);
    }

    @Test
    void a_holder_whose_file_was_removed_reports_it_and_creates_no_new_one() throws Exception {
        Guard guard = acquire();
        Files.delete(lock);
        assertThat(guard.isStillOwner()).isFalse();
        assertThat(guard.isLost()).isTrue();
        assertThat(losses)
                .singleElement()
                .extracting(LockLostException::reason)
                .isEqualTo(Reason.REMOVED);
        guard.close();
        assertThat(lock).doesNotExist();
    }

    @Test
    void a_copy_of_the_file_does_not_belong_to_the_holder() throws Exception {
        Guard guard = acquire();
        byte[] bytes = Files.readAllBytes(lock);
        Files.delete(lock);
        Files.write(lock, bytes);
        assertThat(guard.isStillOwner()).isFalse();
        guard.close();
        assertThat(lock).hasBinaryContent(bytes);
    }

    @Test
    void an_exception_of_the_callback_does_not_affect_the_guard() {
        Guard guard =
                FileSemaphore.at(
                                lock,
                                config().onLost(
                                                lost -> {
                                                    throw new IllegalStateException("oops");
                                                })
                                        .build())
                        .acquireNow();
        assertThatCode(
                        () -> {
                            Files.delete(lock);
                            guard.close();
                        })
                .doesNotThrowAnyException();
    }

    @Test
    void heartbeats_refresh_the_timestamp_of_a_held_lock() throws Exception {
        var beating = config().heartbeatInterval(Duration.ofMillis(5)).build();
        try (Guard guard = FileSemaphore.at(lock, beating).acquireNow()) {
            long taken = clock.seconds();
            long length = Files.size(lock);
            clock.move(Duration.ofMinutes(50));
            await().atMost(SOON).until(() -> timestamp() == clock.seconds());
            assertThat(Files.size(lock)).isEqualTo(length);
            assertThat(Files.readString(lock)).contains("\nacquired=" + taken + "\n");
            clock.move(Duration.ofSeconds(-5000)); // the clock is set back
            await().atMost(SOON).until(() -> timestamp() == clock.seconds());
            assertThat(guard.isStillOwner()).isTrue();
            assertThat(FileSemaphore.at(lock, config().build()).tryAcquire()).isEmpty();
        }
        assertThat(lock).doesNotExist();
        assertThat(losses).isEmpty();
    }

    private long timestamp() throws IOException {
        // Written in place, so a read may see a partial write.
        LockFile read = LockFile.parse(Files.readAllBytes(lock), clock.instant());
        return read.holder() == null ? 0 : read.holder().timestamp();
    }

    @Test
    void a_loss_is_reported_by_the_heartbeat_without_a_check_of_the_caller() throws Exception {
        var beating = config().heartbeatInterval(Duration.ofMillis(5)).build();
        Guard guard = FileSemaphore.at(lock, beating).acquireNow();
        Files.writeString(lock, NAIVE);
        await().atMost(SOON).until(() -> !losses.isEmpty());
        assertThat(guard.isLost()).isTrue();
        guard.close();
        assertThat(losses).hasSize(1);
        assertThat(lock).hasContent(NAIVE);
    }

    @Test
    void there_is_no_heartbeat_if_it_is_switched_off() {
        var quiet = config().heartbeat(false).heartbeatInterval(Duration.ofMillis(1)).build();
        var beating = config().heartbeatInterval(Duration.ofMillis(1)).build();
        Path other = folder.resolve("other.lock");
        try (Guard guard = FileSemaphore.at(lock, quiet).acquireNow();
                Guard beaten = FileSemaphore.at(other, beating).acquireNow()) {
            long taken = clock.seconds();
            clock.move(Duration.ofSeconds(100));
            var status = FileSemaphore.at(other, config().build());
            await().atMost(SOON)
                    .until(() -> status.status().age().isZero() && beaten.isStillOwner());
            assertThat(FileSemaphore.at(lock, config().build()).status().holder().orElseThrow())
                    .extracting(Holder::timestamp)
                    .isEqualTo(taken);
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    @Test
    void a_process_displaced_during_its_settle_time_does_not_acquire() throws Exception {
        // Another program overwrites every lock file as soon as it exists.
        var semaphore =
                new LockFileOperations(
                        LocalLockFileSystem.INSTANCE,
                        LockPaths.of(lock, false),
                        config().settleTime(Duration.ofMillis(20)).build(),
                        FileSystemCapabilities.POSIX,
                        time -> {
                            try {
                                Files.writeString(lock, NAIVE);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        assertThat(semaphore.attempt(null)).isInstanceOf(LockFileOperations.Attempt.Refused.class);
        assertThat(lock).hasContent(NAIVE);
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()).toList())
                    .isEqualTo(List.of("my.lock"));
        }
    }
}
