package io.holdfast.http.dashboard;

import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.OutsideProgram;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A headless browser, controlled by the DevTools protocol. */
final class Chromium implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Path folder;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonObject>> pending = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonObject>> tabs = new ConcurrentHashMap<>();

    private Chromium(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
        Path portFile = folder.resolve("profile/DevToolsActivePort");
        await().atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(50))
                .until(
                        () ->
                                !process.isAlive()
                                        || (Files.exists(portFile)
                                                && read(portFile).lines().count() == 2));
        if (!process.isAlive()) {
            throw new IllegalStateException("the browser ended: " + log());
        }
        List<String> lines = read(portFile).lines().toList();
        URI address = URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1));
        this.socket = client.newWebSocketBuilder().buildAsync(address, new Incoming()).join();
    }

    /** Starts the browser. The test must require it with {@code NeedsProgram}. */
    static Chromium start() throws IOException {
        String browser = OutsideProgram.CHROMIUM.find().orElseThrow().toString();
        Path folder = Files.createTempDirectory("holdfast-dashboard");
        List<String> command = new ArrayList<>(List.of(browser));
        command.addAll(
                List.of(
                        "--headless",
                        "--no-sandbox", // root cannot use the sandbox
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--no-proxy-server",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-extensions",
                        // tabs in the background run as fast as the one in front
                        "--disable-background-timer-throttling",
                        "--disable-backgrounding-occluded-windows",
                        "--disable-renderer-backgrounding",
                        "--hide-scrollbars",
                        "--lang=en",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "about:blank"));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        return new Chromium(folder, process);
    }

    private String log() {
        return read(folder.resolve("log"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a tab with storage of its own. */
    Tab open() {
        String context =
                send("", "Target.createBrowserContext", new JsonObject())
                        .getString("browserContextId");
        String target =
                send(
                                "",
                                "Target.createTarget",
                                new JsonObject()
                                        .put("url", "about:blank")
                                        .put("browserContextId", context))
                        .getString("targetId");
        String session =
                send(
                                "",
                                "Target.attachToTarget",
                                new JsonObject().put("targetId", target).put("flatten", true))
                        .getString("sessionId");
        Tab tab = new Tab(this, session, context);
        tabs.put(session, tab::receive);
        tab.begin();
        return tab;
    }

    void close(Tab tab) {
        tabs.remove(tab.session());
        send(
                "",
                "Target.disposeBrowserContext",
                new JsonObject().put("browserContextId", tab.context()));
    }

    /**
     * Sends a command and waits for its result.
     *
     * @throws IllegalStateException if the browser refuses it, as it does while a page is being
     *     replaced
     */
    JsonObject send(String session, String method, JsonObject parameters) {
        int id = ids.incrementAndGet();
        JsonObject message =
                new JsonObject().put("id", id).put("method", method).put("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonObject> pendingResponse = new CompletableFuture<>();
        pending.put(id, pendingResponse);
        synchronized (socket) {
            WebSocket _ = socket.sendText(message.encode(), true).join();
        }
        JsonObject response =
                pendingResponse.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
        if (response.containsKey("error")) {
            throw new IllegalStateException(
                    method + ": " + response.getJsonObject("error").encode());
        }
        return response.getJsonObject("result", new JsonObject());
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> children = process.descendants().toList();
        socket.abort();
        client.shutdownNow();
        process.destroy();
        children.forEach(ProcessHandle::destroyForcibly);
        await().atMost(TIMEOUT)
                .until(
                        () ->
                                !process.isAlive()
                                        && children.stream().noneMatch(ProcessHandle::isAlive));
        List<Path> files;
        try (Stream<Path> found = Files.walk(folder)) {
            files = found.sorted((a, b) -> b.compareTo(a)).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    private final class Incoming implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                JsonObject message = new JsonObject(text.toString());
                text.setLength(0);
                take(message);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        private void take(JsonObject message) {
            Integer id = message.getInteger("id");
            if (id == null) {
                Consumer<JsonObject> tab = tabs.get(message.getString("sessionId", ""));
                if (tab != null) {
                    tab.accept(message);
                }
            } else {
                CompletableFuture<JsonObject> response = pending.remove(id);
                if (response != null) {
                    response.complete(message);
                }
            }
        }
    }
}
