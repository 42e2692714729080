package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.AuthenticationException;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.ServerUnreachableException;
import io.holdfast.server.dflockd.DflockdProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

@DisplayName("The Java client over TLS and with a secret")
class ClientTlsIT {
    @TempDir private Path folder;
    private TlsFiles files;
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        files = TestCertificates.rsa().files(folder);
        server =
                TestServer.start(
                        new TestConfig()
                                .listeners(DflockdProtocol.endpoint("127.0.0.1", 0, true))
                                .tls(files)
                                .secret("sesame"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HoldfastBuilder builder(String host) {
        return Holdfast.builder()
                .address(host + ":" + server.address().getPort())
                .connectTimeout(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_trusts_the_server_and_has_the_secret_acquires_a_lock(boolean plain)
            throws InterruptedException {
        HoldfastBuilder builder =
                builder("localhost").tls(files.certificate()).authToken(() -> "sesame");
        try (Holdfast client = (plain ? builder.plain() : builder).connect();
                Hold hold = client.lock("k").acquire(Duration.ofSeconds(20))) {
            assertThat(hold.isHeld()).isTrue();
            assertThat(client.features().tagged()).isEqualTo(!plain);
        }
    }

    @Test
    void a_client_refuses_a_server_with_a_certificate_for_another_name() {
        assertThatThrownBy(
                        () ->
                                builder("127.0.0.1")
                                        .tls(files.certificate())
                                        .authToken("sesame")
                                        .connect())
                .isInstanceOf(ServerUnreachableException.class)
                .hasMessageNotContaining("sesame");
    }

    @Test
    void a_client_refuses_a_server_that_it_does_not_trust() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        TlsFiles strangers = TestCertificates.rsa().files(other);
        assertThatThrownBy(
                        () ->
                                builder("localhost")
                                        .tls(strangers.certificate())
                                        .authToken("sesame")
                                        .connect())
                .isInstanceOf(ServerUnreachableException.class);
    }

    @Test
    void a_client_reports_a_wrong_secret_without_printing_it() {
        assertThatThrownBy(
                        () ->
                                builder("localhost")
                                        .tls(files.certificate())
                                        .authToken("open-up")
                                        .connect())
                .isInstanceOf(AuthenticationException.class)
                .hasMessageNotContaining("open-up");
    }
}
