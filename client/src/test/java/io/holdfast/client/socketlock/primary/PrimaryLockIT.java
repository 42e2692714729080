package io.holdfast.client.socketlock.primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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

@DisplayName("The seat of the primary")
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

    private PrimaryLock take() throws IOException {
        PrimaryLock.Attempt attempt = PrimaryLock.tryTake(path());
        assertThat(attempt).isInstanceOf(PrimaryLock.Attempt.Taken.class);
        PrimaryLock primaryLock = ((PrimaryLock.Attempt.Taken) attempt).primaryLock();
        open.add(primaryLock::close);
        return primaryLock;
    }

    /** Listens, and gives the socket its name. */
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

    /** Only while nobody has the seat: closing the file ends the lock that this process has. */
    private String header() throws IOException {
        return Files.readString(lockFile(), StandardCharsets.ISO_8859_1).lines().toList().get(0);
    }

    // ---- taking it

    @Test
    void is_for_one_only() throws Exception {
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
    void is_for_one_process_only() throws Exception {
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
    void has_a_higher_number_each_time() throws Exception {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            PrimaryLock primaryLock = take();
            assertThat(primaryLock.epoch()).isGreaterThan(last);
            last = primaryLock.epoch();
            primaryLock.close();
        }
    }

    @Test
    void is_not_to_be_had_while_somebody_without_a_lock_file_serves() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
            Object before = inode(path());

            assertThat(PrimaryLock.tryTake(path())).isInstanceOf(PrimaryLock.Attempt.Served.class);
            assertThat(inode(path())).isEqualTo(before);
        }
        take();
    }

    @Test
    void is_not_to_be_had_while_somebody_has_no_time_to_accept() throws Exception {
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
    void touches_nothing_that_is_not_a_socket() throws Exception {
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
    void follows_no_link_to_a_lock_file() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "mine");
        Files.createSymbolicLink(lockFile(), target);

        assertThatThrownBy(() -> PrimaryLock.tryTake(path())).isInstanceOf(IOException.class);
        assertThat(target).hasContent("mine");
    }

    @Test
    void cannot_be_where_no_socket_can_be() {
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
    void is_to_be_had_at_the_longest_path_that_there_is() throws Exception {
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
    void cannot_be_in_a_folder_that_is_not_ours_to_write() throws Exception {
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

    // ---- having it

    @Test
    void leads_to_the_socket_that_was_published() throws Exception {
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
    void is_lost_with_the_path() throws Exception {
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
    void is_lost_with_the_lock_file() throws Exception {
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
    void leaves_no_socket_behind_that_never_got_its_name() throws Exception {
        PrimaryLock primaryLock = take();
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(listener);
        listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()));
        Files.createDirectory(path());
        Files.createFile(path().resolve("file")); // nothing can be renamed over this

        assertThatThrownBy(primaryLock::publish).isInstanceOf(IOException.class);
        primaryLock.stopServing();
        primaryLock.close();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(path(), lockFile());
        }
    }

    // ---- leaving it

    @Test
    void is_clean_when_nothing_is_held() throws Exception {
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
    void is_not_clean_while_something_is_held() throws Exception {
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
    void removes_no_path_of_a_successor() throws Exception {
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
    void leaves_the_path_when_nobody_would_find_the_list_of_holds() throws Exception {
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
    void a_second_leave_or_close_does_nothing() throws Exception {
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
    void gives_no_fence_out_twice() throws Exception {
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
    void lets_nobody_be_told_of_a_hold_that_cannot_be_written() throws Exception {
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
            primaryLock.grace().booked();
        }
        return hold;
    }
}
