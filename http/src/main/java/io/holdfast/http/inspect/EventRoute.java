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

/** What happens, as it happens. */
final class EventRoute {
    /** Each costs a little where things happen, so there are not more of them. */
    static final int MAX_STREAMS = 64;

    /** How many wait for a reader that is behind; then it misses some. */
    static final int MAX_WAITING = 1024;

    /** How many are written before others have their turn. */
    private static final int TURN = 256;

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
            httpExchange.answer(200, "text/event-stream", Buffer.buffer());
            return;
        }
        if (streams >= MAX_STREAMS) {
            throw new HttpProblem(503, "max_streams", "too many are watching already");
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

    /** One who watches. */
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
            this.serverMonitor = httpExchange.backend().observatory();
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
            return JsonFormat.putWho(begin(atNanos), session, clientInfo);
        }

        private JsonObject begin(long atNanos) {
            return new JsonObject().put("at", JsonFormat.time(serverMonitor.timeOf(atNanos)));
        }

        private JsonObject show(KeyEvent keyEvent, @Nullable ClientInfo clientInfo) {
            JsonObject shown =
                    begin(keyEvent.atNanos()).put("kind", JsonFormat.label(keyEvent.kind()));
            JsonFormat.putKey(shown, keyEvent.key());
            JsonFormat.putWho(shown, keyEvent.session(), clientInfo)
                    .put("mode", JsonFormat.label(keyEvent.mode()))
                    .put("fence", JsonFormat.fence(keyEvent.fence()));
            switch (keyEvent.type()) {
                case WAITING, OFFERED, ACQUIRED, TIMED_OUT, GAVE_UP ->
                        shown.put("waited_s", JsonWriter.seconds(keyEvent.spanNanos()));
                case RELEASED, LOST ->
                        shown.put("held_s", JsonWriter.seconds(keyEvent.spanNanos()));
                case EXPIRED ->
                        shown.put("held_s", JsonWriter.seconds(keyEvent.spanNanos()))
                                .put("late_s", JsonWriter.seconds(keyEvent.lateNanos()));
            }
            return shown.put("holders", keyEvent.holders()).put("waiters", keyEvent.waiters());
        }

        void close() {
            eventSubscription.close();
            operatorAudit.unwatch(onAudit);
        }
    }
}
