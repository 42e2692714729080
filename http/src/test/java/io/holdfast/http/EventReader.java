package io.holdfast.http;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.vertx.core.json.JsonObject;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Reads a stream of server-sent events. */
public final class EventReader implements AutoCloseable {
    private static final String END = "(end)";

    private final HttpResponse<InputStream> response;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private EventReader(HttpResponse<InputStream> response) {
        this.response = response;
        Thread.startVirtualThread(this::read);
    }

    /** Opens a stream and waits for its first comment. */
    public static EventReader open(TestHttp http, String path, String... headers) {
        EventReader reader =
                new EventReader(
                        http.client()
                                .sendAsync(
                                        http.request("GET", path, null, headers),
                                        HttpResponse.BodyHandlers.ofInputStream())
                                .join());
        if (!reader.line().equals(":ok") || !reader.line().isEmpty()) {
            throw new AssertionError("not an event stream");
        }
        return reader;
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // the stream was closed
        }
        lines.add(END);
    }

    public HttpResponse<?> response() {
        return response;
    }

    public String line() {
        try {
            String line = lines.poll(30, SECONDS);
            if (line == null) {
                throw new AssertionError("no line within 30 s");
            }
            return line;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the data of the next event, with its name as {@code :event}. */
    public JsonObject next() {
        String event = line();
        while (event.startsWith(":") || event.isEmpty()) {
            event = line();
        }
        String data = line();
        if (!event.startsWith("event: ") || !data.startsWith("data: ")) {
            throw new AssertionError(event + data);
        }
        return new JsonObject(data.substring("data: ".length()))
                .put(":event", event.substring("event: ".length()));
    }

    /** Waits for the end of the stream, ignoring further events. */
    public void awaitEnd() {
        String line = line();
        while (!line.equals(END)) {
            line = line();
        }
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
