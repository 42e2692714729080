package io.holdfast.http.signal;

import io.holdfast.driver.Slices;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.ListenOutcome;
import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.http.inspect.Show;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Fields;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Signals out and in, and who listens. */
public final class SignalRoutes {
    /** What a pushed line may have before its end, and what it has beside channel and payload. */
    private static final int MOST_PUSHED = 65536;

    private static final int PUSHED_EXTRA = 5;
    private static final int MOST_BYTES = 256;

    /** How many patterns one answer has at most. */
    private static final int MOST_ROWS = 20_000;

    /** A place among the sessions for a stream, for as long as it lasts. */
    @FunctionalInterface
    public interface Sessions {
        /**
         * Opens a session for a stream.
         *
         * @param end ends the stream
         * @return closes the session
         * @throws Problem if there are too many
         */
        Runnable open(Exchange exchange, Runnable end) throws Problem;
    }

    private final Sessions sessions;
    private final Duration ping;

    /**
     * @param ping how often a stream that says nothing shows that it lives
     */
    public SignalRoutes(Sessions sessions, Duration ping) {
        this.sessions = sessions;
        this.ping = ping;
    }

    public void addTo(Api api) {
        api.add(HttpMethod.POST, "/v1/signals/{channel}", Need.USE, this::send);
        api.add(HttpMethod.GET, "/v1/signals", Need.USE, this::listen);
        api.add(HttpMethod.GET, "/v1/signals/channels", Need.READ, this::list);
    }

    private void send(Exchange exchange) throws Problem {
        Key channel = exchange.plainKey();
        if (hasAny(channel.bytes(), "*>")) {
            throw Problem.badRequest("a channel has no wildcards");
        }
        Fields body = exchange.body();
        String text = body.text("payload");
        body.end();
        ByteString payload = ByteString.of(text);
        if (text.isBlank() || hasAny(payload.bytes(), "\r\n")) {
            throw Problem.badRequest("a payload is one line, and not blank");
        }
        if (payload.length() > MOST_PUSHED - PUSHED_EXTRA - channel.bytes().length) {
            throw Problem.badRequest("the payload is too long");
        }
        List<Listener> receivers = hub(exchange, exchange.namespace()).choose(channel).listeners();
        HttpSignal signal = new HttpSignal(channel, payload);
        receivers.forEach(receiver -> receiver.deliver(signal));
        exchange.ok(new JsonObject().put("delivered", receivers.size()));
    }

    private void listen(Exchange exchange) throws Problem {
        byte[] asked = exchange.queryBytes("pattern");
        if (asked == null
                || asked.length == 0
                || asked.length > MOST_BYTES
                || hasAny(asked, " \t\r\n")) {
            throw Problem.badRequest("pattern must be 1-256 bytes without blanks and line breaks");
        }
        Key pattern = Key.of(exchange.namespace(), asked);
        if (!SignalHub.isPattern(pattern)) {
            throw Problem.badRequest("* and > must be whole tokens, and > the last");
        }
        ByteString group = group(exchange.queryBytes("group"));
        if (exchange.method().equals(HttpMethod.HEAD)) {
            exchange.answer(200, "text/event-stream", Buffer.buffer());
            return;
        }
        listen(exchange, pattern, group);
    }

    private void listen(Exchange exchange, Key pattern, ByteString group) throws Problem {
        Stream opened = new Stream();
        Runnable close = sessions.open(exchange, opened::close);
        SignalStream listener = new SignalStream(exchange.web());
        Subscriber subscriber = hub(exchange, exchange.namespace()).open(listener);
        ListenOutcome outcome = subscriber.listen(pattern, group);
        if (outcome != ListenOutcome.LISTENING) {
            subscriber.close();
            close.run();
            throw new Problem(503, "no_room", "there is no room for another who listens");
        }
        EventStream stream;
        try {
            stream = exchange.stream();
        } catch (Problem problem) {
            subscriber.close();
            close.run();
            throw problem;
        }
        opened.stream = stream;
        stream.onEnd(
                () -> {
                    listener.close();
                    subscriber.close();
                    close.run();
                });
        stream.pingEvery(ping);
        listener.writeTo(stream);
    }

    /** The stream of a session, once there is one. */
    private static final class Stream {
        private @Nullable EventStream stream;

        void close() {
            if (stream != null) {
                stream.close();
            }
        }
    }

    private static ByteString group(byte @Nullable [] asked) throws Problem {
        if (asked == null) {
            return ByteString.EMPTY;
        }
        if (asked.length > MOST_BYTES || hasAny(asked, "\r\n")) {
            throw Problem.badRequest("group may have 256 bytes at most, and no line break");
        }
        // Byte by byte, so that what is no text stays as it is.
        String text = new String(asked, StandardCharsets.ISO_8859_1);
        return ByteString.of(trim(text).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Without ASCII blanks at both ends. */
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

    private static SignalHub hub(Exchange exchange, Namespace namespace) {
        return exchange.backend().signals().apply(namespace);
    }

    private void list(Exchange exchange) throws Problem {
        String name = exchange.query("namespace");
        Namespace only = name == null ? null : new Namespace(name);
        Map<Namespace, SignalHub> hubs = exchange.backend().hubs().get();
        exchange.offLoop(
                () -> {
                    JsonArray channels = new JsonArray();
                    Set<SignalHub> all = Collections.newSetFromMap(new IdentityHashMap<>());
                    all.addAll(hubs.values());
                    all.forEach(hub -> addChannels(hub, only, channels));
                    return new JsonObject().put("channels", channels);
                });
    }

    private static void addChannels(SignalHub hub, @Nullable Namespace only, JsonArray channels) {
        try (Slices<ChannelView> all = hub.list()) {
            for (List<ChannelView> slice = all.next();
                    !slice.isEmpty() && channels.size() < MOST_ROWS;
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
        return Show.putText(shown, "pattern", view.pattern().bytes())
                .put("group", view.group().isEmpty() ? null : Show.text(view.group().bytes()))
                .put("listeners", view.listeners());
    }
}
