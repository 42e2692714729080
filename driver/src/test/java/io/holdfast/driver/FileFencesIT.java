package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("Fences from a file")
class FileFencesIT {
    private static final long CLOCK = 1_700_000_000_000_000_000L;

    @TempDir Path folder;

    @Test
    void fences_of_a_new_file_start_above_the_clock_with_a_ceiling_on_disk() throws IOException {
        Path file = folder.resolve("fences");
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            assertThat(ceiling(file)).isEqualTo(CLOCK + FileFences.RANGE);
            assertThat(fences.next()).isEqualTo(CLOCK + 1);
            assertThat(fences.next()).isEqualTo(CLOCK + 2);
        }
    }

    @Test
    void fences_of_an_empty_file_start_above_the_clock() throws IOException {
        Path file = Files.createFile(folder.resolve("fences"));
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            assertThat(fences.next()).isEqualTo(CLOCK + 1);
            assertThat(ceiling(file)).isEqualTo(CLOCK + FileFences.RANGE);
        }
    }

    @Test
    void file_fences_use_the_wall_clock_by_default() throws IOException {
        long before = ClockFences.wallClockNanos();
        try (FileFences fences = FileFences.open(folder.resolve("fences"))) {
            assertThat(fences.next()).isGreaterThan(before);
        }
    }

    @Test
    void file_fences_increase_across_restarts_though_the_clock_was_set_back() throws IOException {
        Path file = folder.resolve("fences");
        long clock = CLOCK;
        long last = 0;
        for (int start = 0; start < 5; start++) {
            try (FileFences fences = FileFences.open(file, clock)) {
                for (int i = 0; i < 100; i++) {
                    long fence = fences.next();
                    assertThat(fence).isGreaterThan(last);
                    last = fence;
                }
            }
            clock -= Duration.ofDays(365).toNanos();
        }
    }

    @Test
    void file_fences_follow_a_clock_that_is_ahead_of_the_file() throws IOException {
        Path file = folder.resolve("fences");
        FileFences.open(file, CLOCK).close();
        long later = CLOCK + Duration.ofDays(1).toNanos();
        try (FileFences fences = FileFences.open(file, later)) {
            assertThat(fences.next()).isEqualTo(later + 1);
        }
    }

    @Test
    void file_fences_are_above_a_floor_that_was_set_with_a_ceiling_on_disk() throws IOException {
        Path file = folder.resolve("fences");
        long floor = CLOCK + 50 * FileFences.RANGE;
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            fences.raise(floor);
            assertThat(ceiling(file)).isGreaterThan(floor);
            assertThat(fences.next()).isEqualTo(floor + 1);
            fences.raise(CLOCK);
            assertThat(fences.next()).isEqualTo(floor + 2);
            assertThatThrownBy(() -> fences.raise(Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            assertThat(fences.next()).as("after a restart").isGreaterThan(floor + 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 9, 16, 4096})
    void a_fence_file_of_another_size_is_refused_and_not_changed(int size) throws IOException {
        Path file = folder.resolve("fences");
        Files.write(file, new byte[size]);
        assertThatThrownBy(() -> FileFences.open(file, CLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("damaged");
        assertThat(Files.size(file)).isEqualTo(size);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
    void a_fence_file_with_an_invalid_ceiling_is_refused(long value) throws IOException {
        Path file = folder.resolve("fences");
        Files.write(file, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        assertThatThrownBy(() -> FileFences.open(file, CLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("damaged");
    }

    @Test
    void a_missing_directory_of_the_fence_file_is_reported_readably() {
        Path file = folder.resolve("missing").resolve("fences");
        assertThatThrownBy(() -> FileFences.open(file, CLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use fence state file " + file);
    }

    @Test
    void a_directory_in_place_of_the_fence_file_is_reported_readably() throws IOException {
        Path file = Files.createDirectory(folder.resolve("fences"));
        assertThatThrownBy(() -> FileFences.open(file, CLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fence state file " + file);
    }

    @Test
    void an_unreadable_fence_file_is_reported_readably() throws IOException {
        Path file = folder.resolve("fences");
        FileFences.open(file, CLOCK).close();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeTrue(!Files.isReadable(file), "root may do anything");
        assertThatThrownBy(() -> FileFences.open(file, CLOCK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use fence state file " + file);
    }

    @Test
    void file_fences_leave_no_temporary_file() throws IOException {
        Path file = folder.resolve("fences");
        FileFences.open(file, CLOCK).close();
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void file_fences_reserve_the_next_range_before_this_one_is_used_up() throws IOException {
        Path file = folder.resolve("fences");
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            for (long i = 0; i <= FileFences.RANGE / 2 + 1; i++) {
                fences.next();
            }
            // The next draw may have to signal the reserver again, if it was just going to sleep.
            await().atMost(RecordingMailbox.LIMIT)
                    .until(() -> fences.next() > CLOCK && ceiling(file) > CLOCK + FileFences.RANGE);
        }
    }

    @Test
    void file_fences_are_unique_and_never_above_the_ceiling_on_disk_while_threads_cross_ranges()
            throws Exception {
        Path file = folder.resolve("fences");
        int members = 4;
        int each = (int) FileFences.RANGE * 3 / 4;
        AtomicIntegerArray given = new AtomicIntegerArray(members * each + 1);
        try (FileFences fences = FileFences.open(file, CLOCK);
                ParallelThreads parallelThreads = new ParallelThreads()) {
            parallelThreads.run(
                    members,
                    member -> {
                        long last = 0;
                        for (int i = 0; i < each; i++) {
                            long fence = fences.next();
                            if (fence <= last) {
                                throw new AssertionError(fence + " after " + last);
                            }
                            last = fence;
                            given.incrementAndGet((int) (fence - CLOCK));
                            if (i % 8192 == 0) {
                                assertThat(ceiling(file)).isGreaterThanOrEqualTo(fence);
                            }
                        }
                    });
        }
        for (int i = 1; i <= members * each; i++) {
            if (given.get(i) != 1) {
                throw new AssertionError(i + " was issued " + given.get(i) + " times");
            }
        }
        try (FileFences next = FileFences.open(file, 0)) {
            assertThat(next.next()).isGreaterThan(CLOCK + members * (long) each);
        }
    }

    @Test
    void file_fences_block_at_the_ceiling_while_the_disk_fails_and_continue_afterwards()
            throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path unplugged = folder.resolve("unplugged");
        Path file = disk.resolve("fences");
        try (FileFences fences = FileFences.open(file, CLOCK)) {
            Files.move(disk, unplugged);
            long reserverBefore = cpuNanos("holdfast-fences");
            long ceiling = CLOCK + FileFences.RANGE;
            AtomicLong highest = new AtomicLong();
            AtomicBoolean enough = new AtomicBoolean();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(
                        Thread.ofPlatform()
                                .daemon()
                                .name("drawer")
                                .start(
                                        () -> {
                                            while (!enough.get()) {
                                                highest.accumulateAndGet(fences.next(), Math::max);
                                            }
                                        }));
            }
            await().atMost(RecordingMailbox.LIMIT).until(() -> highest.get() == ceiling);
            long drawersBefore = cpuNanos("drawer");
            await().atMost(RecordingMailbox.LIMIT)
                    .during(Duration.ofSeconds(1))
                    .until(() -> highest.get() == ceiling);
            // Threads that draw do not make the reserver spin, and waiting threads do not wake
            // others.
            long little = Duration.ofMillis(300).toNanos();
            assertThat(cpuNanos("holdfast-fences") - reserverBefore).isLessThan(little);
            assertThat(cpuNanos("drawer") - drawersBefore).isLessThan(little);

            Files.move(unplugged, disk);
            await().atMost(RecordingMailbox.LIMIT).until(() -> highest.get() > ceiling);
            assertThat(ceiling(file)).isGreaterThanOrEqualTo(highest.get());
            enough.set(true);
            for (Thread thread : threads) {
                thread.join(RecordingMailbox.LIMIT.toMillis());
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    private static long cpuNanos(String threadName) {
        var threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(threadName))
                .mapToLong(thread -> Math.max(0, threads.getThreadCpuTime(thread.threadId())))
                .sum();
    }

    private static long ceiling(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).hasSize(Long.BYTES);
        return ByteBuffer.wrap(bytes).getLong();
    }
}
