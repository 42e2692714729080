package io.holdfast.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.formation.NodeCalls;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("An administrator over a connection without TLS")
@Timeout(120)
class AdminAccessIT {
    private static final byte CHANGE = 21;
    private static final ClusterSecret WRONG =
            new ClusterSecret("the secret of others".getBytes(StandardCharsets.UTF_8));

    private final RpcSocketFactory sockets = new RpcSocketFactory(null);
    private final RefusedConnections refused = new RefusedConnections();
    private final List<Byte> executed = new CopyOnWriteArrayList<>();
    private @Nullable NodeRpcServer listening;

    @AfterEach
    void close() throws IOException {
        if (listening != null) {
            listening.close();
        }
    }

    private int listen(@Nullable ClusterSecret secret) throws IOException {
        NodeRpcServer opened =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        sockets,
                        TestService.access(secret, refused),
                        new TestService(
                                (kind, body) -> {
                                    executed.add(kind);
                                    return CompletableFuture.completedFuture(body);
                                }));
        listening = opened;
        return opened.address().getPort();
    }

    private byte[] call(int port, Handshake handshake, byte kind) throws Exception {
        try (NodeRpcClient client =
                new NodeRpcClient(
                        "test",
                        () -> InetSocketAddress.createUnresolved("127.0.0.1", port),
                        sockets,
                        handshake)) {
            return client.call(kind, new byte[] {7}, 60_000).get();
        }
    }

    private void refuses(int port, Handshake handshake, byte kind, String reason) {
        long before = refused.count();
        assertThatThrownBy(() -> call(port, handshake, kind)).hasMessageContaining(reason);
        assertThat(executed).isEmpty();
        assertThat(refused.count()).isEqualTo(before + 1);
    }

    @Test
    void an_administrator_with_the_secret_may_call_everything() throws Exception {
        int port = listen(TestService.SECRET);
        Handshake handshake = Handshake.admin("test", TestService.SECRET);
        assertThat(call(port, handshake, CHANGE)).containsExactly(7);
        assertThat(call(port, handshake, NodeCalls.STATUS)).containsExactly(7);
        assertThat(refused.count()).isZero();
    }

    @Test
    void status_is_answered_to_everybody() throws Exception {
        assertThat(call(listen(TestService.SECRET), Handshake.admin("test"), NodeCalls.STATUS))
                .containsExactly(7);
    }

    @ParameterizedTest
    @ValueSource(bytes = {10, 13, 15, 21, 22, 23, 24, 31, 32, 127})
    void without_a_proof_no_other_call_is_executed(byte kind) throws Exception {
        refuses(
                listen(TestService.SECRET),
                Handshake.admin("test"),
                kind,
                "run the command with --cluster-secret-file");
    }

    @Test
    void an_administrator_without_a_secret_learns_how_to_give_it() throws Exception {
        refuses(
                listen(TestService.SECRET),
                Handshake.admin("test", null),
                CHANGE,
                "run the command with --cluster-secret-file");
    }

    @Test
    void another_secret_is_refused() throws Exception {
        refuses(
                listen(TestService.SECRET),
                Handshake.admin("test", WRONG),
                CHANGE,
                "is not that of the cluster");
    }

    @Test
    void a_proof_for_a_cluster_of_another_name_is_refused() throws Exception {
        refuses(
                listen(TestService.SECRET),
                Handshake.admin("other", TestService.SECRET),
                CHANGE,
                "is not that of the cluster");
    }

    @Test
    void a_node_without_a_secret_executes_no_change_and_says_what_to_configure() throws Exception {
        int port = listen(null);
        String reason = "start the nodes with --cluster-secret-file";
        refuses(port, Handshake.admin("test", TestService.SECRET), CHANGE, reason);
        refuses(port, Handshake.admin("test", null), CHANGE, reason);
        refuses(port, Handshake.admin("test"), CHANGE, reason);
        assertThat(call(port, Handshake.admin("test"), NodeCalls.STATUS)).containsExactly(7);
    }

    /** A connection whose frames are written one by one. */
    private static final class Raw implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        Raw(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(60_000);
            in = new DataInputStream(socket.getInputStream());
            socket.getOutputStream().write(RpcFrame.greeting(Greeting.admin("test")));
            var _ = RpcFrame.readAnswer(in);
        }

        RpcFrame call(byte kind, byte... body) throws IOException {
            socket.getOutputStream().write(RpcFrame.encode(kind, 1, body));
            return RpcFrame.read(in);
        }

        void refuses(byte kind, byte... body) throws IOException {
            assertThat(call(kind, body).kind).isEqualTo(RpcFrame.FAILED);
            assertThat(in.read()).as("the connection is closed").isNegative();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static byte[] proof(byte[] nonce) {
        return TestService.SECRET.proof(nonce, "test");
    }

    @Test
    void a_replayed_proof_is_refused_on_another_connection() throws Exception {
        int port = listen(TestService.SECRET);
        byte[] proof;
        try (Raw first = new Raw(port)) {
            proof = proof(first.call(AdminAccess.CHALLENGE).body);
            assertThat(first.call(AdminAccess.PROOF, proof).kind).isEqualTo(RpcFrame.DONE);
            assertThat(first.call(CHANGE).kind).isEqualTo(RpcFrame.DONE);
        }
        try (Raw second = new Raw(port)) {
            assertThat(second.call(AdminAccess.CHALLENGE).body).hasSize(32);
            second.refuses(AdminAccess.PROOF, proof);
        }
        try (Raw third = new Raw(port)) {
            third.refuses(AdminAccess.PROOF, proof);
        }
        assertThat(executed).containsExactly(CHANGE);
    }

    @Test
    void a_nonce_is_used_once() throws Exception {
        try (Raw raw = new Raw(listen(TestService.SECRET))) {
            byte[] proof = proof(raw.call(AdminAccess.CHALLENGE).body);
            assertThat(raw.call(AdminAccess.PROOF, proof).kind).isEqualTo(RpcFrame.DONE);
            raw.refuses(AdminAccess.PROOF, proof);
        }
    }

    @Test
    void a_connection_has_one_attempt() throws Exception {
        int port = listen(TestService.SECRET);
        try (Raw raw = new Raw(port)) {
            var _ = raw.call(AdminAccess.CHALLENGE);
            raw.refuses(AdminAccess.CHALLENGE);
        }
        try (Raw raw = new Raw(port)) {
            byte[] proof = proof(raw.call(AdminAccess.CHALLENGE).body);
            raw.refuses(AdminAccess.PROOF, Arrays.copyOf(proof, proof.length - 1));
        }
    }

    @Test
    void two_connections_get_different_nonces() throws Exception {
        int port = listen(TestService.SECRET);
        try (Raw one = new Raw(port);
                Raw two = new Raw(port)) {
            assertThat(one.call(AdminAccess.CHALLENGE).body)
                    .isNotEqualTo(two.call(AdminAccess.CHALLENGE).body);
        }
    }

    @Test
    void the_secret_is_not_sent() throws Exception {
        try (var stolen = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<byte[]> sent =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try (Socket socket = stolen.accept()) {
                                    var in = new DataInputStream(socket.getInputStream());
                                    var _ = RpcFrame.readGreeting(in);
                                    socket.getOutputStream()
                                            .write(RpcFrame.acceptance(TestService.OPENER));
                                    RpcFrame asked = RpcFrame.read(in);
                                    socket.getOutputStream()
                                            .write(
                                                    RpcFrame.encode(
                                                            RpcFrame.DONE,
                                                            asked.call,
                                                            new byte[32]));
                                    return RpcFrame.read(in).body;
                                } catch (IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            },
                            Thread::startVirtualThread);
            assertThatThrownBy(
                            () ->
                                    call(
                                            stolen.getLocalPort(),
                                            Handshake.admin("test", TestService.SECRET),
                                            CHANGE))
                    .isNotNull();
            assertThat(sent.get()).isEqualTo(proof(new byte[32])).hasSize(32);
        }
    }
}
