package io.holdfast.server.websocket;

import static io.holdfast.server.websocket.WebSocketClient.BINARY;
import static io.holdfast.server.websocket.WebSocketClient.CLOSE;
import static io.holdfast.server.websocket.WebSocketClient.CONTINUATION;
import static io.holdfast.server.websocket.WebSocketClient.FINAL;
import static io.holdfast.server.websocket.WebSocketClient.PING;
import static io.holdfast.server.websocket.WebSocketClient.PONG;
import static io.holdfast.server.websocket.WebSocketClient.TEXT;
import static io.holdfast.server.websocket.WebSocketClient.frame;
import static io.holdfast.server.websocket.WebSocketClient.header;
import static io.holdfast.server.websocket.WebSocketClient.joined;
import static io.holdfast.server.websocket.WebSocketClient.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.server.IoTransport;
import io.holdfast.server.WebSocketServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

@DisplayName("lockd over a WebSocket")
@Timeout(120)
class WebSocketMessagesIT {
    private static final int MAX_BYTES = 64 * 1024;

    private WebSocketServer server = new WebSocketServer.Options().start();
    private final List<WebSocketClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(WebSocketClient::close);
        server.close();
    }

    private void restart(WebSocketServer.Options options) {
        server.close();
        server = options.start();
    }

    private WebSocketClient open() {
        return keep(WebSocketClient.open(server.webSocket()));
    }

    private WebSocketClient openNarrow() {
        return keep(WebSocketClient.connect(server.webSocket(), 4096).shakeHands());
    }

    private WebSocketClient keep(WebSocketClient client) {
        clients.add(client);
        return client;
    }

    /** Sends many commands and reads their responses meanwhile. */
    private static List<String> askAll(WebSocketClient client, int count, IntFunction<String> nth)
            throws InterruptedException {
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(message(nth.apply(i)));
        }
        Thread sending = Thread.startVirtualThread(() -> client.send(all.toByteArray()));
        List<String> responses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            responses.add(client.text());
        }
        sending.join();
        return responses;
    }

    private static String connectionName(WebSocketClient client) {
        String response = client.request("me"); // 1 CONNECTION NAME
        return response.substring(2, response.indexOf(' ', 2));
    }

    private void assertFree(String name) {
        assertThat(open().request("i " + name)).isEqualTo("0 Lock Not Locked: " + name + "\r\n");
    }

    // ---- one message, one command, one response

    @Test
    void each_message_is_a_command_and_gets_one_message_as_response() {
        WebSocketClient client = open();
        WebSocketClient other = open();
        assertThat(client.request("g a")).isEqualTo("1 Lock Get Success: a\r\n");
        assertThat(client.request("g a")).isEqualTo("1 Lock Get Success: a\n");
        assertThat(other.request("g a")).isEqualTo("0 Lock Get Failure: a\r\n");
        assertThat(other.request("r a")).isEqualTo("0 Lock Release Failure: a\n");
        assertThat(other.request("i a")).isEqualTo("1 Lock Is Locked: a\r\n");
        assertThat(client.request("i a")).isEqualTo("1 Lock Is Locked: a\n");
        assertThat(client.request("sg s")).isEqualTo("1 Shared Lock Get Success: s\r\n");
        assertThat(other.request("sg s")).isEqualTo("2 Shared Lock Get Success: s\r\n");
        assertThat(client.request("r a")).isEqualTo("1 Lock Release Success: a\n");
        assertThat(client.request("iam page")).isEqualTo("1 ok\n");
        assertThat(client.request("me")).matches("1 127\\.0\\.0\\.1:\\d+ page\n");
    }

    @Test
    void a_response_of_several_lines_is_one_message() {
        WebSocketClient client = open();
        String name = connectionName(client);
        client.request("g b");
        client.request("g a");
        client.request("sg s");
        client.request("sg t");
        assertThat(client.request("d")).isEqualTo("b: " + name + "\na: " + name + "\n");
        assertThat(client.request("d a")).isEqualTo("a: " + name + "\n");
        assertThat(client.request("sd")).isEqualTo("s: " + name + "\nt: " + name + "\n");
        assertThat(client.request("dump")).isEqualTo("map[a:" + name + " b:" + name + "]\n");
        assertThat(client.request("dump shared"))
                .isEqualTo("map[s:[" + name + "] t:[" + name + "]]\n");
        client.request("iam two words");
        assertThat(client.request("who")).isEqualTo(name + ": two words\n");
        assertThat(client.request("q").lines()).hasSize(19);
        assertThat(client.request("q")).endsWith("\nshared_orphans: 0\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\n",
                "\r\n",
                "G a",
                "stats",
                "g\ta",
                "d",
                "d none",
                "sd",
                "sd none",
                "who",
                "who none",
                "\0",
                "\u00ff\u00fe"
            })
    void a_command_without_a_response_line_gets_an_empty_message(String command) {
        WebSocketClient client = open();
        WebSocketClient.Frame response = client.send(message(command)).read();
        assertThat(response.first()).isEqualTo(FINAL | TEXT);
        assertThat(response.text()).isEmpty();
        assertThat(client.request("i a")).isEqualTo("0 Lock Not Locked: a\r\n");
    }

    @Test
    void an_empty_or_unknown_message_counts_as_invalid() {
        WebSocketClient client = open();
        client.request("");
        client.request("G a");
        client.request("d");
        assertThat(client.counter("invalid_commands")).isEqualTo(2);
    }

    @Test
    void disabled_commands_are_reported_as_disabled() {
        restart(new WebSocketServer.Options().noDump());
        WebSocketClient client = open();
        for (String command : List.of("d", "sd", "dump", "dump shared", "who")) {
            assertThat(client.request(command)).isEqualTo("0 disabled\n");
        }
    }

    @Test
    void newlines_in_a_message_are_whitespace() {
        WebSocketClient client = open();
        assertThat(client.request("g a\ng b")).isEqualTo("1 Lock Get Success: a g b\r\n");
        assertThat(client.request("g c\n")).isEqualTo("1 Lock Get Success: c\r\n");
        assertThat(client.request("\r\n g  \n d\r\n\r\n")).isEqualTo("1 Lock Get Success: d\r\n");
        assertThat(client.request("g\nx")).isEmpty();
        assertThat(client.counter("locks")).isEqualTo(3);
    }

    @Test
    void binary_messages_are_served_like_text() {
        WebSocketClient client = open().send(frame(FINAL | BINARY, "g a"));
        WebSocketClient.Frame response = client.read();
        assertThat(response.first()).isEqualTo(FINAL | TEXT);
        assertThat(response.text()).isEqualTo("1 Lock Get Success: a\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {TEXT, BINARY})
    void bytes_that_are_not_utf_8_are_kept(int opcode) {
        WebSocketClient client = open();
        client.send(frame(FINAL | opcode, "g \u00ff"), frame(FINAL | opcode, "g \u00fe\u00c3"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: \u00ff\r\n");
        assertThat(client.text()).isEqualTo("1 Lock Get Success: \u00fe\u00c3\r\n");
        assertThat(open().request("i \u00fe\u00c3"))
                .isEqualTo("1 Lock Is Locked: \u00fe\u00c3\r\n");
        assertThat(open().request("i \u00fe")).isEqualTo("0 Lock Not Locked: \u00fe\r\n");
        assertThat(client.request("d \u00ff")).startsWith("\u00ff: 127.0.0.1:");
    }

    /** Q1, over a WebSocket. */
    @Test
    void messages_that_follow_each_other_are_all_answered_in_order() throws InterruptedException {
        WebSocketClient client = open();
        String[] words = {"g", "i", "r", "d", "sg", "si", "sr", "sd", "x"};
        List<String> responses =
                askAll(client, 9_000, i -> words[i % words.length] + " n" + i / words.length);
        for (int i = 0; i < responses.size(); i++) {
            String name = "n" + i / words.length;
            String expected =
                    switch (words[i % words.length]) {
                        case "g" -> "1 Lock Get Success: " + name + "\r\n";
                        case "i" -> "1 Lock Is Locked: " + name + "\n";
                        case "r" -> "1 Lock Release Success: " + name + "\n";
                        case "sg" -> "1 Shared Lock Get Success: " + name + "\r\n";
                        case "si" -> "1 Shared Lock Is Locked: " + name + "\r\n";
                        case "sr" -> "1 Shared Lock Release Success: " + name + "\r\n";
                        default -> "";
                    };
            if (!words[i % words.length].equals("sd") && !responses.get(i).equals(expected)) {
                assertThat(responses.get(i)).as("response %d", i).isEqualTo(expected);
            }
        }
    }

    // ---- fragments

    /** Q17. */
    @ParameterizedTest
    @ValueSource(ints = {TEXT, BINARY})
    void a_message_in_fragments_is_one_command(int opcode) {
        WebSocketClient client = open();
        client.send(frame(opcode, "g fr"), frame(FINAL | CONTINUATION, "ag"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: frag\r\n");
        client.send(
                frame(opcode, ""),
                frame(CONTINUATION, "i"),
                frame(CONTINUATION, " "),
                frame(CONTINUATION, ""),
                frame(CONTINUATION, "frag"),
                frame(FINAL | CONTINUATION, ""));
        assertThat(client.text()).isEqualTo("1 Lock Is Locked: frag\n");
        assertThat(client.request("q"))
                .contains("command_g: 1\n")
                .contains("invalid_commands: 0\n");
    }

    @Test
    void a_character_may_be_split_between_fragments() {
        WebSocketClient client = open();
        client.send(frame(TEXT, "g \u00c3"), frame(FINAL | CONTINUATION, "\u00a4"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: \u00c3\u00a4\r\n");
        // U+00A0 is whitespace, but only as a whole.
        client.send(frame(TEXT, "i a\u00c2"), frame(FINAL | CONTINUATION, "\u00a0"));
        assertThat(client.text()).isEqualTo("0 Lock Not Locked: a\r\n");
    }

    @Test
    void a_ping_between_fragments_is_answered_at_once() {
        WebSocketClient client = open();
        client.send(frame(TEXT, "g fr"), frame(FINAL | PING, "p1"), frame(FINAL | PONG, "x"));
        assertThat(client.read()).satisfies(frame -> isPong(frame, "p1"));
        client.send(frame(CONTINUATION, "a"), frame(FINAL | PING, ""));
        assertThat(client.read()).satisfies(frame -> isPong(frame, ""));
        client.send(frame(FINAL | CONTINUATION, "g"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: frag\r\n");
    }

    private static void isPong(WebSocketClient.Frame frame, String payload) {
        assertThat(frame.first()).isEqualTo(FINAL | PONG);
        assertThat(frame.text()).isEqualTo(payload);
    }

    @Test
    void a_close_between_fragments_does_not_run_the_incomplete_command() {
        WebSocketClient client = open();
        client.send(frame(TEXT, "g frag"), frame(FINAL | CLOSE, ""));
        client.assertClosedWith(1000);
        assertFree("frag");
    }

    @Test
    void an_incomplete_message_is_not_run() {
        open().send(frame(TEXT, "g frag")).halfClose().rest();
        byte[] whole = message("g frag");
        open().send(Arrays.copyOf(whole, whole.length - 1)).halfClose().rest();
        assertFree("frag");
        assertThat(open().counter("command_g")).isZero();
    }

    // ---- control frames

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 125})
    void a_ping_is_answered_with_its_payload(int length) {
        String payload = "\u00ff".repeat(length);
        WebSocketClient client = open().send(frame(FINAL | PING, payload));
        assertThat(client.read()).satisfies(frame -> isPong(frame, payload));
    }

    @Test
    void a_pong_is_ignored() {
        WebSocketClient client = open();
        client.send(frame(FINAL | PONG, ""), frame(FINAL | PONG, "x".repeat(125)));
        assertThat(client.request("i a")).isEqualTo("0 Lock Not Locked: a\r\n");
        assertThat(client.counter("invalid_commands")).isZero();
    }

    @Test
    void pings_are_answered_in_order_with_commands() {
        WebSocketClient client = open();
        client.send(
                message("g a"), frame(FINAL | PING, "1"), message("i a"), frame(FINAL | PING, "2"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: a\r\n");
        assertThat(client.read()).satisfies(frame -> isPong(frame, "1"));
        assertThat(client.text()).isEqualTo("1 Lock Is Locked: a\n");
        assertThat(client.read()).satisfies(frame -> isPong(frame, "2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // no status
                "\u0003\u00e8", // 1000
                "\u0003\u00e9going away", // 1001
                "\u0003\u00e7", // 999
                "\0\0", // 0
                "\u0003\u00ed", // 1005, which must not be sent
                "\u0003\u00ee", // 1006, likewise
                "\u000b\u00b8", // 3000
                "\u00ff\u00ff", // 65535
                "\u0003\u00e8\u00ff\u00fe", // a reason that is not UTF-8
            })
    void a_close_is_answered_with_1000_whatever_it_says(String payload) {
        WebSocketClient client = open();
        assertThat(client.request("g a")).startsWith("1 ");
        client.send(frame(FINAL | CLOSE, payload), message("g b"), frame(FINAL | PING, "late"));
        client.assertClosedWith(1000);
        assertFree("a");
        assertFree("b");
        assertThat(open().counter("orphans")).isEqualTo(1);
    }

    // ---- protocol violations

    @Test
    void an_unmasked_frame_ends_the_connection() {
        WebSocketClient client = open();
        client.send(header(FINAL | TEXT, 0, 3), new byte[] {'g', ' ', 'a'});
        client.assertClosedWith(1002);
        assertFree("a");
    }

    /** Q18. */
    @ParameterizedTest
    @ValueSource(ints = {0xc1, 0xa1, 0x91, 0xf1, 0xc2, 0x83, 0x84, 0x87, 0x8b, 0x8f, 0x03, 0xc9})
    void reserved_bits_and_unknown_opcodes_end_the_connection(int first) {
        WebSocketClient client = open();
        client.send(message("g before"), frame(first, "g a"), message("g a"));
        assertThat(client.text()).isEqualTo("1 Lock Get Success: before\r\n");
        client.assertClosedWith(1002);
        assertFree("a");
        assertThat(open().counter("command_g")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {PING, PONG, CLOSE})
    void a_control_frame_in_fragments_ends_the_connection(int opcode) {
        open().send(frame(opcode, "x")).assertClosedWith(1002);
    }

    @Test
    void a_control_frame_that_is_too_long_ends_the_connection() {
        open().send(frame(FINAL | PING, "x".repeat(126))).assertClosedWith(1002);
    }

    @Test
    void fragments_out_of_order_end_the_connection() {
        open().send(frame(FINAL | CONTINUATION, "g a")).assertClosedWith(1002);
        open().send(frame(CONTINUATION, "g a")).assertClosedWith(1002);
        open().send(frame(TEXT, "g "), message("g a")).assertClosedWith(1002);
        open().send(frame(TEXT, ""), message("g a")).assertClosedWith(1002);
        assertFree("a");
    }

    @ParameterizedTest
    @CsvSource({"126, 3", "127, 3", "127, 300", "127, 65535", "127, -1"})
    void a_length_in_too_many_bytes_ends_the_connection(int form, long length) {
        ByteBuffer head = ByteBuffer.allocate(10).put((byte) (FINAL | TEXT));
        head.put((byte) (0x80 | form));
        if (form == 126) {
            head.putShort((short) length);
        } else {
            head.putLong(length);
        }
        byte[] bytes = Arrays.copyOf(head.array(), head.position());
        open().send(bytes).assertClosedWith(1002);
    }

    // ---- limits

    @Test
    void a_message_may_have_64_kib() {
        WebSocketClient client = open();
        String name = "y".repeat(MAX_BYTES - 2);
        assertThat(client.request("g " + name)).isEqualTo("1 Lock Get Success: " + name + "\r\n");
        client.send(
                frame(TEXT, "i " + name.substring(0, 20_000)),
                frame(CONTINUATION, name.substring(20_000, 60_000)),
                frame(FINAL | CONTINUATION, name.substring(60_000)));
        assertThat(client.text()).isEqualTo("1 Lock Is Locked: " + name + "\n");
        assertThat(client.request("d")).startsWith(name + ": 127.0.0.1:");
        client.send(frame(TEXT, "r " + name), frame(FINAL | CONTINUATION, ""));
        assertThat(client.text()).isEqualTo("1 Lock Release Success: " + name + "\n");
    }

    @Test
    void a_message_longer_than_64_kib_ends_the_connection() {
        String name = "y".repeat(MAX_BYTES - 1);
        open().send(message("g " + name)).assertClosedWith(1009);
        assertThat(open().counter("locks")).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {65_537, 1 << 20, 1L << 31, 1L << 32, Long.MAX_VALUE})
    void an_announced_length_above_64_kib_ends_the_connection(long length) {
        open().send(header(FINAL | TEXT, 0x80, length)).assertClosedWith(1009);
        open().send(header(BINARY, 0x80, length)).assertClosedWith(1009);
    }

    @Test
    void a_fragmented_message_longer_than_64_kib_ends_the_connection() {
        String half = "y".repeat(MAX_BYTES / 2);
        WebSocketClient client = open();
        client.send(frame(TEXT, half), frame(CONTINUATION, half), frame(FINAL, "y"));
        client.assertClosedWith(1009);
        client = open();
        client.send(frame(TEXT, half), frame(CONTINUATION, half), frame(CONTINUATION, "y"));
        client.assertClosedWith(1009);
        client = open();
        client.send(frame(TEXT, half), frame(CONTINUATION, half), frame(FINAL, ""));
        assertThat(client.text()).isEmpty();
    }

    @Test
    void a_message_in_very_many_fragments_is_cheap() throws InterruptedException {
        restart(new WebSocketServer.Options().eventLoops(1));
        var all = new ByteArrayOutputStream();
        all.writeBytes(frame(TEXT, "g "));
        for (int i = 0; i < MAX_BYTES - 2; i++) {
            all.writeBytes(frame(CONTINUATION, "y"));
        }
        all.writeBytes(frame(FINAL | CONTINUATION, ""));
        WebSocketClient client = open();
        Thread sending = Thread.startVirtualThread(() -> client.send(all.toByteArray()));
        assertThat(client.text())
                .isEqualTo("1 Lock Get Success: " + "y".repeat(MAX_BYTES - 2) + "\r\n");
        sending.join();
    }

    // ---- listings

    @Test
    void a_long_listing_is_one_message() throws InterruptedException {
        WebSocketClient client = open();
        String holder = connectionName(client);
        String long1 = "x".repeat(60_000);
        askAll(client, 60, i -> "g " + long1 + i);
        askAll(client, 60, i -> "sg " + long1 + i);
        var lines = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            lines.append(long1).append(i).append(": ").append(holder).append('\n');
        }
        assertThat(client.request("d")).isEqualTo(lines.toString());
        assertThat(client.request("sd")).isEqualTo(lines.toString());
        assertThat(client.request("dump")).hasSize(lines.length() - 60 + 5);
        assertThat(client.request("dump shared")).hasSize(lines.length() + 60 + 5);
        assertThat(client.request("me")).startsWith("1 ");
    }

    /** Lengths at which the encoding of the length changes. */
    @ParameterizedTest
    @ValueSource(ints = {124, 125, 126, 127, 65_534, 65_535, 65_536, 65_537})
    void a_listing_may_have_any_length(int length) {
        WebSocketClient client = open();
        String holder = connectionName(client);
        int nameLength = length - holder.length() - ": \n".length();
        String name = "n".repeat(nameLength);
        assertThat(client.request("g " + name)).startsWith("1 ");
        assertThat(client.request("d")).hasSize(length).isEqualTo(name + ": " + holder + "\n");
        int answerLength = "1 Lock Is Locked: \n".length();
        String other = "o".repeat(Math.min(length, MAX_BYTES - 2) - answerLength);
        client.request("g " + other);
        assertThat(client.request("i " + other)).isEqualTo("1 Lock Is Locked: " + other + "\n");
    }

    @Test
    void a_listing_has_the_right_length_while_others_lock_and_register()
            throws InterruptedException {
        WebSocketClient steady = open();
        askAll(steady, 3_000, i -> "g steady" + i);
        askAll(steady, 3_000, i -> "sg steady" + i);
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> others = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < 3; t++) {
            WebSocketClient client = open();
            int own = t;
            others.add(
                    Thread.ofVirtual()
                            .uncaughtExceptionHandler((_, e) -> failures.add(e))
                            .start(() -> churn(client, own, stop)));
        }
        for (int i = 0; i < 12; i++) {
            for (String command : List.of("d", "sd")) {
                List<String> lines = steady.request(command).lines().toList();
                assertThat(lines).allMatch(line -> line.matches("(steady|own)[\\d.]+: \\S+"));
                assertThat(lines.stream().filter(line -> line.startsWith("steady")).distinct())
                        .hasSize(3_000);
                assertThat(lines.stream().filter(line -> line.startsWith("steady"))).hasSize(3_000);
            }
            assertThat(steady.request("dump")).startsWith("map[").endsWith("]\n");
            assertThat(steady.request("dump shared")).startsWith("map[").endsWith("]]\n");
            assertThat(steady.request("who").lines())
                    .allMatch(line -> line.matches("127\\.0\\.0\\.1:\\d+: (name)+"));
            assertThat(steady.request("me")).startsWith("1 ");
        }
        stop.set(true);
        for (Thread thread : others) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    private static void churn(WebSocketClient client, int own, AtomicBoolean stop) {
        for (int i = 0; !stop.get(); i++) {
            String name = "own" + own + "." + i % 50;
            client.send(
                    message("g " + name),
                    message("sg " + name),
                    message("iam " + "name".repeat(1 + i % 7)),
                    message(i % 3 == 0 ? "iam" : "i " + name));
            assertThat(client.text()).startsWith("1 ");
            assertThat(client.text()).startsWith("1 ");
            assertThat(client.text()).isEqualTo("1 ok\n");
            assertThat(client.text()).startsWith("1 ");
            client.send(message("r " + name), message("sr " + name));
            assertThat(client.text()).startsWith("1 ");
            assertThat(client.text()).startsWith("1 ");
        }
    }

    @Test
    void commands_received_while_a_listing_is_written_are_answered_after_it()
            throws InterruptedException {
        WebSocketClient client = open();
        askAll(client, 40, i -> "g " + "x".repeat(60_000) + i);
        client.send(message("d"));
        client.send(frame(FINAL | PING, "p"), message("me"), frame(FINAL | CLOSE, ""));
        assertThat(client.text()).hasSizeGreaterThan(2_400_000);
        assertThat(client.read()).satisfies(frame -> isPong(frame, "p"));
        assertThat(client.text()).startsWith("1 127.0.0.1:");
        client.assertClosedWith(1000);
        await().until(() -> open().counter("locks") == 0);
    }

    // ---- clients that do not read

    @Test
    void a_websocket_client_that_does_not_read_delays_no_other() throws InterruptedException {
        restart(new WebSocketServer.Options().eventLoops(1));
        WebSocketClient other = open();
        askAll(other, 40, i -> "g " + "x".repeat(60_000) + i);
        WebSocketClient inListing = openNarrow();
        inListing.send(message("g held"), message("d"));
        WebSocketClient talking = openNarrow();
        Thread flood =
                Thread.startVirtualThread(
                        () -> {
                            byte[] piece = joined(message("q"), message("d"), message("me"));
                            boolean open = true;
                            while (open) {
                                open = talking.sendIfOpen(piece);
                            }
                        });
        for (int i = 0; i < 300; i++) {
            assertThat(other.request("g o" + i)).isEqualTo("1 Lock Get Success: o" + i + "\r\n");
        }
        assertThat(other.request("d").length()).isGreaterThan(2_400_000);
        talking.reset();
        inListing.reset();
        flood.join();
        await().until(() -> other.counter("connections") == 1);
        assertThat(other.request("i held")).isEqualTo("0 Lock Not Locked: held\r\n");
    }

    @Test
    void a_client_that_stops_reading_a_listing_is_disconnected_after_the_write_timeout()
            throws InterruptedException {
        restart(new WebSocketServer.Options().writeTimeout(Duration.ofSeconds(1)));
        WebSocketClient other = open();
        askAll(other, 120, i -> "g " + "x".repeat(60_000) + i);
        openNarrow().send(message("g held"), message("d"));
        await().until(() -> other.counter("connections") == 2);
        await().until(() -> other.counter("connections") == 1);
        assertThat(other.request("i held")).isEqualTo("0 Lock Not Locked: held\r\n");
    }

    @Test
    void a_slow_websocket_client_gets_everything() throws InterruptedException {
        WebSocketClient other = open();
        askAll(other, 20, i -> "g " + "x".repeat(60_000) + i);
        WebSocketClient slow = openNarrow();
        slow.send(message("d"), message("me"));
        for (int i = 0; i < 20; i++) {
            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
            assertThat(other.request("i o" + i)).startsWith("0 ");
        }
        assertThat(slow.text().lines()).hasSize(20);
        assertThat(slow.text()).startsWith("1 ");
    }

    // ---- the end of a connection

    @Test
    void the_end_of_a_websocket_connection_releases_its_locks() {
        WebSocketClient other = open();
        List<WebSocketClient> leaving = List.of(open(), open(), open(), open());
        for (int i = 0; i < 4; i++) {
            assertThat(leaving.get(i).request("g a" + i)).startsWith("1 ");
            assertThat(leaving.get(i).request("sg s")).startsWith(i + 1 + " ");
            assertThat(leaving.get(i).request("iam leaving" + i)).startsWith("1 ");
        }
        leaving.get(0).send(frame(FINAL | CLOSE, "\u0003\u00e8")).assertClosedWith(1000);
        leaving.get(1).close();
        leaving.get(2).reset();
        leaving.get(3).halfClose().rest();
        await().until(() -> other.counter("connections") == 1);
        assertThat(other.counter("locks")).isZero();
        assertThat(other.counter("shared_locks")).isZero();
        assertThat(other.counter("orphans")).isEqualTo(4);
        assertThat(other.counter("shared_orphans")).isEqualTo(4);
        assertThat(other.request("who")).isEmpty();
    }

    /** Q6, with input that has no response: the server can notice only the reset. */
    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_reset_within_a_message_releases_the_locks_of_the_connection(IoTransport ioTransport) {
        restart(new WebSocketServer.Options().transport(ioTransport));
        WebSocketClient other = open();
        for (int i = 0; i < 20; i++) {
            WebSocketClient client = open();
            assertThat(client.request("g a" + i)).startsWith("1 ");
            client.send(header(FINAL | TEXT, 0x80, 60_000), new byte[i * 1_000]).reset();
            WebSocketClient lines = keep(WebSocketClient.connect(server.lockd()));
            assertThat(lines.send("g b" + i + "\n").line()).startsWith("1 ");
            lines.send("g unfinished").reset();
        }
        await().until(() -> other.counter("connections") == 1);
        assertThat(other.counter("locks")).isZero();
        assertThat(other.counter("orphans")).isEqualTo(40);
    }

    @Test
    void a_lock_released_before_the_close_is_no_orphan() {
        WebSocketClient client = open();
        client.request("g a");
        client.request("g b");
        client.request("r a");
        client.send(frame(FINAL | CLOSE, "")).assertClosedWith(1000);
        assertThat(open().counter("orphans")).isEqualTo(1);
    }

    @Test
    void the_shutdown_of_the_server_closes_with_1001() throws InterruptedException {
        WebSocketClient idle = open();
        WebSocketClient holder = open();
        assertThat(holder.request("g a")).startsWith("1 ");
        Thread draining = server.drain();
        idle.assertClosedWith(1001);
        assertThat(holder.request("g b")).isEqualTo("0 Lock Get Failure: b\r\n");
        assertThat(holder.request("i a")).isEqualTo("1 Lock Is Locked: a\n");
        assertThat(holder.request("r a")).isEqualTo("1 Lock Release Success: a\n");
        holder.assertClosedWith(1001);
        draining.join();
    }

    // ---- one key space

    @Test
    void locks_over_websockets_exclude_those_of_other_listeners() {
        WebSocketClient page = open();
        WebSocketClient lines = keep(WebSocketClient.connect(server.lockd()));
        WebSocketClient dflockd = keep(WebSocketClient.connect(server.dflockd()));
        assertThat(page.request("g a")).isEqualTo("1 Lock Get Success: a\r\n");
        assertThat(lines.send("g a\n").line()).isEqualTo("0 Lock Get Failure: a\r");
        assertThat(dflockd.send("l\na\n0 60\n").line()).isEqualTo("timeout");
        assertThat(lines.send("g b\n").line()).isEqualTo("1 Lock Get Success: b\r");
        assertThat(dflockd.send("l\nc\n0 60\n").line()).startsWith("ok ");
        assertThat(page.request("g b")).isEqualTo("0 Lock Get Failure: b\r\n");
        assertThat(page.request("g c")).isEqualTo("0 Lock Get Failure: c\r\n");
        assertThat(page.request("d").lines().map(line -> line.substring(0, line.indexOf(':'))))
                .containsExactly("a", "b", "c");
        assertThat(page.counter("connections")).isEqualTo(2);
        // A waiter of dflockd gets the lock that a page releases.
        dflockd.send("l\na\n30 60\n");
        page.send(frame(FINAL | CLOSE, "")).assertClosedWith(1000);
        assertThat(dflockd.line()).startsWith("ok ");
    }

    // ---- another client

    @Test
    void the_websocket_client_of_the_jdk_is_served() throws Exception {
        BlockingQueue<String> responses = new LinkedBlockingQueue<>();
        CompletableFuture<Integer> closed = new CompletableFuture<>();
        WebSocket.Listener listener =
                new WebSocket.Listener() {
                    private final StringBuilder text = new StringBuilder();

                    @Override
                    public CompletionStage<?> onText(
                            WebSocket socket, CharSequence data, boolean last) {
                        text.append(data);
                        if (last) {
                            responses.add(text.toString());
                            text.setLength(0);
                        }
                        socket.request(1);
                        return null;
                    }

                    @Override
                    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
                        responses.add("pong " + message.remaining());
                        socket.request(1);
                        return null;
                    }

                    @Override
                    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
                        closed.complete(status);
                        return null;
                    }
                };
        URI uri = URI.create("ws://127.0.0.1:" + server.webSocket().getPort() + "/");
        try (HttpClient http = HttpClient.newHttpClient()) {
            WebSocket socket =
                    http.newWebSocketBuilder()
                            .subprotocols("lockd", "other")
                            .buildAsync(uri, listener)
                            .get(60, TimeUnit.SECONDS);
            socket.sendText("g ", false).get();
            socket.sendText("\u00e4\u20ac", true).get();
            assertThat(responses.poll(60, TimeUnit.SECONDS))
                    .isEqualTo("1 Lock Get Success: \u00e4\u20ac\r\n");
            socket.sendPing(ByteBuffer.allocate(7)).get();
            assertThat(responses.poll(60, TimeUnit.SECONDS)).isEqualTo("pong 7");
            socket.sendText("x", true).get();
            assertThat(responses.poll(60, TimeUnit.SECONDS)).isEmpty();
            socket.sendClose(4321, "bye").get();
            assertThat(closed.get(60, TimeUnit.SECONDS)).isEqualTo(1000);
        }
        await().until(() -> open().counter("orphans") == 1);
    }

    // ---- incomplete messages

    @Test
    void a_message_not_completed_in_time_closes_its_connection_and_idle_ones_stay() {
        restart(new WebSocketServer.Options().readTimeout(Duration.ofMillis(300)));
        WebSocketClient idle = open();
        assertThat(idle.request("g idle")).isEqualTo("1 Lock Get Success: idle\r\n");
        byte[] whole = message("g half");
        List<WebSocketClient> unfinished = new ArrayList<>();
        for (byte[] part :
                new byte[][] {
                    Arrays.copyOf(whole, 1),
                    Arrays.copyOf(whole, 2), // a header, which the decoder consumes
                    Arrays.copyOf(whole, 8),
                    frame(TEXT, "g half"),
                    joined(frame(TEXT, "g half"), frame(FINAL | PONG, "")),
                }) {
            WebSocketClient client = open();
            unfinished.add(client.send(part));
        }
        unfinished.forEach(client -> client.assertClosedWith(1001));
        assertThat(idle.request("i half")).isEqualTo("0 Lock Not Locked: half\r\n");
        assertThat(idle.request("r idle")).isEqualTo("1 Lock Release Success: idle\n");
    }
}
