package io.holdfast.client.socketlock.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.client.socketlock.LockConfig;
import io.holdfast.client.socketlock.SocketLock;
import io.holdfast.client.socketlock.SocketLockClient;
import io.holdfast.client.socketlock.SocketLockUnavailableException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

@DisplayName("When processes start, stop and die")
@Timeout(120)
class ElectionIT {
    private static final Duration GRACE = LockConfig.GRACE;

    /** Enough for anything that does not wait for the grace time to end, and less than that. */
    private static final Duration SOON = GRACE.minusSeconds(1);

    private static final Duration LONG = Duration.ofMinutes(1);

    /** Enough to see that something does not happen. */
    private static final Duration A_WHILE = Duration.ofMillis(400);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path path;

    private final List<LockProcess> processes = new ArrayList<>();

    @BeforeEach
    void choosePath() {
        path = folder.resolve("s");
    }

    @AfterEach
    void reap() {
        processes.forEach(LockProcess::close);
    }

    private LockProcess start(String... more) throws IOException {
        LockProcess process = LockProcess.start(path, more);
        processes.add(process);
        return process;
    }

    /** The first of them is the primary. */
    private List<LockProcess> started(int count) throws IOException {
        List<LockProcess> all = new ArrayList<>();
        all.add(start());
        all.get(0).hears("serves");
        for (int i = 1; i < count; i++) {
            all.add(start());
        }
        all.subList(1, count).forEach(LockProcess::connected);
        return all;
    }

    private List<LockProcess> primaries() {
        return processes.stream().filter(process -> process.isAlive() && process.serves()).toList();
    }

    private void awaitOnePrimary() {
        await().until(() -> primaries().size() == 1);
    }

    // ---- a crash

    @Test
    // H10.
    void a_lock_outlives_the_primary_and_nobody_else_gets_it_before_its_release()
            throws IOException {
        List<LockProcess> all = started(7);
        LockProcess holder = all.get(1);
        long fence = holder.holds("write");
        List<LockProcess> waiting = all.subList(2, 7);
        waiting.forEach(process -> process.tell("write"));

        all.get(0).kill();

        holder.hears("became IN_DOUBT");
        holder.hears("became VALID");
        awaitOnePrimary();
        assertThat(waiting).noneMatch(process -> process.says("holds", Duration.ofMillis(100)));
        holder.tell("look");
        assertThat(holder.hears("looks")).isEqualTo("true VALID");
        holder.tell("release");
        assertThat(holder.hears("released")).isEqualTo("true");
        List<Long> fences = new ArrayList<>();
        List<LockProcess> left = new ArrayList<>(waiting);
        while (!left.isEmpty()) {
            LockProcess next = oneThatHolds(left, LONG);
            fences.add(next.holds());
            assertThat(left).noneMatch(process -> process != next && holdsNow(process));
            next.tell("release");
            next.hears("released");
            left.remove(next);
        }
        assertThat(fences).isSorted().doesNotHaveDuplicates().allMatch(next -> next > fence);
    }

    private static boolean holdsNow(LockProcess process) {
        return process.said().stream().anyMatch(line -> line.startsWith("holds"));
    }

    private static LockProcess oneThatHolds(List<LockProcess> among, Duration within) {
        await().atMost(within).until(() -> among.stream().anyMatch(ElectionIT::holdsNow));
        return among.stream().filter(ElectionIT::holdsNow).findFirst().orElseThrow();
    }

    @Test
    void readers_outlive_the_primary_together() throws IOException {
        List<LockProcess> all = started(4);
        all.get(1).holds("read");
        all.get(2).holds("read");
        all.get(3).tell("write");

        all.get(0).kill();

        for (LockProcess reader : all.subList(1, 3)) {
            reader.hears("became VALID");
        }
        all.get(1).tell("release");
        assertThat(all.get(1).hears("released")).isEqualTo("true");
        assertThat(all.get(3).says("holds", A_WHILE)).isFalse();
        all.get(2).tell("release");
        all.get(3).holds();
    }

