package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.dflockd.DflockdOptions;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

@DisplayName("socketlock beside other protocols")
@Timeout(120)
class SocketlockKeySpaceIT {
    @TempDir private Path directory;
    private SocketlockTestServer server;

    private void start(String key, QueuePolicy queuePolicy) {
        Path path = directory.resolve("s");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        path,
                        DflockdProtocol.endpoint("127.0.0.1", 0, false),
                        new ListenEndpoint(
                                LockdProtocol.TCP,
                                new ListenAddress.Tcp("127.0.0.1", 0),
                                new LockdOptions(Namespace.DEFAULT, true, true)),
                        SocketlockTestServer.endpoint(
                                path, key, queuePolicy, SocketlockTestServer.DEFAULT_TIMEOUTS));
    }

    /** A lockd client; the lines used here end with a line feed only. */
    private TestClient connectLockd() {
        return TestClient.connect(server.server().server().addresses().get(1));
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void socketlock_shares_a_key_with_dflockd_and_lockd() {
        start("deploy", null);
        SocketlockTestClient reader = server.connect().holds("READ", "r1");
        SocketlockTestClient second = server.connect().holds("READ", "r2");
        TestClient dflockd = server.connectDflockd();
        assertThat(dflockd.request("l", "deploy", "0")).isEqualTo("timeout");
        try (TestClient lockd = connectLockd()) {
            assertThat(lockd.sendRaw("g deploy\n").line()).startsWith("0 Lock Get Failure");
            dflockd.send("l", "deploy", "60");
            server.server().awaitWaiters("deploy", 1);
            SocketlockTestClient third = server.connect().waits("READ", "r3");
            reader.releases("r1");
            second.releases("r2");
            String granted = dflockd.line();
            assertThat(granted).startsWith("ok ");
            third.barrier();
            assertThat(dflockd.request("r", "deploy", TestClient.token(granted))).isEqualTo("ok");
            third.expect("READLOCK r3");
            assertThat(lockd.sendRaw("g deploy\n").line()).startsWith("0 Lock Get Failure");
            third.confirms("r3").releases("r3");
            assertThat(lockd.sendRaw("g deploy\n").line()).startsWith("1 Lock Get Success");
            server.connect().waits("READ", "r4");
        }
    }

    @Test
    @DisplayName("H17: a holder without TTL is visible over all protocols")
    void a_socketlock_holder_without_ttl_is_visible_over_other_protocols() {
        start("deploy", null);
        server.connect().holds("WRITE", "l");
        try (TestClient lockd = connectLockd()) {
            assertThat(lockd.sendRaw("d deploy\n").line()).isEqualTo("deploy: node-1");
        }
        assertThat(server.server().stats().entries("locks"))
                .singleElement()
                .satisfies(lock -> assertThat(lock).containsEntry("key", "deploy"));
    }

    @Test
    void clients_of_other_protocols_get_a_socketlock_key_as_writers() {
        start("deploy", QueuePolicy.WRITER_PREFERRED);
        SocketlockTestClient reader = server.connect().holds("READ", "r1");
        TestClient dflockd = server.connectDflockd();
        dflockd.send("l", "deploy", "60");
        server.server().awaitWaiters("deploy", 1);
        server.connect().waits("READ", "r2");
        reader.releases("r1");
        assertThat(dflockd.line()).startsWith("ok ");
    }

    @Test
    void a_socketlock_listener_without_a_key_has_its_own_lock() {
        start(null, QueuePolicy.FIFO);
        server.connect().holds("WRITE", "l");
        TestClient dflockd = server.connectDflockd();
        String path = directory.resolve("s").toString();
        assertThat(dflockd.request("l", path, "0")).startsWith("ok ");
        assertThat(server.server().stats().entries("locks")).hasSize(1);
    }

    @Test
    void a_socketlock_listener_uses_the_policy_of_another_listener_of_its_key() {
        Path first = directory.resolve("1");
        Path second = directory.resolve("2");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        first,
                        endpoint(first, null),
                        endpoint(second, QueuePolicy.READER_PREFERRED));
        SocketlockTestClient reader = server.connect().holds("READ", "r1");
        server.open(second).greet().waits("WRITE", "w");
        server.connect().holds("READ", "r2"); // overtakes the writer
        reader.assertHeld("r1");
    }

    private ListenEndpoint endpoint(Path path, QueuePolicy queuePolicy) {
        return SocketlockTestServer.endpoint(
                path, "deploy", queuePolicy, SocketlockTestServer.DEFAULT_TIMEOUTS);
    }

    @Test
    void two_policies_for_one_key_are_refused() {
        TestConfig config =
                new TestConfig()
                        .listeners(
                                endpoint(Path.of("/run/a"), QueuePolicy.FIFO),
                                endpoint(Path.of("/run/b"), null),
                                endpoint(Path.of("/run/c"), QueuePolicy.WRITER_PREFERRED));
        assertThatThrownBy(config::build)
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "the key deploy cannot have two policies: fifo on /run/a and writer on"
                                + " /run/c");
    }

    @Test
    void two_listeners_on_one_path_are_refused() {
        TestConfig config =
                new TestConfig()
                        .listeners(
                                endpoint(Path.of("/run/a"), null),
                                SocketlockTestServer.endpoint(
                                        Path.of("/run/../run/a"), QueuePolicy.FIFO));
        assertThatThrownBy(config::build)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("two listen addresses have the path /run/../run/a");
    }

    @Test
    void socketlock_requires_a_unix_socket() {
        ListenEndpoint valid = endpoint(Path.of("/run/a"), null);
        assertThatThrownBy(
                        () ->
                                new ListenEndpoint(
                                        valid.scheme(),
                                        new ListenAddress.Tcp("127.0.0.1", 0),
                                        valid.options()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("socketlock requires a Unix socket");
    }

    @Test
    void no_configured_namespace_contains_the_own_locks_of_socketlock_listeners() {
        assertThatThrownBy(
                        () ->
                                new ListenEndpoint(
                                        DflockdProtocol.INSTANCE.schemes().getFirst(),
                                        new ListenAddress.Tcp("127.0.0.1", 0),
                                        new DflockdOptions(new Namespace("\0socketlock"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("control character");
    }
}
