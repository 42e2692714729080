package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A server process that serves HTTP")
class HttpProcessIT {
    @TempDir private Path folder;

    private static HttpResponse<String> get(HttpClient client, String url, String token)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(20));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String url, String token)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return get(client, url, token);
        }
    }

    @Test
    void http_needs_no_other_listener_and_ends_by_a_signal() throws Exception {
        try (var server = ServerProcess.start("serve", "--listen", "http://127.0.0.1:0")) {
            int port = server.portOf("http");
            assertThat(get("http://127.0.0.1:" + port + "/ready", "").body())
                    .isEqualTo("{\"status\":\"ok\"}\n");
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).startsWith("time="));
        }
    }

    @Test
    void an_http_port_in_use_prevents_the_start() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + taken.getLocalPort();
            try (var server = ServerProcess.start("serve", "--listen", url)) {
                assertThat(server.status()).isEqualTo(1);
                assertThat(server.err())
                        .singleElement()
                        .asString()
                        .contains("level=ERROR msg=\"cannot listen on " + url)
                        .contains(" is already in use; choose another with --");
            }
        }
    }

    @Test
    void both_tokens_are_hidden_and_open_listeners_cause_a_warning() throws Exception {
        try (var server =
                ServerProcess.start(
                        "serve",
                        "--debug",
                        "--auth-token=open-sesame",
                        "--http-read-token=only-look",
                        "--listen=http://0.0.0.0:0")) {
            String url = "http://127.0.0.1:" + server.portOf("http") + "/v1/keys";
            assertThat(get(url, "").statusCode()).isEqualTo(401);
            assertThat(get(url, "wrong").statusCode()).isEqualTo(401);
            assertThat(get(url, "only-look").statusCode()).isEqualTo(200);
            assertThat(get(url, "open-sesame").statusCode()).isEqualTo(200);
            server.awaitLog(
                    line -> line.contains("listening on a non-loopback address without TLS"));
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(String.join("\n", server.err()))
                    .doesNotContain("sesame")
                    .doesNotContain("only-look")
                    .doesNotContain("wrong");
        }
    }

    @Test
    void many_wrong_tokens_and_refused_connections_log_few_lines() throws Exception {
        try (var server =
                ServerProcess.start(
                        "serve",
                        "--auth-token=open-sesame",
                        "--max-connections=300",
                        "--listen=http://127.0.0.1:0,dflockd://127.0.0.1:0")) {
            String get = "GET /v1/keys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ";
            List<Socket> guessing = new ArrayList<>();
            // Once there are many, HTTP delays the check, and clients that have left are not
            // logged.
            guessing.add(send(server.portOf("http"), get + "gues-first\r\n\r\n"));
            assertThat(server.awaitLog(line -> line.contains("\"HTTP authentication failed\"")))
                    .contains("level=WARN", "remote=");
            for (int i = 0; i < 500; i++) {
                guessing.add(send(server.portOf("http"), get + "gues-" + i + "\r\n\r\n"));
                guessing.add(send(server.portOf("dflockd"), "auth\n\ngues-" + i + "\n"));
            }
            for (Socket each : guessing) {
                each.close();
            }
            for (String message :
                    List.of("\"HTTP authentication failed\"", "\"authentication failed\"")) {
                assertThat(server.awaitLog(line -> line.contains("msg=" + message)))
                        .contains("level=WARN", "remote=")
                        .contains("127.0.0.1");
            }
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err()).hasSizeLessThan(200).noneMatch(line -> line.contains("gues-"));
        }
    }

    private static Socket send(int port, String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // the server has already closed the connection
        }
        return socket;
    }

    @Test
    void http_shares_the_certificate_and_the_keys_with_dflockd() throws Exception {
        PemFiles pem = PemFiles.create(folder);
        int port;
        try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        try (var server =
                        ServerProcess.start(
                                "dflockd",
                                "--port=0",
                                "--http-port=" + port,
                                "--tls-cert=" + pem.certificate(),
                                "--tls-key=" + pem.key());
                HttpClient client = HttpClient.newBuilder().sslContext(pem.trusting()).build()) {
            assertThat(server.portOf("https")).isEqualTo(port);
            int dflockd = server.portOf("dflockds");
            try (var line =
                    new LineClient(
                            pem.trusting()
                                    .getSocketFactory()
                                    .createSocket(InetAddress.getLoopbackAddress(), dflockd))) {
                line.lock("shared", "5");
                assertThat(get(client, "https://127.0.0.1:" + port + "/v1/keys", "").body())
                        .contains("\"key\":\"shared\"");
            }
        }
    }
}
