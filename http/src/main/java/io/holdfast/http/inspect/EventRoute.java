package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.monitor.EventSubscription;
import io.holdfast.driver.monitor.ServerEvent;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.KeyEvent;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BiConsumer;

/** Streams events as server-sent events. */
final class EventRoute {
    /** Maximum number of streams: each adds work on the threads that produce events. */
    static final int MAX_STREAMS = 64;

    /**
     * Maximum number of undelivered events of a stream; further events are dropped and reported as
     * a gap.
     */
    static final int MAX_WAITING = 1024;

    /** Maximum number of events written in one task of the event loop. */
    private static final int BATCH = 256;

    private final OperatorAudit operatorAudit;
    private final Duration ping;
    private int streams;

    EventRoute(OperatorAudit operatorAudit, Duration ping) {
        this.operatorAudit = operatorAudit;
        this.ping = ping;
    }

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/events", RoutePermission.READ, this::watch);
    }

    private void watch(HttpExchange httpExchange) throws HttpProblem {
        EventFilter filter = EventFilter.of(httpExchange);
        if (httpExchange.method().equals(HttpMethod.HEAD)) {
            httpExchange.respond(200, "text/event-stream", Buffer.buffer());
            return;
        }
        if (streams >= MAX_STREAMS) {
            throw new HttpProblem(
                    503, "max_streams", "the maximum number of event streams is reached");
        }
        EventStream stream = httpExchange.stream();
        streams++;
        Watching watching = new Watching(httpExchange, stream, filter);
        stream.pingEvery(ping);
        stream.onEnd(
                () -> {
                    streams--;
                    watching.close();
                });
    }

    /** The subscription behind one stream. */
    private final class Watching {
        private final HttpExchange httpExchange;
        private final EventStream stream;
        private final ServerMonitor serverMonitor;
        private final EventSubscription eventSubscription;
        private final EventFilter filter;
        private final BiConsumer<OperatorAudit.Act, JsonObject> onAudit = this::audited;
        private long missedAudits;

        Watching(HttpExchange httpExchange, EventStream stream, EventFilter filter) {
            this.httpExchange = httpExchange;
            this.stream = stream;
            this.filter = filter;
            this.serverMonitor = httpExchange.backend().monitor();
            this.eventSubscription =
                    serverMonitor.subscribe(
                            filter,
                            MAX_WAITING,
                            () -> httpExchange.web().runOnEventLoop(this::write));
            stream.onDrained(this::write);
            if (filter.wantsAudit() && httpExchange.isAdmin()) {
                operatorAudit.watch(onAudit);
            }
        }

        /** Writes events until the write queue of the stream is full or no event is left. */
        private void write() {
            for (int i = 0; i < BATCH; i++) {
                if (stream.isEnded() || stream.isFull()) {
                    return; // continues when the stream is drained
                }
                if (missedAudits > 0) {
                    send(EventFilter.GAP, new JsonObject().put("missed", missedAudits));
                    missedAudits = 0;
                }
                ServerEvent next = eventSubscription.poll();
                if (next == null) {
                    return;
                }
                send(next);
            }
            httpExchange.web().runOnEventLoop(this::write);
        }

        private void audited(OperatorAudit.Act act, JsonObject entry) {
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

        private void send(ServerEvent serverEvent) {
            switch (serverEvent) {
                case ServerEvent.OnKey(var keyEvent, var clientInfo) ->
                        send(JsonFormat.label(keyEvent.type()), show(keyEvent, clientInfo));
                case ServerEvent.SessionOpened(var session, var clientInfo, var at) ->
                        send(EventFilter.OPENED, show(session, clientInfo, at));
                case ServerEvent.SessionClosed(var session, var clientInfo, var at) ->
                        send(EventFilter.CLOSED, show(session, clientInfo, at));
                case ServerEvent.Gap(var missed) ->
                        send(EventFilter.GAP, new JsonObject().put("missed", missed));
            }
        }

        private void send(String type, JsonObject fields) {
            JsonObject data = new JsonObject().put("event", type);
            fields.forEach(field -> data.put(field.getKey(), field.getValue()));
            stream.send(type, data);
        }

        private JsonObject show(long session, ClientInfo clientInfo, long atNanos) {
            return JsonFormat.putClient(begin(atNanos), session, clientInfo);
        }

        private JsonObject begin(long atNanos) {
            return new JsonObject().put("at", JsonFormat.time(serverMonitor.timeOf(atNanos)));
        }

        private JsonObject show(KeyEvent keyEvent, @Nullable ClientInfo clientInfo) {
            JsonObject json =
                    begin(keyEvent.atNanos()).put("kind", JsonFormat.label(keyEvent.kind()));
            JsonFormat.putKey(json, keyEvent.key());
            JsonFormat.putClient(json, keyEvent.session(), clientInfo)
                    .put("mode", JsonFormat.label(keyEvent.mode()))
                    .put("fence", JsonFormat.fence(keyEvent.fence()));
            switch (keyEvent.type()) {
                case WAITING, OFFERED, ACQUIRED, TIMED_OUT, GAVE_UP ->
                        json.put("waited_s", JsonWriter.seconds(keyEvent.durationNanos()));
                case RELEASED, LOST ->
                        json.put("held_s", JsonWriter.seconds(keyEvent.durationNanos()));
                case EXPIRED ->
                        json.put("held_s", JsonWriter.seconds(keyEvent.durationNanos()))
                                .put("late_s", JsonWriter.seconds(keyEvent.lateNanos()));
            }
            return json.put("holders", keyEvent.holders()).put("waiters", keyEvent.waiters());
        }

        void close() {
            eventSubscription.close();
            operatorAudit.unwatch(onAudit);
        }
    }
}
