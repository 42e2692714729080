package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.AuthenticationException;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.ServerUnreachableException;

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

@DisplayName("Over TLS and with a secret, the Java client")
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
                                .listeners(new ListenEndpoint("127.0.0.1", 0, true))
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
    void takes_a_lock_if_it_trusts_the_server_and_knows_the_secret(boolean plain)
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
    void does_not_speak_to_a_server_of_another_name() {
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
    void does_not_speak_to_a_server_that_it_does_not_trust() throws Exception {
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
    void is_told_that_its_secret_is_wrong_without_repeating_it() {
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
