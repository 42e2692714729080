package io.holdfast.socketlock.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.SocketLock;
import io.holdfast.socketlock.SocketLockClient;
import io.holdfast.socketlock.SocketLockUnavailableException;

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

@DisplayName("The election of a primary when processes start, are suspended and die")
@Timeout(120)
class ElectionIT {
    private static final Duration GRACE = LockConfig.GRACE;

    /**
     * Long enough for everything that does not wait for the end of the grace period, and shorter
     * than that.
     */
    private static final Duration SOON = GRACE.minusSeconds(1);

    private static final Duration LONG = Duration.ofMinutes(1);

    /** How long to observe that something does not happen. */
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
        all.get(0).expect("serves");
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
    void a_lock_survives_the_primary_and_is_not_granted_to_others_before_its_release()
            throws IOException {
        List<LockProcess> all = started(7);
        LockProcess holder = all.get(1);
        long fence = holder.holds("write");
        List<LockProcess> waiting = all.subList(2, 7);
        waiting.forEach(process -> process.send("write"));

        all.get(0).kill();

        holder.expect("became IN_DOUBT");
        holder.expect("became VALID");
        awaitOnePrimary();
        assertThat(waiting).noneMatch(process -> process.prints("holds", Duration.ofMillis(100)));
        holder.send("look");
        assertThat(holder.expect("looks")).isEqualTo("true VALID");
        holder.send("release");
        assertThat(holder.expect("released")).isEqualTo("true");
        List<Long> fences = new ArrayList<>();
        List<LockProcess> left = new ArrayList<>(waiting);
        while (!left.isEmpty()) {
            LockProcess next = oneThatHolds(left, LONG);
            fences.add(next.holds());
            assertThat(left).noneMatch(process -> process != next && holdsNow(process));
            next.send("release");
            next.expect("released");
            left.remove(next);
        }
        assertThat(fences).isSorted().doesNotHaveDuplicates().allMatch(next -> next > fence);
    }

    private static boolean holdsNow(LockProcess process) {
        return process.output().stream().anyMatch(line -> line.startsWith("holds"));
    }

    private static LockProcess oneThatHolds(List<LockProcess> among, Duration within) {
        await().atMost(within).until(() -> among.stream().anyMatch(ElectionIT::holdsNow));
        return among.stream().filter(ElectionIT::holdsNow).findFirst().orElseThrow();
    }

    @Test
    void all_read_locks_survive_the_primary() throws IOException {
        List<LockProcess> all = started(4);
        all.get(1).holds("read");
        all.get(2).holds("read");
        all.get(3).send("write");

        all.get(0).kill();

        for (LockProcess reader : all.subList(1, 3)) {
            reader.expect("became VALID");
        }
        all.get(1).send("release");
        assertThat(all.get(1).expect("released")).isEqualTo("true");
        assertThat(all.get(3).prints("holds", A_WHILE)).isFalse();
        all.get(2).send("release");
        all.get(3).holds();
    }

    @Test
    void a_holder_that_is_killed_with_the_primary_is_not_waited_for() throws IOException {
        List<LockProcess> all = started(4);
        long fence = all.get(1).holds("write");
        all.subList(2, 4).forEach(process -> process.send("write"));

        all.get(0).kill();
        all.get(1).kill();

        LockProcess next =
                oneThatHolds(all.subList(2, 4), SOON); // before the end of the grace period
        assertThat(next.holds()).isGreaterThan(fence);
    }

    @Test
    void the_lock_of_a_killed_primary_is_free() throws IOException {
        List<LockProcess> all = started(2);
        long fence = all.get(0).holds("write");
        all.get(1).send("write");
        assertThat(all.get(1).prints("holds", A_WHILE)).isFalse();

        all.get(0).kill();

        assertThat(oneThatHolds(all.subList(1, 2), SOON).holds()).isGreaterThan(fence);
        awaitOnePrimary();
    }

