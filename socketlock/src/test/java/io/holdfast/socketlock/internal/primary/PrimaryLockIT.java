package io.holdfast.socketlock.internal.primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

@DisplayName("The primary lock")
class PrimaryLockIT {
    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private Path path() {
        return folder.resolve("s");
    }

    private Path lockFile() {
        return folder.resolve("s.lock");
    }

    /**
     * Tries again while a socket listens: a process that another test starts in the same moment
     * inherits the listener, and closes it a little later.
     */
    private PrimaryLock take() {
        PrimaryLock.Attempt attempt =
                await().until(
                                () -> PrimaryLock.tryTake(path()),
                                PrimaryLock.Attempt.Taken.class::isInstance);
        PrimaryLock primaryLock = ((PrimaryLock.Attempt.Taken) attempt).primaryLock();
        open.add(primaryLock::close);
        return primaryLock;
    }

    /** Listens and publishes the socket. */
    private ServerSocketChannel serve(PrimaryLock primaryLock) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(listener);
        listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()));
        primaryLock.publish();
        return listener;
    }

    private static boolean isOver(PrimaryLock primaryLock) {
        return primaryLock.grace().isOver(System.nanoTime());
    }

    private static @Nullable Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Only while the primary lock is free: closing the file would release the lock of this process.
     */
    private String header() throws IOException {
        return Files.readString(lockFile(), StandardCharsets.ISO_8859_1).lines().toList().get(0);
    }

    // ---- taking the primary lock

    @Test
    void only_one_primary_lock_of_a_path_can_be_taken() throws Exception {
        PrimaryLock primaryLock = take();

        assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Busy.class);
        assertThat(PrimaryLock.tryTake(folder.resolve("../" + folder.getFileName() + "/s")))
                .isInstanceOf(PrimaryLock.Attempt.Busy.class);
        assertThat(primaryLock.isOurs()).isTrue();
        primaryLock.close();
        assertThat(primaryLock.isOurs()).isFalse();
        take();
    }

    @Test
    void only_one_process_can_take_the_primary_lock() throws Exception {
        Process other =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xshare:auto",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                PrimaryLockProcess.class.getName(),
                                path().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            BufferedReader words = other.inputReader(StandardCharsets.US_ASCII);
            assertThat(words.readLine()).isEqualTo("Taken");
            assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Busy.class);
            assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Busy.class);
        } finally {
            other.destroyForcibly().waitFor();
        }
        PrimaryLock primaryLock = take();
        assertThat(isOver(primaryLock)).isTrue(); // nothing was held
    }

    @Test
    void the_epoch_grows_with_each_primary() throws Exception {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            PrimaryLock primaryLock = take();
            assertThat(primaryLock.epoch()).isGreaterThan(last);
            last = primaryLock.epoch();
            primaryLock.close();
        }
    }

    @Test
    void the_primary_lock_cannot_be_taken_while_a_primary_without_a_lock_file_serves()
            throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
            Object before = inode(path());

            assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Served.class);
            assertThat(inode(path())).isEqualTo(before);
        }
        take();
    }

    @Test
    void the_primary_lock_cannot_be_taken_while_the_backlog_of_a_primary_is_full()
            throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()), 1);
            for (int i = 0; i < 8; i++) {
                SocketChannel caller = SocketChannel.open(StandardProtocolFamily.UNIX);
                open.add(caller);
                caller.configureBlocking(false);
                try {
                    caller.connect(UnixDomainSocketAddress.of(path()));
                } catch (IOException e) {
                    // full
                }
            }
            Object before = inode(path());

            assertThat(PrimaryLock.tryTake(path()))
                    .isNotInstanceOf(PrimaryLock.Attempt.Taken.class);
            assertThat(inode(path())).isEqualTo(before);
        }
    }

    @Test
    void a_file_that_is_not_a_socket_is_left_unchanged() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        Path directory = Files.createDirectory(folder.resolve("directory"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("nowhere"));
        for (Path each : List.of(file, directory, link, dangling)) {
            Object before = inode(each);

            assertThatThrownBy(() -> PrimaryLock.tryTake(each))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("is not a socket");
            assertThat(inode(each)).isEqualTo(before);
            assertThat(each.resolveSibling(each.getFileName() + ".lock")).doesNotExist();
        }
        assertThat(file).hasContent("mine");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void a_symbolic_link_to_a_lock_file_is_not_followed() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "mine");
        Files.createSymbolicLink(lockFile(), target);

        assertThatThrownBy(() -> PrimaryLock.tryTake(path())).isInstanceOf(IOException.class);
        assertThat(target).hasContent("mine");
    }

    @Test
    void a_path_where_no_socket_can_be_is_refused() {
        assertThatThrownBy(() -> PrimaryLock.tryTake(folder.resolve("none/s")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no such directory");
        assertThatThrownBy(() -> PrimaryLock.tryTake(folder.resolve("x".repeat(107))))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("too long");
        assertThatThrownBy(() -> PrimaryLock.tryTake(Path.of("/")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("not a file name for a socket");
    }

    @Test
    void a_path_of_the_maximum_length_is_accepted() throws Exception {
        int room = 106 - folder.toRealPath().toString().length() - 1;
        Path longest = folder.resolve("x".repeat(room));
        PrimaryLock.Attempt attempt = PrimaryLock.tryTake(longest);
        assertThat(attempt).isInstanceOf(PrimaryLock.Attempt.Taken.class);
        PrimaryLock primaryLock = ((PrimaryLock.Attempt.Taken) attempt).primaryLock();
        open.add(primaryLock::close);
        serve(primaryLock);

        assertThat(primaryLock.isOurs()).isTrue();
        assertThatThrownBy(() -> PrimaryLock.tryTake(folder.resolve("x".repeat(room + 1))))
                .hasMessageContaining("too long");
    }

    @Test
    void a_folder_without_write_permission_is_refused() throws Exception {
        assumeTrue(!"root".equals(System.getProperty("user.name")), "root may do anything");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThatThrownBy(() -> PrimaryLock.tryTake(path()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot become the primary");
        } finally {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    // ---- holding it

    @Test
    void the_path_leads_to_the_published_socket() throws Exception {
        PrimaryLock primaryLock = take();
        assertThat(path()).doesNotExist();
        serve(primaryLock);

        assertThat(path()).exists();
        assertThat(primaryLock.bindPath()).doesNotExist();
        assertThat(primaryLock.isOurs()).isTrue();
        try (SocketChannel caller =
                SocketChannel.open(UnixDomainSocketAddress.of(path().toRealPath()))) {
            assertThat(caller.isConnected()).isTrue();
        }
    }

    @Test
    void the_primary_lock_is_lost_when_the_socket_is_removed_or_replaced() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        Files.move(path(), folder.resolve("moved"));
        assertThat(primaryLock.isOurs()).isFalse();
        Files.move(folder.resolve("moved"), path());
        assertThat(primaryLock.isOurs()).isTrue();
        Files.delete(path());
        Files.writeString(path(), "mine");

        assertThat(primaryLock.isOurs()).isFalse();
        primaryLock.stopServing();
        primaryLock.close();
        assertThat(path()).hasContent("mine");
    }

    @Test
    void the_primary_lock_is_lost_when_the_lock_file_is_removed() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        Files.move(lockFile(), folder.resolve("moved"));
        assertThat(primaryLock.isOurs()).isFalse();
        Files.createFile(lockFile());
        assertThat(primaryLock.isOurs()).isFalse();

        primaryLock.close();
        assertThat(lockFile()).isEmptyFile();
    }

    @Test
    void an_unpublished_socket_is_removed() throws Exception {
        PrimaryLock primaryLock = take();
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(listener);
        listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()));
        Files.createDirectory(path());
        Files.createFile(
                path().resolve("file")); // a non-empty folder cannot be replaced by a rename

        assertThatThrownBy(primaryLock::publish).isInstanceOf(IOException.class);
        primaryLock.stopServing();
        primaryLock.close();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(path(), lockFile());
        }
    }

    // ---- releasing it

    @Test
    void the_lock_file_is_clean_when_there_are_no_holds() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        HoldRecord hold = record(primaryLock, "l1", ProcessIdentity.own());
        primaryLock.erase(hold);
        primaryLock.stopServing();
        assertThat(path()).doesNotExist();
        primaryLock.close();

        assertThat(header()).contains(" state clean ");
        PrimaryLock next = take();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void the_lock_file_is_not_clean_while_there_is_a_hold() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        record(primaryLock, "l1", ProcessIdentity.own());
        primaryLock.stopServing();
        assertThat(primaryLock.record(true, "c", "l2", ProcessIdentity.own(), 9)).isNull();
        assertThat(path()).doesNotExist();
        assertThat(primaryLock.isOurs()).isFalse();
        primaryLock.close();

        assertThat(header()).contains(" state active ");
        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", primaryLock.epoch())).isNull();
        assertThat(reassert(next, "l1", primaryLock.epoch())).isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void the_socket_of_a_successor_is_not_removed() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        Files.delete(path());
        try (ServerSocketChannel successor =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            successor.bind(UnixDomainSocketAddress.of(path()));
            Object theirs = inode(path());
            primaryLock.stopServing();
            primaryLock.close();

            assertThat(inode(path())).isEqualTo(theirs);
        }
    }

    @Test
    void the_socket_is_not_removed_when_the_lock_file_was_removed() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock).close();
        record(primaryLock, "l1", ProcessIdentity.own());
        Files.delete(lockFile());
        primaryLock.stopServing();
        primaryLock.close();

        assertThat(path()).exists();
        PrimaryLock next = take();
        assertThat(isOver(next)).isFalse();
    }

    @Test
    void a_second_stop_or_close_does_nothing() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock);
        HoldRecord hold = record(primaryLock, "l1", ProcessIdentity.own());
        primaryLock.stopServing();
        primaryLock.stopServing();
        primaryLock.erase(hold);
        primaryLock.close();
        PrimaryLock next = take();
        primaryLock.close();
        primaryLock.stopServing();

        assertThat(next.isOurs()).isTrue();
        assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Busy.class);
        assertThat(isOver(next)).isFalse();
    }

    @Test
    void no_fence_is_assigned_twice_by_primaries_of_a_path() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock).close();
        assertThat(primaryLock.fenceFloor()).isZero();
        Objects.requireNonNull(
                primaryLock.record(true, "c", "l1", ProcessIdentity.own(), 5_000_000));
        Objects.requireNonNull(
                primaryLock.record(true, "c", "l2", ProcessIdentity.own(), 5_500_000));
        primaryLock.close();
        PrimaryLock second = take();

        assertThat(second.fenceFloor()).isGreaterThanOrEqualTo(5_500_000);
        long floor = second.fenceFloor();
        second.close();
        assertThat(take().fenceFloor()).isEqualTo(floor);
    }

    @Test
    void a_hold_that_cannot_be_written_must_not_be_granted() throws Exception {
        PrimaryLock primaryLock = take();
        serve(primaryLock).close();
        Thread.currentThread().interrupt(); // closes the file at the first write
        HoldRecord hold = primaryLock.record(true, "c", "l1", ProcessIdentity.own(), 1);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(hold).isNull();
        assertThat(primaryLock.isOurs()).isFalse();
    }

    private static HoldRecord record(
            PrimaryLock primaryLock, String lockId, ProcessIdentity process) {
        return Objects.requireNonNull(primaryLock.record(true, "c", lockId, process, 1));
    }

    private static @Nullable HoldRecord reassert(
            PrimaryLock primaryLock, String lockId, long epoch) {
        HoldRecord hold =
                primaryLock.grace().reassert(true, "c", lockId, epoch, ProcessIdentity.own(), 2);
        if (hold != null) {
            primaryLock.grace().reassertionHandled();
        }
        return hold;
    }
}
