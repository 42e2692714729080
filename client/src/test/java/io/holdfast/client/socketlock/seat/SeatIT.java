package io.holdfast.client.socketlock.seat;

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
class SeatIT {
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

    private Seat take() throws IOException {
        Seat.Attempt attempt = Seat.tryTake(path());
        assertThat(attempt).isInstanceOf(Seat.Attempt.Taken.class);
        Seat seat = ((Seat.Attempt.Taken) attempt).seat();
        open.add(seat::close);
        return seat;
    }

    /** Listens, and gives the socket its name. */
    private ServerSocketChannel serve(Seat seat) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(listener);
        listener.bind(UnixDomainSocketAddress.of(seat.bindPath()));
        seat.publish();
        return listener;
    }

    private static boolean isOver(Seat seat) {
        return seat.grace().isOver(System.nanoTime());
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
        Seat seat = take();

        assertThat(Seat.tryTake(path())).isInstanceOf(Seat.Attempt.Busy.class);
        assertThat(Seat.tryTake(folder.resolve("../" + folder.getFileName() + "/s")))
                .isInstanceOf(Seat.Attempt.Busy.class);
        assertThat(seat.isOurs()).isTrue();
        seat.close();
        assertThat(seat.isOurs()).isFalse();
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
                                SeatTaker.class.getName(),
                                path().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            BufferedReader words = other.inputReader(StandardCharsets.US_ASCII);
            assertThat(words.readLine()).isEqualTo("Taken");
            assertThat(Seat.tryTake(path())).isInstanceOf(Seat.Attempt.Busy.class);
            assertThat(Seat.tryTake(path())).isInstanceOf(Seat.Attempt.Busy.class);
        } finally {
            other.destroyForcibly().waitFor();
        }
        Seat seat = take();
        assertThat(isOver(seat)).isTrue(); // nothing was held
    }

    @Test
    void has_a_higher_number_each_time() throws Exception {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            Seat seat = take();
            assertThat(seat.epoch()).isGreaterThan(last);
            last = seat.epoch();
            seat.close();
        }
    }

    @Test
    void is_not_to_be_had_while_somebody_without_a_lock_file_serves() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()));
            Object before = inode(path());

            assertThat(Seat.tryTake(path())).isInstanceOf(Seat.Attempt.Served.class);
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

            assertThat(Seat.tryTake(path())).isNotInstanceOf(Seat.Attempt.Taken.class);
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

            assertThatThrownBy(() -> Seat.tryTake(each))
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

        assertThatThrownBy(() -> Seat.tryTake(path())).isInstanceOf(IOException.class);
        assertThat(target).hasContent("mine");
    }

    @Test
    void cannot_be_where_no_socket_can_be() {
        assertThatThrownBy(() -> Seat.tryTake(folder.resolve("none/s")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no such directory");
        assertThatThrownBy(() -> Seat.tryTake(folder.resolve("x".repeat(107))))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("too long");
        assertThatThrownBy(() -> Seat.tryTake(Path.of("/")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("no name for a socket");
    }

    @Test
    void is_to_be_had_at_the_longest_path_that_there_is() throws Exception {
        int room = 106 - folder.toRealPath().toString().length() - 1;
        Path longest = folder.resolve("x".repeat(room));
        Seat.Attempt attempt = Seat.tryTake(longest);
        assertThat(attempt).isInstanceOf(Seat.Attempt.Taken.class);
        Seat seat = ((Seat.Attempt.Taken) attempt).seat();
        open.add(seat::close);
        serve(seat);

        assertThat(seat.isOurs()).isTrue();
        assertThatThrownBy(() -> Seat.tryTake(folder.resolve("x".repeat(room + 1))))
                .hasMessageContaining("too long");
    }

    @Test
    void cannot_be_in_a_folder_that_is_not_ours_to_write() throws Exception {
        assumeTrue(!"root".equals(System.getProperty("user.name")), "root may do anything");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThatThrownBy(() -> Seat.tryTake(path()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot become the primary");
        } finally {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    // ---- having it

    @Test
    void leads_to_the_socket_that_was_published() throws Exception {
        Seat seat = take();
        assertThat(path()).doesNotExist();
        serve(seat);

        assertThat(path()).exists();
        assertThat(seat.bindPath()).doesNotExist();
        assertThat(seat.isOurs()).isTrue();
        try (SocketChannel caller =
                SocketChannel.open(UnixDomainSocketAddress.of(path().toRealPath()))) {
            assertThat(caller.isConnected()).isTrue();
        }
    }

    @Test
    void is_lost_with_the_path() throws Exception {
        Seat seat = take();
        serve(seat);
        Files.move(path(), folder.resolve("moved"));
        assertThat(seat.isOurs()).isFalse();
        Files.move(folder.resolve("moved"), path());
        assertThat(seat.isOurs()).isTrue();
        Files.delete(path());
        Files.writeString(path(), "mine");

        assertThat(seat.isOurs()).isFalse();
        seat.leave();
        seat.close();
        assertThat(path()).hasContent("mine");
    }

    @Test
    void is_lost_with_the_lock_file() throws Exception {
        Seat seat = take();
        serve(seat);
        Files.move(lockFile(), folder.resolve("moved"));
        assertThat(seat.isOurs()).isFalse();
        Files.createFile(lockFile());
        assertThat(seat.isOurs()).isFalse();

        seat.close();
        assertThat(lockFile()).isEmptyFile();
    }

    @Test
    void leaves_no_socket_behind_that_never_got_its_name() throws Exception {
        Seat seat = take();
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(listener);
        listener.bind(UnixDomainSocketAddress.of(seat.bindPath()));
        Files.createDirectory(path());
        Files.createFile(path().resolve("file")); // nothing can be renamed over this

        assertThatThrownBy(seat::publish).isInstanceOf(IOException.class);
        seat.leave();
        seat.close();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(path(), lockFile());
        }
    }

    // ---- leaving it

    @Test
    void is_clean_when_nothing_is_held() throws Exception {
        Seat seat = take();
        serve(seat);
        HoldRecord hold = record(seat, "l1", ProcessName.own());
        seat.erase(hold);
        seat.leave();
        assertThat(path()).doesNotExist();
        seat.close();

        assertThat(header()).contains(" state clean ");
        Seat next = take();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void is_not_clean_while_something_is_held() throws Exception {
        Seat seat = take();
        serve(seat);
        record(seat, "l1", ProcessName.own());
        seat.leave();
        assertThat(seat.record(true, "c", "l2", ProcessName.own(), 9)).isNull();
        assertThat(path()).doesNotExist();
        assertThat(seat.isOurs()).isFalse();
        seat.close();

        assertThat(header()).contains(" state active ");
        Seat next = take();
        assertThat(isOver(next)).isFalse();
        assertThat(reassert(next, "l2", seat.epoch())).isNull();
        assertThat(reassert(next, "l1", seat.epoch())).isNotNull();
        assertThat(isOver(next)).isTrue();
    }

    @Test
    void removes_no_path_of_a_successor() throws Exception {
        Seat seat = take();
        serve(seat);
        Files.delete(path());
        try (ServerSocketChannel successor =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            successor.bind(UnixDomainSocketAddress.of(path()));
            Object theirs = inode(path());
            seat.leave();
            seat.close();

            assertThat(inode(path())).isEqualTo(theirs);
        }
    }

    @Test
    void leaves_the_path_when_nobody_would_find_the_list_of_holds() throws Exception {
        Seat seat = take();
        serve(seat).close();
        record(seat, "l1", ProcessName.own());
        Files.delete(lockFile());
        seat.leave();
        seat.close();

        assertThat(path()).exists();
        Seat next = take();
        assertThat(isOver(next)).isFalse();
    }

    @Test
    void a_second_leave_or_close_does_nothing() throws Exception {
        Seat seat = take();
        serve(seat);
        HoldRecord hold = record(seat, "l1", ProcessName.own());
        seat.leave();
        seat.leave();
        seat.erase(hold);
        seat.close();
        Seat next = take();
        seat.close();
        seat.leave();

        assertThat(next.isOurs()).isTrue();
        assertThat(Seat.tryTake(path())).isInstanceOf(Seat.Attempt.Busy.class);
        assertThat(isOver(next)).isFalse();
    }

    @Test
    void gives_no_fence_out_twice() throws Exception {
        Seat seat = take();
        serve(seat).close();
        assertThat(seat.fenceFloor()).isZero();
        Objects.requireNonNull(seat.record(true, "c", "l1", ProcessName.own(), 5_000_000));
        Objects.requireNonNull(seat.record(true, "c", "l2", ProcessName.own(), 5_500_000));
        seat.close();
        Seat second = take();

        assertThat(second.fenceFloor()).isGreaterThanOrEqualTo(5_500_000);
        long floor = second.fenceFloor();
        second.close();
        assertThat(take().fenceFloor()).isEqualTo(floor);
    }

    @Test
    void lets_nobody_be_told_of_a_hold_that_cannot_be_written() throws Exception {
        Seat seat = take();
        serve(seat).close();
        Thread.currentThread().interrupt(); // closes the file at the first write
        HoldRecord hold = seat.record(true, "c", "l1", ProcessName.own(), 1);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(hold).isNull();
        assertThat(seat.isOurs()).isFalse();
    }

    private static HoldRecord record(Seat seat, String lockId, ProcessName process) {
        return Objects.requireNonNull(seat.record(true, "c", lockId, process, 1));
    }

    private static @Nullable HoldRecord reassert(Seat seat, String lockId, long epoch) {
        HoldRecord hold = seat.grace().reassert(true, "c", lockId, epoch, ProcessName.own(), 2);
        if (hold != null) {
            seat.grace().booked();
        }
        return hold;
    }
}
