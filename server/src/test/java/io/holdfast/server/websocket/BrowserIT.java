package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.holdfast.server.WebSocketServer;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@DisplayName("A page in a browser")
@Timeout(120)
@NeedsProgram(OutsideProgram.CHROMIUM)
class BrowserIT {
    /** Makes the browser resolve names that do not exist to this machine. */
    private static final String NAMES = "MAP *.example 127.0.0.1";

    /**
     * Tries to acquire a lock through each address in turn, and sends the results to its server:
     * one line for each address. A page in a frame without an origin passes them to its parent
     * page.
     */
    private static final String PAGE =
            """
            <!DOCTYPE html>
            <title>lockd</title>
            <body>
            <script>
            function attempt(url) {
                return new Promise(done => {
                    const seen = [];
                    const socket = new WebSocket(url);
                    socket.onopen = () => socket.send('g browser');
                    socket.onmessage = message => {
                        seen.push(message.data.trim());
                        const next = ['i browser', 'x', 'r browser'][seen.length - 1];
                        if (next) {
                            socket.send(next);
                        } else {
                            socket.close();
                        }
                    };
                    socket.onclose = closed => done(seen.concat(closed.code).join('; '));
                });
            }
            async function attemptAll() {
                const results = [];
                for (const url of URLS) {
                    results.push(url + ' ' + await attempt(url));
                }
                return self.origin + '\\n' + results.join('\\n');
            }
            async function start() {
                if (SANDBOXED && window === window.top) {
                    onmessage = message => fetch('/result', {method: 'POST', body: message.data});
                    const frame = document.createElement('iframe');
                    frame.sandbox = 'allow-scripts';
                    frame.src = location.href;
                    document.body.append(frame);
                } else if (SANDBOXED) {
                    parent.postMessage(await attemptAll(), '*');
                } else {
                    fetch('/result', {method: 'POST', body: await attemptAll()});
                }
            }
            start();
            </script>
            """;

    private static final String ACQUIRED =
            " 1 Lock Get Success: browser; 1 Lock Is Locked: browser; ; 1 Lock Release Success:"
                    + " browser; 1000";

    /** What a page learns when the server refuses: only that the connection is closed. */
    private static final String REFUSED = " 1006";

    private final CompletableFuture<String> result = new CompletableFuture<>();
    private String page = "";
    private HttpServer pages;
    private WebSocketServer server = new WebSocketServer.Options().start();

    private Path profile;

    @BeforeEach
    void servePages() throws IOException {
        profile = Files.createTempDirectory("holdfast-browser");
        pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.createContext("/", this::servePage);
        pages.createContext("/result", this::takeResult);
        pages.start();
    }

    @AfterEach
    void close() throws IOException {
        pages.stop(0);
        server.close();
        deleteProfile();
    }

    /** Ignores files that the browser is still writing. */
    private void deleteProfile() throws IOException {
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(file -> file.delete());
        } catch (UncheckedIOException e) {
            assertThat(e).hasCauseInstanceOf(NoSuchFileException.class);
        }
    }

    private void servePage(HttpExchange exchange) throws IOException {
        boolean known = exchange.getRequestURI().getPath().equals("/");
        byte[] body = (known ? page : "").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        exchange.sendResponseHeaders(known ? 200 : 404, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void takeResult(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
        result.complete(new String(body, StandardCharsets.UTF_8));
    }

    private String url(String host) {
        return "ws://" + host + ":" + server.webSocket().getPort() + "/";
    }

    /** Loads the page from this host, and returns the lines that it sent back. */
    private List<String> load(String host, boolean sandboxed, String... urls) throws Exception {
        page =
                PAGE.replace("URLS", "['" + String.join("','", urls) + "']")
                        .replace("SANDBOXED", String.valueOf(sandboxed));
        List<String> command = new ArrayList<>();
        command.add(OutsideProgram.CHROMIUM.find().orElseThrow().toString());
        command.addAll(
                List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--no-proxy-server",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-extensions",
                        "--remote-debugging-port=0", // keeps the browser running
                        "--user-data-dir=" + profile.resolve("profile"),
                        "--host-resolver-rules=" + NAMES,
                        "http://" + host + ":" + pages.getAddress().getPort() + "/"));
        Path log = profile.resolve("log");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            CompletableFuture<Process> ended = process.onExit();
            CompletableFuture.anyOf(result, ended).get(90, TimeUnit.SECONDS);
            assertThat(result).as(() -> "the browser ended: " + read(log)).isCompleted();
            return result.get().lines().toList();
        } finally {
            List<ProcessHandle> children = process.descendants().toList();
            process.destroy();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static String read(Path log) {
        try {
            return Files.readString(log, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void assertNothingWasRun() {
        try (WebSocketClient client = WebSocketClient.open(server.webSocket())) {
            assertThat(client.request("i browser")).isEqualTo("0 Lock Not Locked: browser\r\n");
            assertThat(client.counter("command_g")).isZero();
            assertThat(client.counter("command_r")).isZero();
            assertThat(client.counter("orphans")).isZero();
            assertThat(client.counter("connections")).isEqualTo(1);
        }
    }

    @Test
    void a_page_from_the_same_host_acquires_locks() throws Exception {
        assertThat(load("localhost", false, url("localhost"), url("localhost") + "any?path"))
                .containsExactly(
                        "http://localhost:" + pages.getAddress().getPort(),
                        url("localhost") + ACQUIRED,
                        url("localhost") + "any?path" + ACQUIRED);
        try (WebSocketClient client = WebSocketClient.open(server.webSocket())) {
            assertThat(client.request("i browser")).isEqualTo("0 Lock Not Locked: browser\r\n");
            assertThat(client.counter("command_g")).isEqualTo(2);
        }
    }

    @Test
    void a_page_from_another_site_acquires_no_lock() throws Exception {
        assertThat(
                        load(
                                "evil.example",
                                false,
                                url("127.0.0.1"),
                                url("localhost"),
                                url("evil.example"),
                                url("other.example"),
                                url("2130706433"),
                                url("localhost.")))
                .containsExactly(
                        "http://evil.example:" + pages.getAddress().getPort(),
                        url("127.0.0.1") + REFUSED,
                        url("localhost") + REFUSED,
                        url("evil.example") + REFUSED,
                        url("other.example") + REFUSED,
                        url("2130706433") + REFUSED,
                        url("localhost.") + REFUSED);
        assertNothingWasRun();
    }

    @Test
    void a_page_without_an_origin_acquires_no_lock() throws Exception {
        assertThat(load("localhost", true, url("127.0.0.1"), url("localhost")))
                .containsExactly("null", url("127.0.0.1") + REFUSED, url("localhost") + REFUSED);
        assertNothingWasRun();
    }

    /** Also proves that the server refused the others, not the browser. */
    @Test
    void a_page_from_a_listed_site_acquires_locks() throws Exception {
        server.close();
        server = new WebSocketServer.Options().allowedOrigins("app.example").start();
        assertThat(
                        load(
                                "app.example",
                                false,
                                url("127.0.0.1"),
                                url("localhost"),
                                url("app.example"),
                                url("other.example"),
                                url("2130706433")))
                .containsExactly(
                        "http://app.example:" + pages.getAddress().getPort(),
                        url("127.0.0.1") + ACQUIRED,
                        url("localhost") + ACQUIRED,
                        url("app.example") + ACQUIRED,
                        url("other.example") + REFUSED,
                        url("2130706433") + ACQUIRED);
    }
}
