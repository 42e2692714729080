package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenAddress;
import io.holdfast.server.ListenEndpoint;
import io.holdfast.server.ListenerProtocol;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

@DisplayName("socketlock beside other protocols")
@Timeout(120)
class SocketlockKeySpaceIT {
    @TempDir private Path folder;
    private SocketlockTestServer server;

    private void start(String key, QueuePolicy queuePolicy) {
        Path path = folder.resolve("s");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        path,
                        new ListenEndpoint("127.0.0.1", 0, false),
                        new ListenEndpoint(
                                new ListenAddress.Tcp("127.0.0.1", 0),
                                false,
                                new ListenerProtocol.Lockd(Namespace.DEFAULT, false, true, true)),
                        SocketlockTestServer.endpoint(
                                path, key, queuePolicy, SocketlockTestServer.USUAL, null));
    }

    /** A client of lockd; its lines end as ours do. */
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
    void shares_a_key_with_dflockd_and_lockd() {
        start("deploy", null);
        SocketlockTestClient reader = server.connect().holds("READ", "r1");
        SocketlockTestClient second = server.connect().holds("READ", "r2");
        TestClient dflockd = server.connectDflockd();
        assertThat(dflockd.ask("l", "deploy", "0")).isEqualTo("timeout");
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
            assertThat(dflockd.ask("r", "deploy", TestClient.token(granted))).isEqualTo("ok");
            third.expect("READLOCK r3");
            assertThat(lockd.sendRaw("g deploy\n").line()).startsWith("0 Lock Get Failure");
            third.confirms("r3").releases("r3");
            assertThat(lockd.sendRaw("g deploy\n").line()).startsWith("1 Lock Get Success");
            server.connect().waits("READ", "r4");
        }
    }

    @Test
    @DisplayName("H17: a holder that is silent for ever is there for all to see")
    void a_holder_that_is_silent_for_ever_is_there_for_all_to_see() {
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
    void gives_others_their_turn_as_writers() {
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
    void has_a_lock_of_its_own_unless_a_key_is_given() {
        start(null, QueuePolicy.FIFO);
        server.connect().holds("WRITE", "l");
        TestClient dflockd = server.connectDflockd();
        String path = folder.resolve("s").toString();
        assertThat(dflockd.ask("l", path, "0")).startsWith("ok ");
        assertThat(server.server().stats().entries("locks")).hasSize(1);
    }

    @Test
    void joins_the_policy_that_another_listener_names() {
        Path first = folder.resolve("1");
        Path second = folder.resolve("2");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        first,
                        endpoint(first, null),
                        endpoint(second, QueuePolicy.READER_PREFERRED));
        SocketlockTestClient reader = server.connect().holds("READ", "r1");
        server.open(second).greet().waits("WRITE", "w");
        server.connect().holds("READ", "r2"); // passes the writer
        reader.assertHeld("r1");
    }

    private ListenEndpoint endpoint(Path path, QueuePolicy queuePolicy) {
        return SocketlockTestServer.endpoint(
                path, "deploy", queuePolicy, SocketlockTestServer.USUAL, null);
    }

    @Test
    void cannot_have_two_policies_for_one_key() {
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
    void cannot_have_two_listeners_on_one_path() {
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
    void is_spoken_on_a_unix_socket_alone() {
        ListenerProtocol listenerProtocol = endpoint(Path.of("/run/a"), null).protocol();
        assertThatThrownBy(
                        () ->
                                new ListenEndpoint(
                                        new ListenAddress.Tcp("127.0.0.1", 0),
                                        false,
                                        listenerProtocol))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("socketlock requires a Unix socket");
    }

    @Test
    void keeps_its_own_locks_out_of_any_namespace_that_can_be_named() {
        assertThatThrownBy(
                        () ->
                                new ListenEndpoint(
                                        new ListenAddress.Tcp("127.0.0.1", 0),
                                        false,
                                        new ListenerProtocol.Dflockd(
                                                new Namespace("\0socketlock"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("control character");
    }
}
