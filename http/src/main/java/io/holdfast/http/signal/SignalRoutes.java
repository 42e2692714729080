package io.holdfast.http.signal;

import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Slices;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.ListenOutcome;
import io.holdfast.driver.signal.Listener;
import io.holdfast.driver.signal.SharedSignals;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.Signals;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.http.inspect.Show;
import io.holdfast.http.lock.HttpSessions;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Fields;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.holdfast.http.web.Web;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Signals out and in, and who listens. */
public final class SignalRoutes {
    /** What a pushed line may have before its end, and what it has beside channel and payload. */
    private static final int MOST_PUSHED = 65536;

    private static final int PUSHED_EXTRA = 5;
    private static final int MOST_BYTES = 256;

    /** How many patterns one answer has at most. */
    private static final int MOST_ROWS = 20_000;

    private final HttpSessions sessions;
    private final Duration ping;
    private final Emitter emitter;

    /**
     * @param ping how often a stream that says nothing shows that it lives
     */
    public SignalRoutes(Web web, HttpSessions sessions, Duration ping) {
        this.sessions = sessions;
        this.ping = ping;
        this.emitter = new Emitter(web);
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
        switch (signals(exchange)) {
            case SignalHub hub -> {
                List<Listener> receivers = hub.choose(channel).listeners();
                HttpSignal signal = new HttpSignal(channel, payload);
                receivers.forEach(receiver -> receiver.deliver(signal));
                exchange.ok(delivered(receivers.size()));
            }
            case SharedSignals shared -> emitter.emit(shared, exchange, channel, payload);
        }
    }

    static JsonObject delivered(long count) {
        return new JsonObject().put("delivered", count);
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
        switch (signals(exchange)) {
            case SignalHub hub -> listen(exchange, hub, pattern, group);
            case SharedSignals shared ->
                    SharedStream.open(exchange, shared, sessions, ping).listen(pattern, group);
        }
    }

    private void listen(Exchange exchange, SignalHub hub, Key pattern, ByteString group)
            throws Problem {
        Stream opened = new Stream();
        HttpSessions.ForStream session =
                sessions.openForStream(exchange, new StreamMailbox(exchange.web(), opened::close));
        SignalStream listener = new SignalStream(exchange.web());
        Subscriber subscriber = hub.open(listener);
        ListenOutcome outcome = subscriber.listen(pattern, group);
        if (outcome != ListenOutcome.LISTENING) {
            subscriber.close();
            session.close();
            throw noRoom();
        }
        EventStream stream;
        try {
            stream = exchange.stream();
        } catch (Problem problem) {
            subscriber.close();
            session.close();
            throw problem;
        }
        opened.stream = stream;
        stream.onEnd(
                () -> {
                    listener.close();
                    subscriber.close();
                    session.close();
                });
        stream.pingEvery(ping);
        listener.writeTo(stream);
    }

    static Problem noRoom() {
        return new Problem(503, "no_room", "there is no room for another who listens");
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

    /** Of a session that asks nothing. */
    private record StreamMailbox(Web web, Runnable end) implements Mailbox {
        @Override
        public void add(Effect effect) {}

        @Override
        public void wake() {}

        @Override
        public boolean kick() {
            web.later(end);
            return true;
        }
    }

    /** The server has ended: nobody is asked any more. On the event loop. */
    public void close() {
        emitter.close();
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

    private static Signals signals(Exchange exchange) {
        return exchange.backend().signals().of(exchange.namespace());
    }

    private void list(Exchange exchange) throws Problem {
        String name = exchange.query("namespace");
        Namespace only = name == null ? null : new Namespace(name);
        Collection<Signals> all = exchange.backend().signals().all();
        exchange.offLoop(
                () -> {
                    JsonArray channels = new JsonArray();
                    all.forEach(signals -> addChannels(signals, only, channels));
                    return new JsonObject().put("channels", channels);
                });
    }

    private static void addChannels(Signals signals, @Nullable Namespace only, JsonArray channels) {
        try (Slices<ChannelView> all = signals.list()) {
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