    @Test
    void a_holder_that_is_killed_with_the_primary_is_not_waited_for() throws IOException {
        List<LockProcess> all = started(4);
        long fence = all.get(1).holds("write");
        all.subList(2, 4).forEach(process -> process.tell("write"));

        all.get(0).kill();
        all.get(1).kill();

        LockProcess next = oneThatHolds(all.subList(2, 4), SOON); // sooner than the grace time
        assertThat(next.holds()).isGreaterThan(fence);
    }

    @Test
    void what_the_primary_itself_held_is_free_when_it_is_killed() throws IOException {
        List<LockProcess> all = started(2);
        long fence = all.get(0).holds("write");
        all.get(1).tell("write");
        assertThat(all.get(1).says("holds", A_WHILE)).isFalse();

        all.get(0).kill();

        assertThat(oneThatHolds(all.subList(1, 2), SOON).holds()).isGreaterThan(fence);
        awaitOnePrimary();
    }

    @Test
    void what_a_killed_client_held_is_free_at_once() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).tell("read");

        all.get(1).kill();

        assertThat(all.get(2).says("holds", SOON)).isTrue();
        assertThat(all.get(0).serves()).isTrue();
    }

    @Test
    void a_lock_outlives_one_primary_after_the_other() throws IOException {
        List<LockProcess> all = started(5);
        LockProcess holder = all.get(1);
        holder.holds("write");
        all.get(4).tell("write");
        for (int i = 0; i < 3; i++) {
            awaitOnePrimary();
            LockProcess primary = primaries().get(0);
            if (primary == holder || primary == all.get(4)) {
                break; // it may be any of them
            }
            primary.kill();
            holder.hears("became VALID");
        }
        assertThat(all.get(4).says("holds", A_WHILE)).isFalse();
        holder.tell("release");
        assertThat(holder.hears("released")).isEqualTo("true");
        all.get(4).holds();
    }

    @Test
    void clients_of_one_process_that_call_themselves_the_same_keep_their_locks()
            throws IOException {
        LockConfig config = LockConfig.builder().clientId("same").build();
        for (int round = 0; round < 4; round++) { // either may be the first to be back
            path = folder.resolve("s" + round);
            LockProcess primary = started(1).get(0);
            try (SocketLockClient one = SocketLockClient.connect(path, config);
                    SocketLockClient other = SocketLockClient.connect(path, config);
                    SocketLock lock = (round % 2 == 0 ? one : other).acquireWrite()) {
                primary.kill();
                await().until(() -> one.isPrimary() || other.isPrimary());
                await().until(lock::isValid);
            }
        }
    }

    // ---- stopped processes

    @Test
    // H10.
    void a_holder_stopped_for_longer_than_the_grace_time_finds_its_lock_lost()
            throws IOException, InterruptedException {
        List<LockProcess> all = started(3);
        LockProcess holder = all.get(1);
        long fence = holder.holds("write");
        holder.tell("guard");
        holder.hears("guards");
        all.get(2).tell("write");

        holder.stop();
        all.get(0).kill();

        long began = System.nanoTime();
        assertThat(all.get(2).holds()).isGreaterThan(fence);
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(GRACE.minusMillis(500), GRACE.plusSeconds(30));
        holder.goOn();
        assertThat(holder.hears("woke")).isEqualTo("false");
        holder.hears("became LOST");
        holder.tell("look");
        assertThat(holder.hears("looks")).isEqualTo("false LOST");
        holder.tell("release");
        assertThat(holder.hears("released")).isEqualTo("false");
        assertThat(holder.said()).doesNotContain("error valid again");
        all.get(2).tell("look");
        assertThat(all.get(2).hears("looks")).isEqualTo("true VALID");
    }

    @Test
    void a_primary_that_is_stopped_and_goes_on_stays_the_only_one()
            throws IOException, InterruptedException {
        List<LockProcess> all = started(4);
        all.get(1).holds("write");
        all.get(2).tell("write");

        all.get(0).stop();

        LockProcess late = start();
        assertThat(late.says("connected", Duration.ofSeconds(1))).isFalse();
        all.get(1).tell("look");
        assertThat(all.get(1).hears("looks")).isEqualTo("true VALID");
        all.get(1).tell("release");
        assertThat(all.get(2).says("holds", A_WHILE)).isFalse();
        all.get(0).goOn();
        all.get(2).holds();
        late.connected();
        assertThat(primaries()).containsExactly(all.get(0));
        assertThat(all.get(2).said()).noneMatch(line -> line.startsWith("became"));
    }

    @Test
    // H13.
    void a_full_accept_queue_is_no_evidence_of_death() throws IOException, InterruptedException {
        List<LockProcess> all = started(2);
        all.get(1).holds("write");
        all.get(0).stop();
        List<SocketChannel> queue = new ArrayList<>();
        try {
            fillQueue(queue);
            LockProcess late = start();
            assertThat(late.says("serves", Duration.ofSeconds(1))).isFalse();
            assertThat(late.said()).isEmpty();
            all.get(0).goOn();
            late.connected();
            assertThat(primaries()).containsExactly(all.get(0));
        } finally {
            for (SocketChannel channel : queue) {
                channel.close();
            }
        }
        all.get(1).tell("look");
        assertThat(all.get(1).hears("looks")).isEqualTo("true VALID");
    }

    /** Until nobody else is let in. */
    private void fillQueue(List<SocketChannel> queue) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            queue.add(channel);
            channel.configureBlocking(false);
            try {
                channel.connect(UnixDomainSocketAddress.of(path));
            } catch (SocketException e) {
                return;
            }
        }
        throw new AssertionError("the queue has no end");
    }

    // ---- an orderly end

    @Test
    // H11.
    void the_primary_ends_at_once_and_a_lock_elsewhere_stays() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).tell("read");

        all.get(0).tell("close");

        assertThat(Long.parseLong(all.get(0).hears("closed"))).isLessThan(GRACE.toMillis());
        all.get(1).hears("became VALID");
        assertThat(all.get(2).says("holds", A_WHILE)).isFalse();
        all.get(1).tell("release");
        assertThat(all.get(1).hears("released")).isEqualTo("true");
        all.get(2).holds();
        awaitOnePrimary();
    }

    @Test
    void a_primary_that_leaves_with_a_lock_of_its_own_leaves_it_free() throws IOException {
        List<LockProcess> all = started(2);
        all.get(0).holds("write");
        all.get(1).tell("write");

        all.get(0).tell("leave");

        assertThat(Long.parseLong(all.get(0).hears("left"))).isLessThan(GRACE.toMillis());
        all.get(0).hears("became LOST");
        assertThat(all.get(1).says("holds", SOON)).isTrue();
        assertThat(all.get(0).isAlive()).isTrue();
    }

    // ---- starting together

    @Test
    // H12, H15.
    void of_those_that_start_together_one_becomes_the_primary() throws IOException {
        for (int round = 0; round < 4; round++) {
            // First over nothing, then over the socket of a primary that was killed.
            List<LockProcess> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(start());
            }
            all.forEach(LockProcess::connected);
            awaitOnePrimary();
            all.forEach(process -> process.tell("read"));
            all.forEach(LockProcess::holds);
            assertThat(primaries()).hasSize(1);
            assertThat(all).allMatch(LockProcess::isAlive);
            all.forEach(LockProcess::kill);
            assertThat(path).exists();
            if (round == 1) {
                Files.delete(path);
            }
        }
    }

    @Test
    // H12, H15.
    void a_hundred_times_over_a_stale_socket_one_of_eight_becomes_the_primary() throws IOException {
        List<LockProcess> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(start());
        }
        all.forEach(LockProcess::connected);
        for (int round = 0; round < 100; round++) {
            Path stale = path.resolveSibling("s" + round);
            try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                listener.bind(UnixDomainSocketAddress.of(stale));
            }
            all.forEach(process -> process.tell("meet " + stale));
            assertThat(all.stream().map(process -> process.hears("met")).filter("true"::equals))
                    .as("round %d", round)
                    .hasSize(1);
        }
    }

    // ---- what others do to the files

    @Test
    void the_service_goes_on_when_the_socket_is_removed() throws IOException {
        List<LockProcess> all = started(4);
        Path marker = folder.resolve("marker");
        all.forEach(process -> process.tell("use " + marker + " 800"));
        Object socket = key(path);
        for (int i = 0; i < 3; i++) {
            Files.delete(path);
            Object removed = socket;
            await().until(() -> Files.exists(path) && !Objects.equals(key(path), removed));
            socket = key(path);
        }
        all.forEach(process -> process.hears("used"));
        assertThat(primaries()).hasSize(1);
    }

    private static Object key(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS)
                + " "
                + Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void a_lock_outlives_the_removal_of_the_socket() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).tell("write");

        Files.delete(path);

        all.get(1).hears("became VALID");
        assertThat(all.get(2).says("holds", A_WHILE)).isFalse();
        all.get(1).tell("release");
        assertThat(all.get(1).hears("released")).isEqualTo("true");
        all.get(2).holds();
        awaitOnePrimary();
    }

    @Test
    // H13.
    void what_is_no_socket_is_left_alone() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere"), Path.of("nothing"));
        Path empty = Files.createDirectory(folder.resolve("empty"));
        for (Path odd : List.of(file, link, nowhere, empty)) {
            assertThatThrownBy(() -> SocketLockClient.connect(odd))
                    .isInstanceOf(SocketLockUnavailableException.class)
                    .hasMessageContaining(odd + ": is not a socket");
        }
        assertThat(file).hasContent("precious");
        assertThat(Files.readSymbolicLink(link)).isEqualTo(file);
        assertThat(Files.readSymbolicLink(nowhere)).isEqualTo(Path.of("nothing"));
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactlyInAnyOrder(file, link, nowhere, empty);
        }
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void a_folder_that_cannot_be_written_to_is_an_error() throws IOException {
        Path closed = Files.createDirectory(folder.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeTrue(!Files.isWritable(closed), "root may do anything");
        assertThatThrownBy(() -> SocketLockClient.connect(closed.resolve("s")))
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageContaining("permission denied");
    }

    // ---- in one process

    @Test
    void clients_of_one_process_take_the_place_of_each_other() {
        try (SocketLockClient other = closeAnotherThatServes()) {
            await().until(other::isPrimary);
            assertThat(other.acquireWrite().release()).isTrue();
        }
    }

    private SocketLockClient closeAnotherThatServes() {
        try (SocketLockClient first = SocketLockClient.connect(path)) {
            assertThat(first.isPrimary()).isTrue();
            SocketLockClient other = SocketLockClient.connect(path);
            assertThat(other.isPrimary()).isFalse();
            return other;
        }
    }

    @Test
    void two_copies_of_the_library_in_one_process_know_of_each_other() throws Exception {
        URL classes = SocketLockClient.class.getProtectionDomain().getCodeSource().getLocation();
        try (SocketLockClient here = SocketLockClient.connect(path);
                URLClassLoader loader =
                        new URLClassLoader(
                                new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            assertThat(here.isPrimary()).isTrue();
            Class<?> type = loader.loadClass(SocketLockClient.class.getName());
            assertThat(type).isNotEqualTo(SocketLockClient.class);
            Method isPrimary = type.getMethod("isPrimary");
            Object there = type.getMethod("connect", Path.class).invoke(null, path);
            try {
                assertThat(isPrimary.invoke(there)).isEqualTo(false);
                LockProcess outside = start().connected();
                Files.delete(path); // all look for a new primary, the old one among them
                awaitOneOf(here, outside, () -> (boolean) isPrimary.invoke(there));
                assertThat(outside.holds("write")).isPositive();
            } finally {
                type.getMethod("close").invoke(there);
            }
        }
    }

    private interface Question {
        boolean ask() throws ReflectiveOperationException;
    }

    private void awaitOneOf(SocketLockClient here, LockProcess outside, Question there) {
        await().until(
                        () -> {
                            int count = here.isPrimary() ? 1 : 0;
                            count += outside.serves() ? 1 : 0;
                            count += there.ask() ? 1 : 0;
                            return count == 1 && Files.exists(path);
                        });
    }
}
