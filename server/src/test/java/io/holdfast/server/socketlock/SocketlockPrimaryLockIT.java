package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("A socketlock listener")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SocketlockPrimaryLockIT {
    private static final Duration GRACE = Duration.ofSeconds(5);

    @TempDir private Path directory;
    private Path path;
    private SocketlockTestServer server;

    @BeforeEach
    void start() {
        path = directory.resolve("s");
        server = restart();
    }

    private SocketlockTestServer restart() {
        return SocketlockTestServer.start(path, QueuePolicy.FIFO);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static void assertRefused(Path where, String reason) {
        ListenEndpoint listenEndpoint = SocketlockTestServer.endpoint(where, QueuePolicy.FIFO);
        assertThatThrownBy(
                        () ->
                                HoldfastServer.start(
                                        new TestConfig().listeners(listenEndpoint).build()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(reason);
    }

    /** Declares the process of a client, as Holdfast clients do. */
    private static SocketlockTestClient declareProcess(SocketlockTestClient client) {
        return client.sendLine("PROCESS " + ProcessIdentity.own());
    }

    private static long epoch(SocketlockTestClient client) {
        String response = client.sendLine("EPOCH").line();
        return Long.parseLong(response.substring(response.lastIndexOf(' ') + 1));
    }

    private static long fence(SocketlockTestClient client, String lock) {
        String response = client.sendLine("TOKEN " + lock).line();
        return Long.parseLong(response.substring(response.lastIndexOf(' ') + 1));
    }

    // ---- start

    @Test
    @DisplayName("H13: a listener does not take over the path of a live server")
    void a_socketlock_listener_does_not_take_over_the_path_of_a_live_server() {
        assertRefused(path, "cannot listen on " + path + ": socketlock: server already running");
        server.connect().holds("WRITE", "l");
    }

    @Test
    void a_socketlock_listener_does_not_take_over_the_path_of_a_server_without_lock_file()
            throws IOException {
        Path other = directory.resolve("other");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(other));
            assertRefused(other, "socketlock: server already running");
            assertThat(other).exists();
        }
    }

    @Test
    @DisplayName("H13: a listener touches no file that is not a socket")
    void a_socketlock_listener_touches_no_file_that_is_not_a_socket() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "mine");
        assertRefused(file, "cannot listen on " + file + ": is not a socket");
        assertThat(file).hasContent("mine");
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertRefused(empty, "is not a socket");
        assertThat(empty).isDirectory();
        assertRefused(directory.resolve("nowhere/s"), "no such directory");
    }

    @Test
    void a_path_is_usable_by_others_when_another_listener_fails_to_start() throws Exception {
        Path fresh = directory.resolve("fresh");
        assertThatThrownBy(
                        () ->
                                HoldfastServer.start(
                                        new TestConfig()
                                                .listeners(
                                                        SocketlockTestServer.endpoint(
                                                                fresh, QueuePolicy.FIFO),
                                                        SocketlockTestServer.endpoint(
                                                                path, QueuePolicy.FIFO))
                                                .build()))
                .isInstanceOf(StartException.class);
        assertThat(fresh).doesNotExist();
        try (SocketlockTestServer second = SocketlockTestServer.start(fresh, QueuePolicy.FIFO)) {
            second.connect().holds("WRITE", "l");
        }
    }

    // ---- end

    @Test
    @DisplayName("H11: a listener and its connections end within a second")
    void a_socketlock_listener_ends_within_a_second_with_open_connections() throws Exception {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l1");
        SocketlockTestClient waiting = server.connect().waits("WRITE", "l2");
        SocketlockTestClient silent = server.open();
        long since = System.nanoTime();
        server.server().server().drain();
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(GRACE);
        holder.assertClosed();
        waiting.assertClosed();
        silent.assertClosed();
        assertThat(path).doesNotExist();
    }

    @Test
    void a_socketlock_listener_ends_at_once_even_if_others_drain() throws Exception {
        server.close();
        TestConfig config = new TestConfig().shutdownTimeout(Duration.ofSeconds(30));
        server =
                SocketlockTestServer.start(
                        config,
                        path,
                        DflockdProtocol.endpoint("127.0.0.1", 0, false),
                        SocketlockTestServer.endpoint(
                                path, "deploy", null, SocketlockTestServer.DEFAULT_TIMEOUTS));
        SocketlockTestClient holder = server.connect().holds("WRITE", "l");
        TestClient other = server.connectDflockd();
        String token = other.acquire("elsewhere");
        CompletableFuture<Void> drained = server.server().drain();
        holder.assertClosed();
        assertThat(path).doesNotExist();
        assertThat(drained).isNotDone();
        assertThat(other.request("r", "elsewhere", token)).isEqualTo("ok");
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    @DisplayName("H14: a listener removes the path only if it is its own")
    void a_socketlock_listener_removes_the_path_only_if_it_is_its_own() throws IOException {
        Files.delete(path);
        Files.writeString(path, "not yours");
        server.close();
        assertThat(path).hasContent("not yours");
    }

    // ---- from one primary to the next

    @Test
    void a_socketlock_listener_serves_at_once_if_its_predecessor_left_no_hold() {
        server.connect().holds("WRITE", "l").releases("l");
        server.close();
        long since = System.nanoTime();
        server = restart();
        server.connect().holds("WRITE", "l");
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(GRACE);
    }

    @Test
    void a_socketlock_listener_accepts_re_asserted_holds_before_it_offers_anything() {
        SocketlockTestClient holder = declareProcess(server.connect()).holds("WRITE", "l1");
        long epoch = epoch(holder);
        long fence = fence(holder, "l1");
        server.close();

        server = restart();
        SocketlockTestClient waiting = server.connect().waits("WRITE", "l2");
        SocketlockTestClient again = declareProcess(server.connect());
        assertThat(epoch(again)).isGreaterThan(epoch);
        again.sendLine("REASSERT l9 WRITE " + epoch, "STATUS l9").expect("LOCKTIMEOUT l9");
        again.sendLine("REASSERT l1 READ " + epoch, "STATUS l1").expect("LOCKTIMEOUT l1");
        again.sendLine("REASSERT l1 WRITE " + epoch + " 60", "STATUS l1").expect("LOCKOK l1");
        assertThat(fence(again, "l1")).isGreaterThan(fence);
        waiting.barrier();
        again.sendLine("RELEASE l1");
        waiting.expect("WRITELOCK l2");
    }

    @Test
    void a_re_asserted_lock_ends_with_its_ttl() {
        SocketlockTestClient holder = declareProcess(server.connect()).holds("WRITE", "l1");
        long epoch = epoch(holder);
        server.close();
        server = restart();
        SocketlockTestClient again = declareProcess(server.connect());
        again.sendLine("REASSERT l1 WRITE " + epoch + " 1", "STATUS l1").expect("LOCKOK l1");
        server.connect().sendLine("REQWRITE l2").expect("WRITELOCK l2");
        again.assertNotHeld("l1");
    }

    @Test
    void the_grace_period_does_not_wait_for_a_client_that_has_re_asserted_all() {
        SocketlockTestClient holder = declareProcess(server.connect()).holds("WRITE", "l1");
        String id = holder.id();
        server.close();
        long since = System.nanoTime();
        server = restart();
        SocketlockTestClient again = server.connect();
        assertThat(again.id()).isEqualTo(id);
        declareProcess(again).sendLine("SETTLED");
        server.connect().sendLine("REQWRITE l2").expect("WRITELOCK l2");
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(GRACE);
    }

    @Test
    void a_socketlock_listener_serves_after_its_grace_period_without_re_assertions() {
        server.connect().holds("WRITE", "l1"); // its process is alive: it is this one
        server.close();
        long since = System.nanoTime();
        server = restart();
        SocketlockTestClient again = server.connect().waits("WRITE", "l2").expect("WRITELOCK l2");
        assertThat(Duration.ofNanos(System.nanoTime() - since))
                .isGreaterThan(GRACE.minusMillis(500));
        again.sendLine("REASSERT l1 WRITE 1", "STATUS l1").expect("LOCKTIMEOUT l1");
    }

    @Test
    void only_compatible_holds_are_re_asserted() {
        SocketlockTestClient reader = declareProcess(server.connect()).holds("READ", "l1");
        declareProcess(server.connect()).holds("READ", "l2");
        long epoch = epoch(reader);
        server.close();
        server = restart();
        SocketlockTestClient first = declareProcess(server.connect());
        SocketlockTestClient second = declareProcess(server.connect());
        first.sendLine("REASSERT l1 READ " + epoch, "STATUS l1").expect("LOCKOK l1");
        server.connect().waits("READ", "l3");
        second.sendLine("REASSERT l2 READ " + epoch, "STATUS l2").expect("LOCKOK l2");
        second.sendLine("REASSERT l2 READ " + epoch, "STATUS l2").expect("LOCKOK l2");
    }

    // ---- loss of the path

    @Test
    void a_listener_that_lost_its_path_closes_its_connections_and_becomes_primary_again()
            throws IOException {
        SocketlockTestClient holder = declareProcess(server.connect()).holds("WRITE", "l1");
        long epoch = epoch(holder);
        SocketlockTestClient waiting = server.connect().waits("WRITE", "l2");
        Files.delete(path);
        holder.assertClosed();
        waiting.assertClosed();
        TestServer.soon().until(() -> Files.exists(path));
        SocketlockTestClient again = declareProcess(server.connect());
        again.sendLine("REASSERT l1 WRITE " + epoch, "STATUS l1").expect("LOCKOK l1");
    }

    @Test
    void a_path_taken_over_by_another_server_is_left_to_it_until_it_ends() throws IOException {
        SocketlockTestClient holder = server.connect().holds("WRITE", "l1");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path fresh = directory.resolve("fresh");
            listener.bind(UnixDomainSocketAddress.of(fresh));
            Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING);
            holder.assertClosed();
            assertThat(path).exists();
        }
        TestServer.soon().until(this::isServed);
    }

    private boolean isServed() {
        try (SocketlockTestClient client = SocketlockTestClient.open(path, "probe")) {
            client.greet();
            return true;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Test
    void a_listener_that_lost_its_path_affects_no_other_listener() throws IOException {
        Path second = startTwoOfOneKey();
        SocketlockTestClient lost = server.connect().holds("WRITE", "l");
        TestClient other = server.connectDflockd();
        other.acquire("elsewhere");
        SocketlockTestClient waiting = server.open(second).greet().waits("WRITE", "l");
        Files.delete(path);
        lost.assertClosed();
        assertThat(other.request("ping", "", "")).isEqualTo("ok");
        waiting.expect("WRITELOCK l"); // when the grace period for re-assertions is over
    }

    @Test
    void a_listener_that_lost_its_path_suspends_the_key_for_re_assertions() throws IOException {
        Path second = startTwoOfOneKey();
        SocketlockTestClient holder = declareProcess(server.connect()).holds("READ", "l1");
        long epoch = epoch(holder);
        TestClient dflockd = server.connectDflockd();
        dflockd.send("l", "deploy", "30");
        server.server().awaitWaiters("deploy", 1);
        SocketlockTestClient waiting = server.open(second).greet().waits("WRITE", "l2");
        Files.delete(path);
        holder.assertClosed();
        TestServer.soon().until(this::isServed);
        SocketlockTestClient again = declareProcess(server.connect());
        again.sendLine("REASSERT l1 READ " + epoch, "STATUS l1").expect("LOCKOK l1");
        waiting.barrier();
        again.releases("l1");
        String granted = dflockd.line();
        assertThat(granted).startsWith("ok ");
        assertThat(dflockd.request("r", "deploy", TestClient.token(granted))).isEqualTo("ok");
        waiting.expect("WRITELOCK l2");
    }

    /**
     * Starts two listeners with the lock "deploy" of dflockd; returns the path of the second one.
     */
    private Path startTwoOfOneKey() {
        server.close();
        Path second = directory.resolve("second");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        path,
                        DflockdProtocol.endpoint("127.0.0.1", 0, false),
                        SocketlockTestServer.endpoint(
                                path, "deploy", null, SocketlockTestServer.DEFAULT_TIMEOUTS),
                        SocketlockTestServer.endpoint(
                                second, "deploy", null, SocketlockTestServer.DEFAULT_TIMEOUTS));
        return second;
    }
}
