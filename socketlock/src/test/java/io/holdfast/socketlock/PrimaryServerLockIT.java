package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.socketlock.internal.primary.PrimaryLock;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

@DisplayName("An embedded primary and its primary lock")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class PrimaryServerLockIT {
    private static final Duration A_WHILE = Duration.ofMillis(300);

    @TempDir private Path folder;
    private Path socket;

    @BeforeEach
    void path() {
        socket = folder.resolve("lock.sock");
    }

    @Test
    void a_primary_stops_gracefully_at_once_with_clients_connected() throws Exception { // H11
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "WRITE")) {
            long begun = System.nanoTime();
            primary.stop();
            peer.expectEnd();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LockConfig.GRACE);
            assertThat(socket).doesNotExist();
            await().until(() -> primary.channels() == 0);
            assertThat(primary.lost()).isZero();
        }
    }

    @Test
    void a_hold_is_listed_from_the_offer_or_the_confirmation_depending_on_the_client()
            throws Exception {
        try (var primary = new RunningPrimary(socket);
                var other = ScriptedLineClient.named(primary.path(), "other");
                var own = ScriptedLineClient.named(primary.path(), "own")) {
            other.send("other REQREAD o");
            assertThat(other.line()).isEqualTo("other READLOCK o");
            assertThat(holds()).contains("hold read ").contains(" other o ");
            other.send("other REJECT o");
            assertThat(other.line()).isEqualTo("other REQFAIL offer rejected");
            assertThat(holds()).doesNotContain("hold ");

            own.send("own PROCESS " + ProcessIdentity.own(), "own REQWRITE w");
            assertThat(own.line()).isEqualTo("own WRITELOCK w");
            assertThat(holds()).doesNotContain("hold ");
            own.send("own CONFIRM w");
            own.expectNothing("own");
            assertThat(holds()).contains("hold write ").contains(" own w " + ProcessIdentity.own());
            own.send("own RELEASE w");
            own.expectNothing("own");
            assertThat(holds()).doesNotContain("hold ");
        }
    }

    @Test
    void a_holder_gets_its_lock_back_before_any_offer() throws Exception {
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "WRITE")) {
            primary.stop();
            peer.expectEnd();
        }
        try (var primary = new RunningPrimary(socket);
                var waiter = ScriptedLineClient.named(primary.path(), "waiter");
                var back = ScriptedLineClient.named(primary.path(), "me")) {
            waiter.send("waiter REQWRITE w");
            waiter.expectSilence(A_WHILE);
            assertThat(primary.isSuspended()).isTrue();
            back.send("me PROCESS " + ProcessIdentity.own(), "me EPOCH");
            long epoch = Long.parseLong(back.line().substring("me EPOCH ".length())) - 1;
            back.send("me REASSERT l READ " + epoch, "me STATUS l");
            assertThat(back.line()).isEqualTo("me LOCKTIMEOUT l");
            back.send("me REASSERT l WRITE " + epoch, "me STATUS l");
            assertThat(back.line()).isEqualTo("me LOCKOK l");
            assertThat(primary.isSuspended()).isFalse();
            waiter.expectNothing("waiter");
            back.send("me RELEASE l");
            assertThat(waiter.line()).isEqualTo("waiter WRITELOCK w");
        }
    }

    @Test
    void the_rest_of_a_time_to_live_starts_at_the_reassertion() throws Exception {
        long epoch;
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "WRITE")) {
            peer.send("me EPOCH");
            epoch = Long.parseLong(peer.line().substring("me EPOCH ".length()));
            primary.stop();
            peer.expectEnd();
        }
        try (var primary = new RunningPrimary(socket);
                var waiter = ScriptedLineClient.named(primary.path(), "waiter");
                var back = ScriptedLineClient.named(primary.path(), "me")) {
            back.send("me PROCESS " + ProcessIdentity.own());
            back.send("me REASSERT l WRITE " + epoch + " 1", "me STATUS l");
            assertThat(back.line()).isEqualTo("me LOCKOK l");
            waiter.send("waiter REQWRITE w");
            waiter.expectNothing("waiter");
            assertThat(waiter.line()).isEqualTo("waiter WRITELOCK w");
            back.send("me STATUS l");
            assertThat(back.line()).isEqualTo("me LOCKTIMEOUT l");
        }
    }

    @Test
    void the_grace_period_ends_for_a_client_that_is_back_without_its_lock() throws Exception {
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "READ")) {
            primary.stop();
            peer.expectEnd();
        }
        long begun = System.nanoTime();
        try (var primary = new RunningPrimary(socket);
                var back = ScriptedLineClient.named(primary.path(), "me")) {
            back.send("me PROCESS " + ProcessIdentity.own(), "me SETTLED", "me REQWRITE w");
            assertThat(back.line()).isEqualTo("me WRITELOCK w");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LockConfig.GRACE);
    }

    @Test
    void waiters_are_offered_the_lock_after_the_grace_period() throws Exception {
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "WRITE")) {
            primary.stop();
            peer.expectEnd();
        }
        try (var primary = new RunningPrimary(socket);
                var waiter = ScriptedLineClient.named(primary.path(), "waiter")) {
            waiter.send("waiter REQWRITE w");
            waiter.expectSilence(LockConfig.GRACE.minusMillis(1500));
            assertThat(waiter.line()).isEqualTo("waiter WRITELOCK w");
        }
    }

    @Test
    void a_primary_stops_when_the_socket_is_removed_or_replaced() throws Exception { // H13, H14
        try (var primary = new RunningPrimary(socket);
                var peer = holder(primary.path(), "WRITE")) {
            Files.delete(socket);
            Files.writeString(socket, "somebody else's");
            peer.expectEnd();
            await().until(() -> primary.lost() == 1);
            await().until(() -> primary.channels() == 0);
            assertThat(socket).hasContent("somebody else's");
        }
    }

    @Test
    void the_primary_lock_is_checked_before_the_first_offer_after_an_idle_second()
            throws Exception {
        long milli = Duration.ofMillis(1).toNanos();
        if (!(PrimaryLock.tryTake(socket) instanceof PrimaryLock.Attempt.Taken taken)) {
            throw new IOException("no primary lock");
        }
        PrimaryLock primaryLock = taken.primaryLock();
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()));
            primaryLock.publish();
            var config = LockConfig.defaults();
            var context =
                    new PrimaryContext(
                            config, primaryLock, new LockEventDispatcher(config.listener()), 0);
            assertThat(context.mayOffer(1000 * milli)).isTrue();
            Files.delete(socket);
            assertThat(context.mayOffer(1999 * milli)).isTrue();
            assertThat(context.mayOffer(2000 * milli)).isFalse();
            assertThat(context.isLost()).isTrue();
            assertThat(context.table().isSuspended()).isTrue();
        } finally {
            primaryLock.close();
        }
    }

    @Test
    void a_primary_can_be_started_without_a_client() throws Exception {
        var server = SocketLockServer.start(socket, LockConfig.defaults());
        try (server;
                var peer = holder(socket, "WRITE")) {
            assertThatThrownBy(() -> SocketLockServer.start(socket, LockConfig.defaults()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("socketlock: server already running");
            Thread.currentThread().interrupt();
            server.close();
            assertThat(Thread.interrupted()).isTrue();
            peer.expectEnd();
        }
        assertThat(socket).doesNotExist();
        SocketLockServer.start(socket, LockConfig.defaults()).close();
        assertThatThrownBy(() -> SocketLockServer.start(Path.of(""), LockConfig.defaults()))
                .hasMessage("socketlock: path is required");
    }

    @Test
    void a_server_serves_the_path_again_when_it_becomes_available() throws Exception {
        try (var server = SocketLockServer.start(socket, LockConfig.defaults());
                var peer = ScriptedLineClient.named(socket, "me")) {
            assertThat(server).hasToString("SocketLockServer[" + socket + "]");
            Files.delete(socket);
            peer.expectEnd();
            await().until(() -> Files.exists(socket));
            ScriptedLineClient.named(socket, "me").close();
        }
    }

    /** A client of Holdfast's kind that holds lock "l" in this mode. */
    private static ScriptedLineClient holder(Path path, String mode) throws IOException {
        var peer = ScriptedLineClient.named(path, "me");
        peer.send("me PROCESS " + ProcessIdentity.own(), "me REQ" + mode + " l");
        assertThat(peer.line()).isEqualTo("me " + mode + "LOCK l");
        peer.send("me CONFIRM l", "me STATUS l");
        assertThat(peer.line()).isEqualTo("me LOCKOK l");
        return peer;
    }

    /**
     * Reads a copy made by another process: opening and closing the file here would release the
     * lock.
     */
    private String holds() throws Exception {
        Path copy = Files.createTempFile(folder, "copy", ".txt");
        Process cp =
                new ProcessBuilder("cp", socket + ".lock", copy.toString()).inheritIO().start();
        assertThat(cp.waitFor()).isZero();
        return Files.readString(copy, StandardCharsets.ISO_8859_1);
    }
}
