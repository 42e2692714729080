package io.holdfast.http.inspect;

import io.holdfast.driver.Peer;
import io.holdfast.driver.watch.Happening;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.driver.watch.Subscription;
import io.holdfast.engine.Event;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Json;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BiConsumer;

/** What happens, as it happens. */
final class EventRoute {
    /** Each costs a little where things happen, so there are not more of them. */
    static final int MOST_STREAMS = 64;

    /** How many wait for a reader that is behind; then it misses some. */
    static final int MOST_WAITING = 1024;

    /** How many are written before others have their turn. */
    private static final int TURN = 256;

    private final Audit audit;
    private final Duration ping;
    private int streams;

    EventRoute(Audit audit, Duration ping) {
        this.audit = audit;
        this.ping = ping;
    }

    void addTo(Api api) {
        api.add(HttpMethod.GET, "/v1/events", Need.READ, this::watch);
    }

    private void watch(Exchange exchange) throws Problem {
        EventFilter filter = EventFilter.of(exchange);
        if (exchange.method().equals(HttpMethod.HEAD)) {
            exchange.answer(200, "text/event-stream", Buffer.buffer());
            return;
        }
        if (streams >= MOST_STREAMS) {
            throw new Problem(503, "max_streams", "too many are watching already");
        }
        EventStream stream = exchange.stream();
        streams++;
        Watching watching = new Watching(exchange, stream, filter);
        stream.pingEvery(ping);
        stream.onEnd(
                () -> {
                    streams--;
                    watching.close();
                });
    }

    /** One who watches. */
    private final class Watching {
        private final Exchange exchange;
        private final EventStream stream;
        private final Observatory observatory;
        private final Subscription subscription;
        private final EventFilter filter;
        private final BiConsumer<Audit.Act, JsonObject> onAudit = this::audited;
        private long missedAudits;

        Watching(Exchange exchange, EventStream stream, EventFilter filter) {
            this.exchange = exchange;
            this.stream = stream;
            this.filter = filter;
            this.observatory = exchange.backend().observatory();
            this.subscription =
                    observatory.subscribe(
                            filter, MOST_WAITING, () -> exchange.web().later(this::write));
            stream.onDrained(this::write);
            if (filter.wantsAudit() && exchange.isAdmin()) {
                audit.watch(onAudit);
            }
        }

        /** Writes as long as the reader takes it. */
        private void write() {
            for (int i = 0; i < TURN; i++) {
                if (stream.isEnded() || stream.isFull()) {
                    return; // goes on when it is drained
                }
                if (missedAudits > 0) {
                    send(EventFilter.GAP, new JsonObject().put("missed", missedAudits));
                    missedAudits = 0;
                }
                Happening next = subscription.poll();
                if (next == null) {
                    return;
                }
                send(next);
            }
            exchange.web().later(this::write);
        }

        private void audited(Audit.Act act, JsonObject entry) {
            if (!filter.test(act)) {
                return;
            }
            if (stream.isFull()) {
                missedAudits++;
            } else {
                JsonObject data = new JsonObject().put("event", EventFilter.AUDIT);
                entry.forEach(field -> data.put(field.getKey(), field.getValue()));
                stream.send(EventFilter.AUDIT, data);
            }
        }

        private void send(Happening happening) {
            switch (happening) {
                case Happening.OnKey(var event, var peer) ->
                        send(Show.word(event.type()), show(event, peer));
                case Happening.Opened(var session, var peer, var at) ->
                        send(EventFilter.OPENED, show(session, peer, at));
                case Happening.Closed(var session, var peer, var at) ->
                        send(EventFilter.CLOSED, show(session, peer, at));
                case Happening.Gap(var missed) ->
                        send(EventFilter.GAP, new JsonObject().put("missed", missed));
            }
        }

        private void send(String type, JsonObject fields) {
            JsonObject data = new JsonObject().put("event", type);
            fields.forEach(field -> data.put(field.getKey(), field.getValue()));
            stream.send(type, data);
        }

        private JsonObject show(long session, Peer peer, long atNanos) {
            return Show.putWho(begin(atNanos), session, peer);
        }

        private JsonObject begin(long atNanos) {
            return new JsonObject().put("at", Show.time(observatory.timeOf(atNanos)));
        }

        private JsonObject show(Event event, @Nullable Peer peer) {
            JsonObject shown = begin(event.atNanos()).put("kind", Show.word(event.kind()));
            Show.putKey(shown, event.key());
            Show.putWho(shown, event.session(), peer)
                    .put("mode", Show.word(event.mode()))
                    .put("fence", Show.fence(event.fence()));
            switch (event.type()) {
                case WAITING, OFFERED, ACQUIRED, TIMED_OUT, GAVE_UP ->
                        shown.put("waited_s", Json.seconds(event.spanNanos()));
                case RELEASED, LOST -> shown.put("held_s", Json.seconds(event.spanNanos()));
                case EXPIRED ->
                        shown.put("held_s", Json.seconds(event.spanNanos()))
                                .put("late_s", Json.seconds(event.lateNanos()));
            }
            return shown.put("holders", event.holders()).put("waiters", event.waiters());
        }

        void close() {
            subscription.close();
            audit.unwatch(onAudit);
        }
    }
}
