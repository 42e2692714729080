package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("A change of the primary")
@Execution(ExecutionMode.CONCURRENT)
class PrimaryChangeIT {
    @TempDir private Path folder;
    private final List<SocketLockClient> clients = new ArrayList<>();

    @AfterEach
    void end() {
        for (int i = clients.size() - 1; i >= 0; i--) {
            clients.get(i).closeNow();
        }
    }

    private Path path() {
        return folder.resolve("s");
    }

    private SocketLockClient client() {
        SocketLockClient client = SocketLockClient.connect(path());
        clients.add(client);
        return client;
    }

    private static List<LockState> changesOf(SocketLock lock) {
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        return changes;
    }

    @Test
    // H10.
    void after_a_change_the_holder_keeps_its_lock_and_the_waiter_continues_to_wait()
            throws Exception {
        SocketLockClient primary = client();
        SocketLockClient holder = client();
        SocketLockClient waiter = client();
        assertThat(primary.isPrimary()).isTrue();
        assertThat(holder.isPrimary()).isFalse();
        SocketLock lock = holder.acquireWrite();
        List<LockState> changes = changesOf(lock);
        Call<SocketLock> waiting = Call.of(waiter::acquireWrite).waiting();
        primary.close();

        await().untilAsserted(
                        () ->
                                assertThat(changes)
                                        .containsExactly(LockState.IN_DOUBT, LockState.VALID));
        await().until(() -> holder.isPrimary() ^ waiter.isPrimary());
        await().during(Duration.ofMillis(300)).until(() -> lock.isValid() && !waiting.isDone());
        assertThat(lock.release()).isTrue();
        SocketLock next = waiting.result();
        assertThat(next.isValid()).isTrue();
        assertThat(next.fence()).isGreaterThan(lock.fence());
    }

    @Test
    void after_a_change_all_readers_keep_their_locks() {
        SocketLockClient primary = client();
        List<SocketLock> locks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            locks.add(client().acquireRead());
        }
        List<List<LockState>> changes = locks.stream().map(PrimaryChangeIT::changesOf).toList();
        primary.closeNow();

