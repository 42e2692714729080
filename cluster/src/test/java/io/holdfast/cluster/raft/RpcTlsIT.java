package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.cluster.rpc.TestService;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

@DisplayName("A connection between nodes over TLS")
@Timeout(120)
class RpcTlsIT {
    private static final byte KIND = 10;
    private static final String PASSWORD = "changeit";
    private static final byte[] BODY = {1, 2, 3};

    @TempDir static Path folder;

    private static RpcSocketFactory ours;
    private static RpcSocketFactory others;
    private static NodeRpcServer nodeRpcServer;

    @BeforeAll
    static void listen() throws Exception {
        TestAuthority authority = TestAuthority.create(folder, "ours");
        ours = sockets(authority.sign("n1"));
        others = sockets(TestAuthority.create(folder, "others").sign("n2"));
        nodeRpcServer =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(0),
                        ours,
                        TestService.access(),
                        new TestService((_, body) -> CompletableFuture.completedFuture(body)));
    }

    private static RpcSocketFactory sockets(ClusterTls files) throws IOException {
        return RaftTls.sockets(files);
    }

    @AfterAll
    static void end() throws IOException {
        nodeRpcServer.close();
    }

    private static byte[] call(String host, RpcSocketFactory rpcSocketFactory) throws Exception {
        int port = nodeRpcServer.address().getPort();
        try (NodeRpcClient nodeRpcClient =
                new NodeRpcClient(
                        "test",
                        () -> InetSocketAddress.createUnresolved(host, port),
                        rpcSocketFactory,
                        Handshake.admin("test"))) {
            return nodeRpcClient.call(KIND, BODY, 60_000).get();
        }
    }

    @Test
    void nodes_with_certificates_of_one_authority_connect() throws Exception {
        assertThat(call("127.0.0.1", ours)).isEqualTo(BODY);
        assertThat(call("localhost", ours)).isEqualTo(BODY);
    }

    @Test
    void a_node_does_not_connect_to_one_of_another_authority() {
        assertThatThrownBy(() -> call("127.0.0.1", others))
                .hasRootCauseInstanceOf(CertPathBuilderException.class);
    }

    @Test
    void a_node_does_not_accept_one_of_another_authority() throws Exception {
        KeyStore foreign =
                KeyStore.getInstance(folder.resolve("n2.p12").toFile(), PASSWORD.toCharArray());
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(foreign, PASSWORD.toCharArray());
        assertThatThrownBy(() -> call("127.0.0.1", trusting(keys.getKeyManagers())))
                .hasMessageNotContaining("refused");
    }

    @Test
    void a_connection_without_tls_is_refused() {
        assertThatThrownBy(() -> call("127.0.0.1", new RpcSocketFactory(null))).isNotNull();
    }

    @Test
    void a_connection_without_a_client_certificate_is_refused() throws Exception {
        assertThatThrownBy(() -> call("127.0.0.1", trusting(null)))
                .hasMessageNotContaining("refused");
    }

    /** A context that trusts every certificate, and presents its own if it has one. */
    private static RpcSocketFactory trusting(KeyManager @Nullable [] own)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, new TrustManager[] {new TrustAll()}, null);
        return new RpcSocketFactory(context);
    }

    @Test
    void a_node_does_not_connect_when_the_certificate_is_for_another_address() {
        assertThatThrownBy(() -> call("127.0.0.2", ours))
                .hasRootCauseInstanceOf(CertificateException.class);
    }

    /** Trusts every certificate. */
    private static final class TrustAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