    @Test
    void the_lock_of_a_killed_client_is_free_at_once() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).send("read");

        all.get(1).kill();

        assertThat(all.get(2).prints("holds", SOON)).isTrue();
        assertThat(all.get(0).serves()).isTrue();
    }

    @Test
    void a_lock_survives_several_primaries() throws IOException {
        List<LockProcess> all = started(5);
        LockProcess holder = all.get(1);
        holder.holds("write");
        all.get(4).send("write");
        for (int i = 0; i < 3; i++) {
            awaitOnePrimary();
            LockProcess primary = primaries().get(0);
            if (primary == holder || primary == all.get(4)) {
                break; // it may be any of them
            }
            primary.kill();
            holder.expect("became VALID");
        }
        assertThat(all.get(4).prints("holds", A_WHILE)).isFalse();
        holder.send("release");
        assertThat(holder.expect("released")).isEqualTo("true");
        all.get(4).holds();
    }

    @Test
    void clients_of_one_process_with_the_same_id_keep_their_locks() throws IOException {
        LockConfig config = LockConfig.builder().clientId("same").build();
        for (int round = 0; round < 4; round++) { // either may be the first to reconnect
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

    // ---- suspended processes

    @Test
    // H10.
    void a_holder_suspended_for_longer_than_the_grace_period_loses_its_lock()
            throws IOException, InterruptedException {
        List<LockProcess> all = started(3);
        LockProcess holder = all.get(1);
        long fence = holder.holds("write");
        holder.send("guard");
        holder.expect("guards");
        all.get(2).send("write");

        holder.stop();
        all.get(0).kill();

        long began = System.nanoTime();
        assertThat(all.get(2).holds()).isGreaterThan(fence);
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(GRACE.minusMillis(500), GRACE.plusSeconds(30));
        holder.goOn();
        assertThat(holder.expect("woke")).isEqualTo("false");
        holder.expect("became LOST");
        holder.send("look");
        assertThat(holder.expect("looks")).isEqualTo("false LOST");
        holder.send("release");
        assertThat(holder.expect("released")).isEqualTo("false");
        assertThat(holder.output()).doesNotContain("error valid again");
        all.get(2).send("look");
        assertThat(all.get(2).expect("looks")).isEqualTo("true VALID");
    }

    @Test
    void a_primary_that_is_suspended_and_resumed_stays_the_only_one()
            throws IOException, InterruptedException {
        List<LockProcess> all = started(4);
        all.get(1).holds("write");
        all.get(2).send("write");

        all.get(0).stop();

        LockProcess late = start();
        assertThat(late.prints("connected", Duration.ofSeconds(1))).isFalse();
        all.get(1).send("look");
        assertThat(all.get(1).expect("looks")).isEqualTo("true VALID");
        all.get(1).send("release");
        assertThat(all.get(2).prints("holds", A_WHILE)).isFalse();
        all.get(0).goOn();
        all.get(2).holds();
        late.connected();
        assertThat(primaries()).containsExactly(all.get(0));
        assertThat(all.get(2).output()).noneMatch(line -> line.startsWith("became"));
    }

    @Test
    // H13.
    void a_full_backlog_does_not_cause_an_election() throws IOException, InterruptedException {
        List<LockProcess> all = started(2);
        all.get(1).holds("write");
        all.get(0).stop();
        List<SocketChannel> queue = new ArrayList<>();
        try {
            fillQueue(queue);
            LockProcess late = start();
            assertThat(late.prints("serves", Duration.ofSeconds(1))).isFalse();
            assertThat(late.output()).isEmpty();
            all.get(0).goOn();
            late.connected();
            assertThat(primaries()).containsExactly(all.get(0));
        } finally {
            for (SocketChannel channel : queue) {
                channel.close();
            }
        }
        all.get(1).send("look");
        assertThat(all.get(1).expect("looks")).isEqualTo("true VALID");
    }

    /** Connects until the backlog is full. */
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

    // ---- a graceful end

    @Test
    // H11.
    void a_primary_closes_at_once_and_the_lock_of_another_client_stays() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).send("read");

        all.get(0).send("close");

        assertThat(Long.parseLong(all.get(0).expect("closed"))).isLessThan(GRACE.toMillis());
        all.get(1).expect("became VALID");
        assertThat(all.get(2).prints("holds", A_WHILE)).isFalse();
        all.get(1).send("release");
        assertThat(all.get(1).expect("released")).isEqualTo("true");
        all.get(2).holds();
        awaitOnePrimary();
    }

    @Test
    void a_primary_that_closes_with_a_lock_of_its_own_leaves_it_free() throws IOException {
        List<LockProcess> all = started(2);
        all.get(0).holds("write");
        all.get(1).send("write");

        all.get(0).send("leave");

        assertThat(Long.parseLong(all.get(0).expect("left"))).isLessThan(GRACE.toMillis());
        all.get(0).expect("became LOST");
        assertThat(all.get(1).prints("holds", SOON)).isTrue();
        assertThat(all.get(0).isAlive()).isTrue();
    }

    // ---- starting together

    @Test
    // H12, H15.
    void of_processes_started_together_one_becomes_the_primary() throws IOException {
        for (int round = 0; round < 4; round++) {
            // First without a socket, then over the socket of a killed primary.
            List<LockProcess> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(start());
            }
            all.forEach(LockProcess::connected);
            awaitOnePrimary();
            all.forEach(process -> process.send("read"));
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
    void one_of_eight_processes_becomes_the_primary_over_a_stale_socket() throws IOException {
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
            all.forEach(process -> process.send("meet " + stale));
            assertThat(all.stream().map(process -> process.expect("met")).filter("true"::equals))
                    .as("round %d", round)
                    .hasSize(1);
        }
    }

    // ---- files changed by others

    @Test
    void the_service_continues_when_the_socket_is_removed() throws IOException {
        List<LockProcess> all = started(4);
        Path marker = folder.resolve("marker");
        all.forEach(process -> process.send("use " + marker + " 800"));
        Object socket = key(path);
        for (int i = 0; i < 3; i++) {
            Files.delete(path);
            Object removed = socket;
            await().until(() -> Files.exists(path) && !Objects.equals(key(path), removed));
            socket = key(path);
        }
        all.forEach(process -> process.expect("used"));
        assertThat(primaries()).hasSize(1);
    }

    private static Object key(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS)
                + " "
                + Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void a_lock_survives_the_removal_of_the_socket() throws IOException {
        List<LockProcess> all = started(3);
        all.get(1).holds("write");
        all.get(2).send("write");

        Files.delete(path);

        all.get(1).expect("became VALID");
        assertThat(all.get(2).prints("holds", A_WHILE)).isFalse();
        all.get(1).send("release");
        assertThat(all.get(1).expect("released")).isEqualTo("true");
        all.get(2).holds();
        awaitOnePrimary();
    }

    @Test
    // H13.
    void a_file_that_is_no_socket_is_left_unchanged() throws IOException {
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
    void clients_of_one_process_succeed_each_other_as_primary() {
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
    void two_copies_of_the_library_in_one_process_respect_each_others_locks() throws Exception {
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
                Files.delete(path); // all elect a new primary, including the old one
                awaitOneOf(here, outside, () -> (boolean) isPrimary.invoke(there));
                assertThat(outside.holds("write")).isPositive();
            } finally {
                type.getMethod("close").invoke(there);
            }
        }
    }

    private interface PrimaryCheck {
        boolean isPrimary() throws ReflectiveOperationException;
    }

    private void awaitOneOf(SocketLockClient here, LockProcess outside, PrimaryCheck there) {
        await().until(
                        () -> {
                            int count = here.isPrimary() ? 1 : 0;
                            count += outside.serves() ? 1 : 0;
                            count += there.isPrimary() ? 1 : 0;
                            return count == 1 && Files.exists(path);
                        });
    }
}
