package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

@DisplayName("The cleanup of clients")
class ClientCleanupIT {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir private Path folder;

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.count();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-socketlock"))
                .count();
    }

    private static void awaitNothingMoreThan(long descriptors, long threads) {
        await().untilAsserted(() -> assertThat(threads()).isLessThanOrEqualTo(threads));
        await().untilAsserted(() -> assertThat(descriptors()).isLessThan(descriptors + 10));
    }

    @Test
    void closed_clients_leave_no_thread_and_no_file() throws Exception {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "no list of open files here");
        useOnce(); // load classes and start shared threads first
        long threadsBefore = threads();
        long before = descriptors();
        for (int i = 0; i < 200; i++) {
            useOnce();
        }

        awaitNothingMoreThan(before, threadsBefore);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("s.lock"));
        }
    }

    private void useOnce() {
        try (SocketLockClient one = SocketLockClient.connect(folder.resolve("s"));
                SocketLockClient other = SocketLockClient.connect(folder.resolve("s"));
                SocketLock lock = other.acquireRead()) {
            assertThat(lock.isValid()).isTrue();
            assertThat(one.isPrimary()).isTrue();
        }
    }

    @Test
    void clients_that_could_not_connect_leave_no_thread_and_no_file() throws Exception {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "no list of open files here");
        Path file = Files.writeString(folder.resolve("file"), "mine");
        Path silent = folder.resolve("silent");
        try (ScriptedPrimary primary = ScriptedPrimary.at(silent)) {
            failOnce(file, silent);
            long threadsBefore = threads();
            long before = descriptors() - primary.connections();
            for (int i = 0; i < 30; i++) {
                failOnce(file, silent);
            }
            long theirs = primary.connections();

            awaitNothingMoreThan(before + theirs, threadsBefore);
        }
    }

    private static void failOnce(Path file, Path silent) {
        assertThatThrownBy(() -> SocketLockClient.connect(file))
                .isInstanceOf(SocketLockUnavailableException.class);
        assertThatThrownBy(
                        () ->
                                SocketLockClient.connect(
                                        silent, LockConfig.defaults(), Duration.ofMillis(10)))
                .isInstanceOf(SocketLockUnavailableException.class);
    }

    @Test
    void a_client_with_many_timed_out_acquires_has_one_connection() throws Exception {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "no list of open files here");
        try (SocketLockClient one = SocketLockClient.connect(folder.resolve("s"));
                SocketLockClient other = SocketLockClient.connect(folder.resolve("s"));
                SocketLock lock = one.acquireWrite()) {
            long before = descriptors();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(
                                () ->
                                        other.acquireRead(
                                                AcquireOptions.timeout(Duration.ofMillis(5))))
                        .isInstanceOf(SocketLockTimeoutException.class);
            }

            awaitNothingMoreThan(before, Long.MAX_VALUE);
            assertThat(lock.isValid()).isTrue();
        }
    }
}
