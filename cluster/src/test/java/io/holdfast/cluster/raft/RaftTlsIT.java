package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;

@DisplayName("TLS between nodes")
class RaftTlsIT {
    @TempDir static Path folder;

    private static TestAuthority other;
    private static ClusterTls node;

    @BeforeAll
    static void makeCertificates() throws Exception {
        TestAuthority ours = TestAuthority.create(folder, "ours");
        other = TestAuthority.create(folder, "other");
        node = ours.sign("n1");
    }

    private static void refuses(ClusterTls files, String... text) {
        assertThatThrownBy(() -> RaftTls.sockets(files))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(text);
    }

    @Test
    void tls_is_used_when_configured() throws IOException {
        assertThat(RaftTls.sockets(node).isSecure()).isTrue();
    }

    @Test
    void tls_is_not_used_when_not_configured() throws IOException {
        assertThat(RaftTls.sockets(null).isSecure()).isFalse();
    }

    @Test
    void a_key_of_another_certificate_is_refused() throws Exception {
        Path key = folder.resolve("another.key");
        TestAuthority.write(
                key,
                "PRIVATE KEY",
                KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate().getEncoded());
        refuses(
                new ClusterTls(node.certificate(), key, node.authority()),
                "does not belong to the certificate");
    }

    @Test
    void a_certificate_that_the_authority_has_not_signed_is_refused() {
        refuses(
                new ClusterTls(node.certificate(), node.key(), other.certificate()),
                "has not signed it");
    }

    @Test
    void missing_files_are_refused() {
        Path none = folder.resolve("none");
        refuses(new ClusterTls(none, node.key(), node.authority()), "none: no such file");
        refuses(new ClusterTls(node.certificate(), none, node.authority()), "no such file");
        refuses(new ClusterTls(node.certificate(), node.key(), none), "no such file");
    }

    @Test
    void files_with_other_contents_are_refused() throws IOException {
        refuses(new ClusterTls(node.key(), node.key(), node.authority()), "no certificate in it");
        refuses(
                new ClusterTls(node.certificate(), node.certificate(), node.authority()),
                "no private key in it");
        Path locked = folder.resolve("locked.key");
        Files.writeString(
                locked,
                Files.readString(node.key()).replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"));
        refuses(
                new ClusterTls(node.certificate(), locked, node.authority()),
                "openssl pkcs8 -topk8");
        Path bad = folder.resolve("bad.key");
        Files.writeString(bad, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        refuses(
                new ClusterTls(node.certificate(), bad, node.authority()),
                "bad.key: not an RSA, EC or EdDSA private key");
    }
}
