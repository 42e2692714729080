package io.holdfast.server.websocket;

import static io.holdfast.server.websocket.WebSocketClient.ACCEPTED;
import static io.holdfast.server.websocket.WebSocketClient.KEY;
import static io.holdfast.server.websocket.WebSocketClient.REQUEST;
import static io.holdfast.server.websocket.WebSocketClient.handshakeRequest;
import static io.holdfast.server.websocket.WebSocketClient.joined;
import static io.holdfast.server.websocket.WebSocketClient.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.server.WebSocketServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

@DisplayName("The request that opens a WebSocket")
@Timeout(120)
class WebSocketHandshakeIT {
    private WebSocketServer server = new WebSocketServer.Options().start();

    @AfterEach
    void close() {
        server.close();
    }

    private void restart(WebSocketServer.Options options) {
        server.close();
        server = options.start();
    }

    private WebSocketClient connect() {
        return WebSocketClient.connect(server.webSocket());
    }

    private WebSocketClient open() {
        return WebSocketClient.open(server.webSocket());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String accepted(String headers) {
        return ACCEPTED.substring(0, ACCEPTED.length() - 2) + headers + "\r\n";
    }

    /** Checks the complete response to a refused request; the server closes after it. */
    private void assertRefused(String request, String status, String reason) {
        try (WebSocketClient client = connect()) {
            String response = client.send(request).rest();
            assertThat(response).startsWith("HTTP/1.1 " + status + "\r\n");
            assertThat(response).endsWith("\r\n\r\n" + reason);
            assertThat(response).contains("\r\nContent-Length: " + reason.length() + "\r\n");
        }
    }

    // ---- what is accepted

    @Test
    void an_upgrade_request_gets_exactly_these_bytes() {
        try (WebSocketClient client = connect().send(REQUEST)) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
            assertThat(client.request("g x")).isEqualTo("1 Lock Get Success: x\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-deflate",
                "permessage-deflate; client_max_window_bits, x-webkit-deflate-frame",
            })
    void no_extension_is_negotiated(String offer) {
        try (WebSocketClient client =
                connect().send(handshakeRequest("Sec-WebSocket-Extensions: " + offer + "\r\n"))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lockd", "any.thing-at_all", "v1"})
    void a_single_subprotocol_is_echoed(String protocol) {
        String offer = "Sec-WebSocket-Protocol: " + protocol + "\r\n";
        try (WebSocketClient client = connect().send(handshakeRequest(offer))) {
            assertThat(client.head()).isEqualTo(accepted(offer));
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
        }
    }

    /** Q16. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sec-WebSocket-Protocol: a, b\r\n",
                "Sec-WebSocket-Protocol: a,b,c,d\r\n",
                "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n",
            })
    void several_offered_subprotocols_are_accepted(String offer) {
        try (WebSocketClient client = connect().send(handshakeRequest(offer))) {
            assertThat(client.head()).isIn(ACCEPTED, accepted("Sec-WebSocket-Protocol: a\r\n"));
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
        }
    }

    @Test
    void an_empty_subprotocol_is_accepted() {
        try (WebSocketClient client =
                connect().send(handshakeRequest("Sec-WebSocket-Protocol: \r\n"))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @Test
    void a_request_cannot_inject_a_header_into_the_response() {
        try (WebSocketClient client =
                connect().send(handshakeRequest("Sec-WebSocket-Protocol: a\rX-Evil: 1\r\n"))) {
            assertThat(client.send(message("i x")).halfClose().rest()).doesNotContain("\rX-Evil");
        }
    }

    @Test
    void upgrade_headers_may_have_any_case() {
        String shouting =
                "GET / HTTP/1.1\r\n"
                        + "HOST: localhost\r\n"
                        + "uPgRaDe: WebSocket\r\n"
                        + "connection: UPGRADE\r\n"
                        + "sec-websocket-key: "
                        + KEY
                        + "\r\nSEC-WEBSOCKET-VERSION: 13\r\n"
                        + "\r\n";
        try (WebSocketClient client = connect().send(shouting)) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: keep-alive, Upgrade",
                "Connection: upgrade,keep-alive",
                "Connection: keep-alive\r\nConnection: Upgrade",
                "Connection:Upgrade",
                "Connection:\t Upgrade \t",
            })
    void the_connection_header_may_be_a_list(String header) {
        try (WebSocketClient client =
                connect().send(REQUEST.replace("Connection: Upgrade", header))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/lockd", "/a/b/../c?x=1&y=%zz#f", "*", "http://other.example/x", "/?"})
    void an_upgrade_request_may_have_any_path(String path) {
        try (WebSocketClient client =
                connect().send(REQUEST.replace("GET / ", "GET " + path + " "))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @Test
    void an_upgrade_request_may_have_many_cookies() {
        String cookies = "Cookie: " + "a=b; ".repeat(4_000) + "\r\n";
        try (WebSocketClient client = connect().send(handshakeRequest(cookies))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    // ---- what is refused

    @ParameterizedTest
    @ValueSource(strings = {"Upgrade: websocket\r\n", "Connection: Upgrade\r\n"})
    void a_request_without_upgrade_headers_is_refused(String missing) {
        assertRefused(REQUEST.replace(missing, ""), "400 Bad Request", "not websocket protocol");
    }

    @ParameterizedTest
    @CsvSource({
        "Upgrade: websocket, Upgrade: h2c",
        "Upgrade: websocket, Upgrade: websockets",
        "Connection: Upgrade, Connection: close",
        "Connection: Upgrade, Connection: notupgrade",
    })
    void an_upgrade_to_another_protocol_is_refused(String good, String bad) {
        assertRefused(REQUEST.replace(good, bad), "400 Bad Request", "not websocket protocol");
    }

    @Test
    void a_plain_http_request_is_refused() {
        assertRefused(
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "400 Bad Request",
                "not websocket protocol");
        assertRefused("GET / HTTP/1.0\r\n\r\n", "400 Bad Request", "not websocket protocol");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Sec-WebSocket-Version: 8\r\n", "Sec-WebSocket-Version: \r\n"})
    void another_websocket_version_is_refused(String version) {
        String request = REQUEST.replace("Sec-WebSocket-Version: 13\r\n", version);
        assertRefused(request, "400 Bad Request", "missing or bad WebSocket Version");
        try (WebSocketClient client = connect()) {
            assertThat(client.send(request).rest()).contains("\r\nSec-WebSocket-Version: 13\r\n");
        }
    }

    @Test
    void an_upgrade_request_without_a_key_is_refused() {
        assertRefused(
                REQUEST.replace("Sec-WebSocket-Key: " + KEY + "\r\n", ""),
                "400 Bad Request",
                "mismatch challenge/response");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "HEAD", "PUT", "OPTIONS", "get", "BREW"})
    void an_upgrade_request_with_another_method_is_refused(String method) {
        assertRefused(
                REQUEST.replace("GET ", method + " "), "405 Method Not Allowed", "bad method");
    }

    @Test
    void an_upgrade_request_with_another_method_and_a_body_is_refused() {
        assertRefused(
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\ng x\n",
                "405 Method Not Allowed",
                "bad method");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "http://localhost.evil.example",
                "http://127.0.0.1",
                "null",
                "about:blank",
                "http://localhost\r\nOrigin: http://evil.example",
            })
    void an_upgrade_from_another_site_is_refused_and_nothing_behind_it_is_run(String origin) {
        try (WebSocketClient client = connect()) {
            byte[] request = bytes(handshakeRequest("Origin: " + origin + "\r\n"));
            String response = client.send(request, message("g x"), bytes("g x\n")).rest();
            assertThat(response).startsWith("HTTP/1.1 403 Forbidden\r\n");
            assertThat(response).endsWith("\r\n\r\norigin not allowed");
        }
        try (WebSocketClient client = open()) {
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
            assertThat(client.counter("command_g")).isZero();
            assertThat(client.counter("connections")).isEqualTo(1);
        }
    }

    @Test
    void an_upgrade_from_a_page_whose_host_name_resolves_here_is_refused() {
        assertRefused(
                handshakeRequest("Origin: http://evil.example\r\n")
                        .replace("Host: localhost", "Host: evil.example:9998"),
                "403 Forbidden",
                "origin not allowed");
    }

    /** Q15: without an Origin is every other test. */
    @ParameterizedTest
    @ValueSource(strings = {"http://localhost", "https://localhost:8443", "http://LOCALHOST:3000/"})
    void an_upgrade_from_a_page_of_the_same_host_is_accepted(String origin) {
        try (WebSocketClient client =
                connect().send(handshakeRequest("Origin: " + origin + "\r\n"))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
    }

    @Test
    void an_upgrade_from_a_listed_page_is_accepted() {
        restart(new WebSocketServer.Options().allowedOrigins("app.example"));
        try (WebSocketClient client =
                connect().send(handshakeRequest("Origin: https://app.example\r\n"))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
        }
        assertRefused(
                handshakeRequest("Origin: https://evil.example\r\n"),
                "403 Forbidden",
                "origin not allowed");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void an_overlong_upgrade_request_is_refused(int where) {
        String filler = "x".repeat(40_000);
        String request =
                where == 0
                        ? REQUEST.replace("GET /", "GET /" + filler)
                        : handshakeRequest("X-Long: " + filler + "\r\n");
        assertRefused(request, "400 Bad Request", "bad request");
        try (WebSocketClient client = open()) {
            assertThat(client.counter("connections")).isEqualTo(1);
        }
    }

    @Test
    void an_endless_upgrade_request_is_disconnected() {
        try (WebSocketClient client = connect()) {
            client.send("GET / HTTP/1.1\r\n");
            for (int i = 0; i < 200; i++) {
                client.sendIfOpen(bytes("X-" + i + ": " + "y".repeat(4000) + "\r\n"));
            }
            client.rest(); // whatever the response, the connection is closed
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "g x\n",
                "g x\ng x\n\n",
                "\0\0\0\0\n\n",
                "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "GET / HTTP/9.9.9\r\n\r\n",
                "\u0081\u0083\0\0\0\0g x",
                "GET / HTTP/1.1\r\nUpgrade: websocket",
                "",
            })
    void input_that_is_not_http_acquires_no_lock(String garbage) {
        try (WebSocketClient client = connect()) {
            String response = client.send(garbage).halfClose().rest();
            assertThat(response).doesNotContain("Lock").doesNotContain(" 101 ");
        }
        try (WebSocketClient client = open()) {
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
            assertThat(client.counter("command_g")).isZero();
            assertThat(client.counter("invalid_commands")).isZero();
        }
    }

    // ---- how it arrives

    @Test
    void messages_may_follow_the_upgrade_request_at_once() {
        try (WebSocketClient client = connect()) {
            client.send(bytes(REQUEST), message("g x"), message("me"), message("r x"));
            assertThat(client.head()).isEqualTo(ACCEPTED);
            assertThat(client.text()).isEqualTo("1 Lock Get Success: x\r\n");
            assertThat(client.text()).startsWith("1 127.0.0.1:");
            assertThat(client.text()).isEqualTo("1 Lock Release Success: x\n");
        }
    }

    @Test
    void very_many_messages_may_follow_the_upgrade_request_at_once() {
        byte[][] all = new byte[2_001][];
        all[0] = bytes(REQUEST);
        for (int i = 1; i < all.length; i++) {
            all[i] = message("i lock" + i);
        }
        try (WebSocketClient client = connect().send(joined(all))) {
            assertThat(client.head()).isEqualTo(ACCEPTED);
            for (int i = 1; i < all.length; i++) {
                assertThat(client.text()).isEqualTo("0 Lock Not Locked: lock" + i + "\r\n");
            }
        }
    }

    @Test
    void upgrade_request_and_messages_may_arrive_byte_by_byte() {
        try (WebSocketClient client = connect()) {
            for (byte b : joined(bytes(REQUEST), message("g x"))) {
                client.send(new byte[] {b});
            }
            assertThat(client.head()).isEqualTo(ACCEPTED);
            assertThat(client.text()).isEqualTo("1 Lock Get Success: x\r\n");
        }
    }

    @Test
    void an_incomplete_upgrade_request_ends_when_the_client_closes() {
        for (String part : List.of("", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n")) {
            try (WebSocketClient client = connect().send(part).halfClose()) {
                assertThat(client.rest()).matches("(?s)|HTTP/1.1 400 .*");
            }
        }
    }

    @Test
    void a_message_is_served_when_the_client_closes_right_behind_it() {
        try (WebSocketClient client = connect()) {
            client.send(bytes(REQUEST), message("g x")).halfClose();
            assertThat(client.head()).isEqualTo(ACCEPTED);
            assertThat(client.text()).isEqualTo("1 Lock Get Success: x\r\n");
            client.rest();
        }
        try (WebSocketClient client = open()) {
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
            assertThat(client.counter("orphans")).isEqualTo(1);
        }
    }

    @Test
    void an_upgrade_request_must_arrive_within_the_read_timeout() {
        restart(new WebSocketServer.Options().readTimeout(Duration.ofMillis(500)));
        try (WebSocketClient served = open();
                WebSocketClient silent = connect();
                WebSocketClient slow = connect().send("GET / HTTP/1.1\r\nHost: localh")) {
            silent.assertEnd();
            slow.assertEnd();
            try (WebSocketClient another = connect()) {
                another.assertEnd();
            }
            // An open WebSocket may be idle without limit.
            assertThat(served.request("g x")).isEqualTo("1 Lock Get Success: x\r\n");
        }
    }

    @Test
    void trickling_does_not_extend_the_timeout_of_an_upgrade_request() throws InterruptedException {
        restart(new WebSocketServer.Options().readTimeout(Duration.ofMillis(500)));
        try (WebSocketClient client = connect().send("GET / HTTP/1.1\r\nX: ")) {
            Thread trickle =
                    Thread.startVirtualThread(
                            () -> {
                                while (client.sendIfOpen(bytes("y"))) {
                                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                                }
                            });
            client.assertEnd();
            trickle.join();
        }
    }

    @Test
    void only_an_accepted_upgrade_counts_as_a_connection() {
        try (WebSocketClient first = open();
                WebSocketClient waiting = connect().send("GET / HTTP/1.1\r\n");
                WebSocketClient refused = connect().send("GET / HTTP/1.1\r\n\r\n")) {
            assertThat(refused.rest()).startsWith("HTTP/1.1 400 ");
            assertThat(first.counter("connections")).isEqualTo(1);
            waiting.send(REQUEST.substring("GET / HTTP/1.1\r\n".length()));
            assertThat(waiting.head()).isEqualTo(ACCEPTED);
            assertThat(first.counter("connections")).isEqualTo(2);
            waiting.reset();
            await().until(() -> first.counter("connections") == 1);
        }
    }

    @Test
    void a_refused_upgrade_frees_its_connection_slot() {
        restart(new WebSocketServer.Options().maxConnections(2));
        for (int i = 0; i < 20; i++) {
            // Two connection slots are free soon, but not at once.
            await().untilAsserted(
                            () ->
                                    assertRefused(
                                            "GET / HTTP/1.1\r\n\r\n",
                                            "400 Bad Request",
                                            "not websocket protocol"));
        }
        await().untilAsserted(
                        () -> {
                            try (WebSocketClient one = open();
                                    WebSocketClient two = open()) {
                                assertThat(one.counter("connections")).isEqualTo(2);
                                assertThat(two.request("r x")).startsWith("0 ");
                            }
                        });
    }

    @Test
    void draining_does_not_wait_for_an_upgrade_request() throws InterruptedException {
        try (WebSocketClient client = connect().send("GET / HTTP/1.1\r\n");
                WebSocketClient other = open()) {
            assertThat(other.request("me")).startsWith("1 ");
            Thread draining = server.drain();
            client.assertEnd();
            other.assertClosedWith(1001);
            draining.join();
        }
    }

    // ---- TLS

    @Test
    void the_upgrade_is_the_same_over_tls(@TempDir Path folder) throws IOException {
        server.close();
        server = new WebSocketServer.Options().tls().start(folder);
        try (WebSocketClient client = secure()) {
            client.send(bytes(REQUEST), message("g x"));
            assertThat(client.head()).isEqualTo(ACCEPTED);
            assertThat(client.text()).isEqualTo("1 Lock Get Success: x\r\n");
            try (WebSocketClient second = secure().shakeHands()) {
                assertThat(second.request("g x")).isEqualTo("0 Lock Get Failure: x\r\n");
            }
            client.send(WebSocketClient.frame(0x88, "")).assertClosedWith(1000);
        }
        try (WebSocketClient client = secure().shakeHands()) {
            assertThat(client.request("i x")).isEqualTo("0 Lock Not Locked: x\r\n");
        }
        try (WebSocketClient client =
                secure().send(handshakeRequest("Origin: https://evil.example\r\n"))) {
            assertThat(client.rest()).startsWith("HTTP/1.1 403 Forbidden\r\n");
        }
        try (WebSocketClient plain = connect()) {
            assertThat(plain.send(REQUEST).rest()).doesNotContain("HTTP");
        }
    }

    private WebSocketClient secure() throws IOException {
        Socket socket =
                server.trusting()
                        .getSocketFactory()
                        .createSocket("127.0.0.1", server.webSocket().getPort());
        return new WebSocketClient(socket);
    }
}