        for (List<LockState> each : changes) {
            await().untilAsserted(
                            () ->
                                    assertThat(each)
                                            .containsExactly(LockState.IN_DOUBT, LockState.VALID));
        }
        assertThat(locks).allMatch(SocketLock::release);
    }

    @Test
    void a_request_waits_a_moment_for_a_process_that_can_become_the_primary() throws Exception {
        try (SocketLockServer server = SocketLockServer.start(path(), LockConfig.defaults())) {
            SocketLock held = client().acquireWrite();
            Call<SocketLock> waiting = Call.of(client()::acquireWrite).waiting();
            Files.delete(path());
            Files.writeString(path(), "in the way");
            await().until(() -> held.state() == LockState.IN_DOUBT);
            await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
            Files.delete(path());

            await().until(held::isValid);
            held.release();
            assertThat(waiting.result().isValid()).isTrue();
            assertThat(server).isNotNull();
        }
    }

    @Test
    void a_lock_survives_several_changes_and_fences_only_grow() {
        List<SocketLockClient> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(client());
        }
        SocketLockClient holder = all.get(3);
        long last = 0;
        for (int i = 0; i < 3; i++) {
            SocketLock lock = holder.acquireWrite();
            assertThat(lock.fence()).isGreaterThan(last);
            last = lock.fence();
            await().until(() -> all.stream().anyMatch(SocketLockClient::isPrimary));
            SocketLockClient primary =
                    all.stream().filter(SocketLockClient::isPrimary).findFirst().orElseThrow();
            if (primary.equals(holder)) {
                lock.release();
                continue;
            }
            List<LockState> changes = changesOf(lock);
            all.remove(primary);
            primary.closeNow();
            await().until(() -> changes.contains(LockState.VALID));
            assertThat(lock.release()).isTrue();
        }
        SocketLock lock = holder.acquireWrite();
        assertThat(lock.fence()).isGreaterThan(last);
    }

    @Test
    void the_lock_of_a_primary_that_is_closed_at_once_is_free() {
        SocketLockClient primary = client();
        SocketLockClient other = client();
        SocketLock lock = primary.acquireWrite();
        primary.closeNow();

        SocketLock next = other.acquireWrite();
        assertThat(lock.isValid()).isFalse();
        assertThat(next.fence()).isGreaterThan(lock.fence());
        assertThat(other.isPrimary()).isTrue();
    }

    @Test
    void fences_grow_across_successive_primaries_without_clients() {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            try (SocketLockClient client = SocketLockClient.connect(path());
                    SocketLock lock = client.acquireWrite()) {
                assertThat(lock.fence()).isGreaterThan(last);
                last = lock.fence();
            }
            assertThat(path()).doesNotExist();
        }
        assertThat(folder.resolve("s.lock")).exists();
        assertThat(folder).isDirectoryNotContaining(file -> !file.endsWith("s.lock"));
    }

    @Test
    void a_lock_survives_the_removal_of_the_socket() throws Exception {
        SocketLockClient client = client();
        SocketLockClient other = client();
        SocketLock lock = other.acquireWrite();
        List<LockState> changes = changesOf(lock);
        Files.delete(path());

        await().untilAsserted(
                        () ->
                                assertThat(changes)
                                        .containsExactly(LockState.IN_DOUBT, LockState.VALID));
        assertThat(path()).exists();
        assertThat(client.isPrimary() ^ other.isPrimary()).isTrue();
        assertThat(lock.release()).isTrue();
        assertThat(client.acquireWrite().isValid()).isTrue();
    }

    @Test
    void a_lock_is_lost_without_overlap_when_the_lock_file_is_removed() throws Exception {
        SocketLockClient client = client();
        SocketLockClient other = client();
        SocketLock lock = other.acquireWrite();
        Call<SocketLock> waiting = Call.of(client::acquireWrite).waiting();
        Files.delete(folder.resolve("s.lock"));

        await().until(() -> lock.state() == LockState.LOST);
        // The holds are unknown, so the new primary waits for the full grace period.
        assertThat(waiting.isDone()).isFalse();
        assertThat(waiting.result().isValid()).isTrue();
    }

    @Test
    void a_client_reports_why_it_cannot_connect() throws Exception {
        SocketLockClient client = client();
        Files.delete(path());
        Files.writeString(path(), "mine");

        await().until(() -> !client.isPrimary());
        assertThatThrownBy(client::acquireWrite)
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageContaining("is not a socket");
        assertThat(path()).hasContent("mine");
        Files.delete(path());
        await().until(client::isPrimary);
        assertThat(client.acquireWrite().isValid()).isTrue();
    }

    @Test
    void a_primary_replaces_nothing_but_sockets() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        Path directory = Files.createDirectory(folder.resolve("directory"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path dangling =
                Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nowhere"));
        for (Path each : List.of(file, directory, link, dangling)) {
            Object inode = Files.getAttribute(each, "unix:ino", LinkOption.NOFOLLOW_LINKS);

            assertThatThrownBy(() -> SocketLockClient.connect(each))
                    .isInstanceOf(SocketLockUnavailableException.class)
                    .hasMessageContaining("is not a socket");
            assertThat(Files.getAttribute(each, "unix:ino", LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(inode);
        }
        assertThat(file).hasContent("mine");
        assertThat(Files.readSymbolicLink(dangling)).isEqualTo(folder.resolve("nowhere"));
    }

    @Test
    void a_primary_that_is_slow_to_accept_is_not_replaced() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path()), 1);
            Object inode = Files.getAttribute(path(), "unix:ino");
            List<SocketChannel> callers = fillQueue();

            assertThatThrownBy(
                            () ->
                                    SocketLockClient.connect(
                                            path(), LockConfig.defaults(), Duration.ofMillis(300)))
                    .isInstanceOf(SocketLockUnavailableException.class);
            assertThat(Files.getAttribute(path(), "unix:ino")).isEqualTo(inode);
            for (SocketChannel caller : callers) {
                caller.close();
            }
        }
    }

    private List<SocketChannel> fillQueue() throws IOException {
        List<SocketChannel> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            SocketChannel caller = SocketChannel.open(StandardProtocolFamily.UNIX);
            callers.add(caller);
            caller.configureBlocking(false);
            try {
                caller.connect(UnixDomainSocketAddress.of(path()));
            } catch (IOException e) {
                break; // full
            }
        }
        return callers;
    }
}
