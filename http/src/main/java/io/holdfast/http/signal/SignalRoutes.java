package io.holdfast.http.signal;

import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.http.inspect.JsonFormat;
import io.holdfast.http.lock.HttpSessions;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpContext;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonBody;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The routes that emit signals, listen to them, and list the listeners. */
public final class SignalRoutes {
    /**
     * Maximum length of a line that dflockd clients receive without its line end, and the part of
     * it besides channel and payload.
     */
    private static final int MAX_PUSHED = 65536;

    private static final int PUSHED_EXTRA = 5;
    private static final int MAX_BYTES = 256;

    /** Maximum number of patterns in a response. */
    private static final int MAX_ROWS = 20_000;

    private final HttpSessions sessions;
    private final Duration ping;
    private final HttpSignalEmitter httpSignalEmitter;

    /**
     * @param ping interval of the pings on event streams
     */
    public SignalRoutes(HttpContext httpContext, HttpSessions sessions, Duration ping) {
        this.sessions = sessions;
        this.ping = ping;
        this.httpSignalEmitter = new HttpSignalEmitter(httpContext);
    }

    public void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.POST, "/v1/signals/{channel}", RoutePermission.USE, this::send);
        apiRouter.add(HttpMethod.GET, "/v1/signals", RoutePermission.USE, this::listen);
        apiRouter.add(HttpMethod.GET, "/v1/signals/channels", RoutePermission.READ, this::list);
    }

    private void send(HttpExchange httpExchange) throws HttpProblem {
        Key channel = httpExchange.plainKey();
        if (hasAny(channel.bytes(), "*>")) {
            throw HttpProblem.badRequest("a channel must not contain wildcards");
        }
        JsonBody body = httpExchange.body();
        String text = body.text("payload");
        body.end();
        ByteString payload = ByteString.of(text);
        if (text.isBlank() || hasAny(payload.bytes(), "\r\n")) {
            throw HttpProblem.badRequest("the payload must be one line, and not blank");
        }
        if (payload.length() > MAX_PUSHED - PUSHED_EXTRA - channel.bytes().length) {
            throw HttpProblem.badRequest("the payload is too long");
        }
        httpSignalEmitter.emit(httpExchange, channel, payload);
    }

    static JsonObject delivered(long count) {
        return new JsonObject().put("delivered", count);
    }

    private void listen(HttpExchange httpExchange) throws HttpProblem {
        byte[] bytes = httpExchange.queryBytes("pattern");
        if (bytes == null
                || bytes.length == 0
                || bytes.length > MAX_BYTES
                || hasAny(bytes, " \t\r\n")) {
            throw HttpProblem.badRequest(
                    "pattern must be 1-256 bytes without blanks and line breaks");
        }
        Key pattern = Key.of(httpExchange.namespace(), bytes);
        if (!SignalService.isPattern(pattern)) {
            throw HttpProblem.badRequest("* and > must be whole tokens, and > the last");
        }
        ByteString group = group(httpExchange.queryBytes("group"));
        if (httpExchange.method().equals(HttpMethod.HEAD)) {
            httpExchange.respond(200, "text/event-stream", Buffer.buffer());
            return;
        }
        new ListeningClient(httpExchange, sessions, ping).listen(pattern, group);
    }

    static HttpProblem limitReached() {
        return new HttpProblem(503, "no_room", "the maximum number of listeners is reached");
    }

    /** Called when the server has stopped, on the event loop: fails the requests in flight. */
    public void close() {
        httpSignalEmitter.close();
    }

    private static ByteString group(byte @Nullable [] group) throws HttpProblem {
        if (group == null) {
            return ByteString.EMPTY;
        }
        if (group.length > MAX_BYTES || hasAny(group, "\r\n")) {
            throw HttpProblem.badRequest("group must have at most 256 bytes, and no line break");
        }
        // Decoded one byte per character, to preserve bytes that are not valid UTF-8.
        String text = new String(group, StandardCharsets.ISO_8859_1);
        return ByteString.of(trim(text).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Removes blanks and control characters at both ends. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && text.charAt(from) <= ' ') {
            from++;
        }
        while (from < to && text.charAt(to - 1) <= ' ') {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean hasAny(byte[] bytes, String ascii) {
        for (byte c : bytes) {
            if (ascii.indexOf(c) >= 0) {
                return true;
            }
        }
        return false;
    }

    private void list(HttpExchange httpExchange) throws HttpProblem {
        String name = httpExchange.query("namespace");
        Namespace only = name == null ? null : new Namespace(name);
        SignalService signals = httpExchange.backend().driver().signals();
        httpExchange.offLoop(
                () -> {
                    JsonArray channels = new JsonArray();
                    addChannels(signals, only, channels);
                    return new JsonObject().put("channels", channels);
                });
    }

    private static void addChannels(
            SignalService signalService, @Nullable Namespace only, JsonArray channels) {
        try (ScanCursor<ChannelView> all = signalService.list()) {
            for (List<ChannelView> slice = all.next();
                    !slice.isEmpty() && channels.size() < MAX_ROWS;
                    slice = all.next()) {
                for (ChannelView view : slice) {
                    if (only == null || view.pattern().namespace().equals(only)) {
                        channels.add(show(view));
                    }
                }
            }
        }
    }

    private static JsonObject show(ChannelView view) {
        JsonObject shown = new JsonObject().put("namespace", view.pattern().namespace().name());
        return JsonFormat.putText(shown, "pattern", view.pattern().bytes())
                .put("group", view.group().isEmpty() ? null : JsonFormat.text(view.group().bytes()))
                .put("listeners", view.listeners());
    }
}
