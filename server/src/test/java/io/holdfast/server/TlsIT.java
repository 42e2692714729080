package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

@DisplayName("dflockd over TLS")
@Execution(ExecutionMode.CONCURRENT)
class TlsIT {
    private static TestCertificates rsa;
    private static TestCertificates ec;

    @TempDir private Path directory;

    @BeforeAll
    static void certificates() throws GeneralSecurityException {
        rsa = TestCertificates.rsa();
        ec = TestCertificates.ec();
    }

    private TestConfig config() throws IOException {
        return config(rsa.files(directory));
    }

    private static TestConfig config(TlsFiles files) {
        return new TestConfig()
                .listeners(DflockdProtocol.endpoint("127.0.0.1", 0, true))
                .tls(files);
    }

    private static TestClient connect(
            TestServer server, TestCertificates trusted, String... protocols)
            throws IOException, GeneralSecurityException {
        InetSocketAddress address = server.address();
        Socket plain = new Socket(address.getAddress(), address.getPort());
        SSLSocket socket =
                (SSLSocket)
                        trusted.trusting()
                                .getSocketFactory()
                                .createSocket(plain, "localhost", address.getPort(), true);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        socket.startHandshake();
        return new TestClient(socket);
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void signals_are_pushed_over_tls(IoTransport ioTransport) throws Exception {
        try (TestServer server = TestServer.start(config().transport(ioTransport));
                TestClient listener = connect(server, rsa).listen("a.*");
                TestClient emitter = connect(server, rsa)) {
            String token = emitter.acquire("k");
            listener.send("l", "k", "60");
            StringBuilder requests = new StringBuilder();
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                String payload = i + "x".repeat(i % 100 == 99 ? 60_000 : i % 300);
                requests.append("signal\na.b\n").append(payload).append('\n');
                lines.add("sig a.b " + payload);
            }
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> emitter.sendRaw(requests.toString()));
            for (String line : lines) {
                assertThat(listener.line().equals(line)).isTrue();
            }
            sent.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 1000; i++) {
                assertThat(emitter.line()).isEqualTo("ok 1");
            }
            assertThat(emitter.request("r", "k", token)).isEqualTo("ok");
            assertThat(listener.line()).startsWith("ok ");
            listener.sendRaw("signal\na.c\nown\nping\n\n\n");
            assertThat(List.of(listener.line(), listener.line(), listener.line()))
                    .containsExactlyInAnyOrder("ok 1", "ok", "sig a.c own");
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_listener_over_tls_that_does_not_read_is_disconnected(IoTransport ioTransport)
            throws Exception {
        try (TestServer server = TestServer.start(config().transport(ioTransport));
                TestClient slow = connect(server, rsa).listen("a");
                TestClient other = connect(server, rsa).listen("a");
                TestClient emitter = connect(server, rsa)) {
            slow.acquire("k");
            String large = "x".repeat(60_000);
            int emitted = 0;
            for (String response = ""; !response.equals("ok 1"); emitted++) {
                assertThat(emitted).isLessThan(1000);
                response = emitter.request("signal", "a", large);
                assertThat(other.line()).hasSize(60_006);
            }
            assertThat(emitted).isGreaterThan(64);
            assertThat(emitter.request("l", "k", "20")).startsWith("ok ");
            slow.skipToEnd();
            other.assertServed();
            TestServer.soon().until(() -> server.pushedBytes() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void requests_are_served_over_tls(IoTransport ioTransport) throws Exception {
        try (TestServer server = TestServer.start(config().transport(ioTransport));
                TestClient client = connect(server, rsa)) {
            String token = client.acquire("k");
            assertThat(client.request("r", "k", token)).isEqualTo("ok");
            client.sendRaw("ping\n\n\n".repeat(5000));
            for (int i = 0; i < 5000; i++) {
                assertThat(client.line()).isEqualTo("ok");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void tls_1_2_and_1_3_are_supported(String version) throws Exception {
        try (TestServer server = TestServer.start(config());
                TestClient client = connect(server, rsa, version)) {
            assertThat(((SSLSocket) client.socket()).getSession().getProtocol()).isEqualTo(version);
            client.assertServed();
        }
    }

    /** Sends a hello that offers nothing newer, which the JDK's client does not do. */
    @Test
    void tls_1_1_is_refused_with_an_alert() throws Exception {
        try (TestServer server = TestServer.start(config());
                TestClient client = server.connect()) {
            String random = "00".repeat(32);
            String hello = "0302" + random + "00" + "0004" + "002f0035" + "0100";
            String handshake = "01" + "%06x".formatted(hello.length() / 2) + hello;
            String record = "160301" + "%04x".formatted(handshake.length() / 2) + handshake;
            client.sendRaw(HexFormat.of().parseHex(record));
            byte[] response = client.restBytes();
            // alert, any version, two bytes: fatal, protocol_version
            assertThat(response).hasSize(7).startsWith(21, 3);
            assertThat(response).endsWith(0, 2, 2, 70);
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_plain_client_on_a_tls_port_is_disconnected_without_a_response(IoTransport ioTransport)
            throws Exception {
        try (TestServer server = TestServer.start(config().transport(ioTransport));
                TestClient plain = server.connect()) {
            plain.send("l", "k", "0");
            assertThat(plain.rest()).doesNotContain("ok").doesNotContain("error");
            try (TestClient client = connect(server, rsa)) {
                Stats stats = Stats.parse(client.request("stats", "", ""));
                assertThat(stats.keys("locks")).isEmpty();
                assertThat(stats.keys("idle_locks")).isEmpty();
            }
        }
    }

    @Test
    void a_silent_plain_client_on_a_tls_port_is_closed_at_the_read_timeout() throws Exception {
        try (TestServer server = TestServer.start(config().readTimeout(Duration.ofMillis(200)));
                TestClient silent = server.connect()) {
            silent.rest();
        }
    }

    /** Within TLS a read timeout is answered as without. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void a_read_timeout_over_tls_sends_an_error_and_closes(String version) throws Exception {
        try (TestServer server = TestServer.start(config().readTimeout(Duration.ofSeconds(1)));
                TestClient client = connect(server, rsa, version)) {
            client.sendRaw("l\nk\n");
            assertThat(client.rest()).isEqualTo("error\n");
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_waiter_over_tls_that_closes_leaves_the_queue(IoTransport ioTransport) throws Exception {
        try (TestServer server = TestServer.start(config().transport(ioTransport).maxWaiters(1));
                TestClient holder = connect(server, rsa)) {
            String token = holder.acquire("k");
            TestClient waiting = connect(server, rsa);
            waiting.send("l", "k", "60");
            awaitWaiters(holder, 1);
            waiting.close();
            awaitWaiters(holder, 0);

            TestClient cut = connect(server, rsa);
            cut.send("l", "k", "60");
            awaitWaiters(holder, 1);
            cut.reset();
            awaitWaiters(holder, 0);

            assertThat(holder.request("r", "k", token)).isEqualTo("ok");
            assertThat(Stats.parse(holder.request("stats", "", "")).isHeld("k")).isFalse();
        }
    }

    private static void awaitWaiters(TestClient asking, int count) {
        TestServer.soon()
                .until(() -> Stats.parse(asking.request("stats", "", "")).waiters("k") == count);
    }

    @Test
    void responses_reach_a_client_that_half_closed_over_tls() throws Exception {
        try (TestServer server = TestServer.start(config());
                TestClient client = connect(server, rsa, "TLSv1.3")) {
            client.send("ping", "", "").send("nonsense", "", "").halfClose();
            assertThat(client.rest()).isEqualTo("ok\nerror\n");
        }
    }

    @Test
    void the_response_to_an_overlong_line_arrives_over_tls() throws Exception {
        try (TestServer server = TestServer.start(config());
                TestClient client = connect(server, rsa)) {
            client.sendRaw("x".repeat(5000) + "\nping\n\n\n");
            assertThat(client.rest()).isEqualTo("error\n");
        }
    }

    @Test
    void a_secret_is_required_over_tls_too() throws Exception {
        try (TestServer server = TestServer.start(config().secret("open"));
                TestClient right = connect(server, rsa);
                TestClient wrong = connect(server, rsa)) {
            assertThat(right.request("auth", "", "open")).isEqualTo("ok");
            right.assertServed();
            wrong.send("auth", "", "shut");
            assertThat(wrong.rest()).isEqualTo("error_auth\n");
        }
    }

    @Test
    void draining_over_tls_closes_holders_last() throws Exception {
        try (TestServer server = TestServer.start(config());
                TestClient holder = connect(server, rsa);
                TestClient idle = connect(server, rsa);
                TestClient shaking = server.connect()) {
            String token = holder.acquire("k");
            idle.assertServed();
            shaking.sendRaw(new byte[] {0x16, 3, 1}); // a hello that is never completed
            CompletableFuture<Void> drained = CompletableFuture.runAsync(server.server()::drain);
            assertThat(idle.rest()).isEmpty();
            shaking.restBytes(); // perhaps an alert
            assertThat(holder.request("l", "bad key", "0")).isEqualTo("error");
            assertThat(holder.request("r", "k", token)).isEqualTo("ok");
            assertThat(holder.rest()).isEmpty();
            drained.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void an_rsa_key_may_be_pkcs8_or_pkcs1() throws Exception {
        serves(rsa, new TlsFiles(rsa.certificate(directory), rsa.key(directory)));
        serves(rsa, new TlsFiles(rsa.certificate(directory), rsa.oldKey(directory)));
    }

    @Test
    void an_ec_key_may_be_pkcs8_or_sec1() throws Exception {
        serves(ec, new TlsFiles(ec.certificate(directory), ec.key(directory)));
        serves(ec, new TlsFiles(ec.certificate(directory), ec.oldKey(directory)));
    }

    /** {@code openssl ecparam -genkey} writes the curve in a separate block before the key. */
    @Test
    void an_ec_key_may_follow_its_parameters() throws Exception {
        Path key = ec.oldKey(directory);
        String parameters =
                """
                -----BEGIN EC PARAMETERS-----
                BggqhkjOPQMBBw==
                -----END EC PARAMETERS-----
                """;
        Files.writeString(key, parameters + Files.readString(key));
        serves(ec, new TlsFiles(ec.certificate(directory), key));
    }

    @Test
    void certificate_and_key_may_be_in_one_file_with_other_text() throws Exception {
        Path both = directory.resolve("both.pem");
        Files.writeString(
                both,
                "the server's own\r\n\r\n"
                        + Files.readString(rsa.key(directory)).replace("\n", "\r\n")
                        + Files.readString(rsa.certificate(directory)));
        serves(rsa, new TlsFiles(both, both));
    }

    private static void serves(TestCertificates trusted, TlsFiles files) throws Exception {
        try (TestServer server = TestServer.start(config(files));
                TestClient client = connect(server, trusted)) {
            client.assertServed();
        }
    }

    @Test
    void a_client_that_trusts_another_certificate_does_not_connect() throws Exception {
        try (TestServer server = TestServer.start(config())) {
            assertThatThrownBy(() -> connect(server, ec)).isInstanceOf(SSLException.class);
            try (TestClient client = connect(server, rsa)) {
                client.assertServed();
            }
        }
    }

    @Test
    void a_missing_tls_file_stops_the_start_and_is_named() throws Exception {
        Path none = directory.resolve("none.pem");
        assertStopped(new TlsFiles(none, rsa.key(directory)), "none.pem");
        assertStopped(new TlsFiles(rsa.certificate(directory), none), "none.pem");
    }

    @Test
    void a_tls_file_with_other_content_stops_the_start() throws Exception {
        Path other = Files.writeString(directory.resolve("other.pem"), "nothing\nof\nuse\n");
        Path empty = Files.createFile(directory.resolve("empty.pem"));
        assertStopped(new TlsFiles(other, rsa.key(directory)), "other.pem");
        assertStopped(new TlsFiles(empty, rsa.key(directory)), "empty.pem");
        assertStopped(new TlsFiles(rsa.key(directory), rsa.key(directory)), "TLS certificate");
        assertStopped(new TlsFiles(rsa.certificate(directory), other), "no private key");
        assertStopped(new TlsFiles(rsa.certificate(directory), empty), "no private key");
        assertStopped(
                new TlsFiles(rsa.certificate(directory), rsa.certificate(directory)),
                "no private key");
    }

    @Test
    void a_damaged_key_stops_the_start() throws Exception {
        for (String label : new String[] {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"}) {
            for (String body : new String[] {"", "AAAA", "MIIB", "%%%%", "MA=="}) {
                Path key = Files.createTempFile(directory, "damaged", ".pem");
                Files.writeString(
                        key,
                        "-----BEGIN "
                                + label
                                + "-----\n"
                                + body
                                + "\n-----END "
                                + label
                                + "-----\n");
                assertStopped(new TlsFiles(rsa.certificate(directory), key), "damaged");
            }
        }
    }

    @Test
    void an_encrypted_key_stops_the_start_with_that_reason() throws Exception {
        Path key = directory.resolve("locked.pem");
        Files.writeString(
                key,
                """
                -----BEGIN ENCRYPTED PRIVATE KEY-----
                AAAA
                -----END ENCRYPTED PRIVATE KEY-----
                """);
        assertStopped(new TlsFiles(rsa.certificate(directory), key), "encrypted");
    }

    @Test
    void the_key_of_another_certificate_stops_the_start() throws Exception {
        assertStopped(new TlsFiles(rsa.certificate(directory), ec.key(directory)), "key");
        TestCertificates other = TestCertificates.rsa();
        assertStopped(new TlsFiles(rsa.certificate(directory), other.key(directory)), "key");
        TestCertificates otherEc = TestCertificates.ec();
        assertStopped(new TlsFiles(ec.certificate(directory), otherEc.key(directory)), "key");
    }

    private static void assertStopped(TlsFiles files, String reason) {
        assertThatThrownBy(() -> HoldfastServer.start(config(files).build()).close())
                .isInstanceOf(StartException.class)
                .hasMessageMatching("cannot (load|use) the TLS (certificate|key) .*")
                .hasMessageContaining(reason)
                .message()
                .doesNotContain("\n")
                .doesNotEndWith(": ");
    }
}
