package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.HoldfastServer;
import io.holdfast.server.IoTransport;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A Unix socket")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class UnixSocketIT {
    private final IoTransport ioTransport;
    private final Path folder;
    private final Path socket;
    private final List<LockdTestServer> servers = new ArrayList<>();

    UnixSocketIT(IoTransport ioTransport, @TempDir Path folder) {
        this.ioTransport = ioTransport;
        this.folder = folder;
        this.socket = folder.resolve("holdfast.socket");
    }

    @AfterEach
    void close() {
        for (LockdTestServer server : servers) {
            server.close();
        }
    }

    private LockdTestServer start() {
        return start(LockdTestServer.unix(socket));
    }

    private LockdTestServer start(ListenEndpoint... listeners) {
        LockdTestServer server =
                LockdTestServer.start(new TestConfig().transport(ioTransport), listeners);
        servers.add(server);
        return server;
    }

    private ThrowingCallable starting(ListenEndpoint... listeners) {
        return () ->
                HoldfastServer.start(
                        new TestConfig().transport(ioTransport).listeners(listeners).build());
    }

    private void assertRefused(String reason) {
        assertThatThrownBy(starting(LockdTestServer.unix(socket)))
                .isInstanceOf(StartException.class)
                .hasMessage("cannot listen on " + socket + ": " + reason);
        assertThat(lockFile()).doesNotExist();
    }

    private Path lockFile() {
        return folder.resolve("holdfast.socket.lock");
    }

    private void leaveSocketBehind() throws IOException {
        try (ServerSocketChannel gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            gone.bind(UnixDomainSocketAddress.of(socket));
        }
    }

    // ---- connections

    @Test
    void a_unix_socket_speaks_lockd() {
        LockdTestServer server = start();
        LockdTestClient one = server.connect(socket).get("k");
        LockdTestClient two = server.connect(socket);
        two.assertRefused("k");
        assertThat(two.send("i k\r\nd\nsi").halfClose().rest())
                .startsWith("1 Lock Is Locked: k\r\nk: unix:");
        one.close();
        LockdTestClient three = server.connect(socket);
        TestServer.soon().until(() -> three.counter("connections") == 1);
        assertThat(three.counter("orphans")).isEqualTo(1);
        three.get("k");
    }

    @Test
    void connections_of_a_unix_socket_are_numbered_without_reuse() {
        LockdTestServer server = start();
        Set<String> names = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20; i++) {
                try (LockdTestClient kept = LockdTestClient.unix(socket)) {
                    String[] me = kept.request("me").split(" ", 3);
                    assertThat(me[1]).matches("unix:[1-9]\\d*").isEqualTo(me[2]);
                    assertThat(names.add(me[1])).as("%s is new", me[1]).isTrue();
                    kept.send("g k\n"); // closes with a request in flight
                }
            }
        }
        assertThat(names).contains("unix:1", "unix:60").hasSize(60);
        assertThat(server.connect(socket).request("me")).isEqualTo("1 unix:61 unix:61");
    }

    @Test
    void connections_of_two_unix_sockets_are_numbered_together() {
        Path second = folder.resolve("second");
        LockdTestServer server = start(LockdTestServer.unix(socket), LockdTestServer.unix(second));
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            assertThat(names.add(server.connect(socket).request("me"))).isTrue();
            assertThat(names.add(server.connect(second).request("me"))).isTrue();
        }
    }

    @Test
    void a_client_of_a_unix_socket_cannot_choose_its_name_by_its_own_path() {
        LockdTestServer server = start();
        try (LockdTestClient client = LockdTestClient.unix(socket, folder.resolve("fake:4711"))) {
            assertThat(client.request("me")).isEqualTo("1 unix:1 unix:1");
        }
        server.connect(socket).assertServed();
    }

    // ---- the file

    @Test
    void a_unix_socket_has_the_configured_permissions() throws Exception {
        for (String mode : List.of("rw-rw----", "rwx------", "rw-rw-rw-")) {
            Path path = folder.resolve(mode);
            start(LockdTestServer.unix(path, PosixFilePermissions.fromString(mode)));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo(mode);
        }
    }

    @Test
    void a_stale_unix_socket_is_replaced() throws Exception {
        leaveSocketBehind();
        assertThat(socket).exists();
        LockdTestServer server = start();
        server.connect(socket).get("k");
        assertThat(lockFile()).doesNotExist();
    }

    @Test
    void a_regular_file_at_the_path_is_not_touched() throws Exception {
        Files.writeString(socket, "precious");
        assertRefused(
                "the file there is not a socket; remove it or choose another path with --listen");
        assertThat(socket).hasContent("precious");
    }

    @Test
    void a_directory_a_pipe_and_a_link_at_the_path_are_not_touched() throws Exception {
        Files.createDirectory(socket);
        assertRefused(
                "the file there is not a socket; remove it or choose another path with --listen");
        Files.delete(socket);
        Process mkfifo = new ProcessBuilder("mkfifo", socket.toString()).start();
        assertThat(mkfifo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(mkfifo.exitValue()).isZero();
        assertRefused(
                "the file there is not a socket; remove it or choose another path with --listen");
        assertThat(Files.exists(socket, LinkOption.NOFOLLOW_LINKS)).isTrue();
        Files.delete(socket);
        Files.createSymbolicLink(socket, folder.resolve("nowhere"));
        assertRefused(
                "the file there is not a socket; remove it or choose another path with --listen");
        assertThat(socket).isSymbolicLink();
    }

    @Test
    void the_socket_of_a_live_server_is_not_touched() {
        LockdTestServer first = start();
        LockdTestClient client = first.connect(socket).get("k");
        assertRefused("another server is listening there; choose another path with --listen");
        client.assertServed();
        first.connect(socket).assertRefused("k");
    }

    @Test
    void the_reason_why_a_unix_socket_cannot_be_created_is_reported() {
        Path nowhere = folder.resolve("no-such-folder").resolve("socket");
        assertThatThrownBy(starting(LockdTestServer.unix(nowhere)))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("cannot listen on " + nowhere + ": ")
                .hasMessageContaining("no such directory");
        Path tooLong = folder.resolve("x".repeat(200));
        assertThatThrownBy(starting(LockdTestServer.unix(tooLong)))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("cannot listen on " + tooLong + ": ");
    }

    @Test
    void two_servers_that_start_at_once_do_not_share_a_unix_socket() throws Exception {
        for (int i = 0; i < 10; i++) {
            leaveSocketBehind();
            List<CompletableFuture<Boolean>> starts = new ArrayList<>();
            for (int j = 0; j < 3; j++) {
                starts.add(
                        CompletableFuture.supplyAsync(
                                this::startsAlone, Thread.ofPlatform()::start));
            }
            int started = 0;
            for (CompletableFuture<Boolean> each : starts) {
                started += each.get(60, TimeUnit.SECONDS) ? 1 : 0;
            }
            assertThat(started).isEqualTo(1);
            LockdTestServer server = servers.removeLast();
            server.connect(socket).assertServed();
            server.close();
            assertThat(socket).doesNotExist();
        }
    }

    private boolean startsAlone() {
        try {
            LockdTestServer server =
                    LockdTestServer.start(
                            new TestConfig().transport(ioTransport).eventLoops(1),
                            LockdTestServer.unix(socket));
            synchronized (servers) {
                servers.add(server);
            }
            return true;
        } catch (AssertionError e) {
            assertThat(e.getCause()).isInstanceOf(StartException.class);
            return false;
        }
    }

    // ---- the end

    @Test
    void a_unix_socket_is_removed_when_the_server_closes() throws Exception {
        LockdTestServer server = start();
        assertThat(socket).exists();
        server.close();
        assertThat(socket).doesNotExist();
    }

    @Test
    void a_unix_socket_is_removed_when_the_server_begins_to_drain() throws Exception {
        LockdTestServer server = start(LockdTestServer.lockd(), LockdTestServer.unix(socket));
        LockdTestClient holder = server.connect(socket).get("k");
        CompletableFuture<Void> drained = server.drain();
        TestServer.soon().until(() -> Files.notExists(socket));
        holder.release("k");
        holder.assertClosed();
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_file_that_replaced_the_unix_socket_is_not_removed() throws Exception {
        LockdTestServer server = start();
        Path other = Files.writeString(folder.resolve("other"), "precious");
        Files.move(other, socket, StandardCopyOption.ATOMIC_MOVE);
        server.close();
        assertThat(socket).hasContent("precious");
    }

    @Test
    void the_socket_of_a_server_that_replaced_it_is_not_removed() throws Exception {
        LockdTestServer first = start();
        Files.delete(socket);
        LockdTestServer second = start();
        first.close();
        second.connect(socket).get("k");
        second.close();
        assertThat(socket).doesNotExist();
    }

    @Test
    void a_missing_socket_file_does_not_disturb_the_close() throws Exception {
        LockdTestServer server = start();
        Files.delete(socket);
        server.close();
        assertThat(socket).doesNotExist();
    }

    // ---- failed starts

    @Test
    void a_unix_socket_is_never_served_when_another_listener_cannot_start() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger connected = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        Thread knocking =
                Thread.startVirtualThread(
                        () -> {
                            while (!stopped.get()) {
                                knock(connected, answered);
                            }
                        });
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ListenEndpoint second =
                    new ListenEndpoint(
                            LockdProtocol.TCP,
                            new ListenAddress.Tcp("127.0.0.1", taken.getLocalPort()),
                            LockdTestServer.lockd().options());
            TestServer.soon()
                    .until(
                            () -> {
                                assertThatThrownBy(starting(LockdTestServer.unix(socket), second))
                                        .isInstanceOf(StartException.class)
                                        .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
                                assertThat(socket).doesNotExist();
                                return connected.get() > 2;
                            });
        } finally {
            stopped.set(true);
        }
        TestServer.soon().until(() -> !knocking.isAlive());
        assertThat(answered).hasValue(0);
    }

    private void knock(AtomicInteger connected, AtomicInteger answered) {
        try (LockdTestClient client = LockdTestClient.unix(socket)) {
            connected.incrementAndGet();
            client.sendIfOpen("me\n");
            if (!client.rest().isEmpty()) {
                answered.incrementAndGet();
            }
        } catch (UncheckedIOException e) {
            Thread.onSpinWait(); // no server, or disconnected
        }
    }
}
