package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyView;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Mode;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceView;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Json;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** The keys that are in use, and one of them with all there is to know. */
final class KeyRoutes {
    private static final int MOST_ROWS = 20_000;
    private static final int USUAL_ROWS = 1000;
    private static final int MOST_OFFSET = 100_000;
    private static final int MOST_IN_LINE = 1000;
    private static final int USUAL_IN_LINE = 100;

    void addTo(Api api) {
        api.add(HttpMethod.GET, "/v1/keys", Need.READ, this::list);
        api.add(HttpMethod.GET, "/v1/keys/{key}", Need.READ, this::show);
    }

    private enum Sort {
        KEY,
        WAITERS,
        HELD,
        LEASE;

        Comparator<ResourceView> order() {
            return switch (this) {
                case KEY ->
                        Comparator.comparing(ResourceView::key).thenComparing(ResourceView::kind);
                case WAITERS -> Comparator.comparingInt(ResourceView::waiters);
                case HELD -> Comparator.comparingLong(ResourceView::heldNanos);
                case LEASE -> Comparator.comparingLong(ResourceView::leaseLeftNanos);
            };
        }
    }

    private enum State {
        HELD,
        WAITED
    }

    private void list(Exchange exchange) throws Problem {
        Kind kind = Queries.kind(exchange);
        State state = Queries.word(exchange, "state", State.class);
        Namespace namespace = Queries.namespace(exchange);
        String part = Queries.search(exchange);
        byte[] exact = exchange.queryBytes("key");
        Comparator<ResourceView> order =
                Queries.order(
                        exchange,
                        Queries.word(exchange, "sort", Sort.class, Sort.KEY).order(),
                        Sort.KEY.order());
        Ranking<ResourceView> ranking =
                new Ranking<>(
                        order,
                        exchange.queryInt("offset", 0, 0, MOST_OFFSET),
                        exchange.queryInt("limit", USUAL_ROWS, 0, MOST_ROWS));
        Predicate<ResourceView> wanted =
                view ->
                        (kind == null || view.kind() == kind)
                                && (state != State.HELD || view.holders() > 0)
                                && (state != State.WAITED || view.waiters() > 0)
                                && (namespace == null || view.key().namespace().equals(namespace))
                                && (part == null || contains(view.key(), part));
        Driver driver = exchange.backend().driver();
        Observatory observatory = exchange.backend().observatory();
        if (exact == null) {
            exchange.offLoop(
                    () -> {
                        ranking.addAll(driver.listInUse(), wanted);
                        return rows(ranking, observatory);
                    });
            return;
        }
        Key key = Key.of(namespace == null ? exchange.namespace() : namespace, exact);
        for (Kind each : Kind.values()) {
            KeyView view = driver.view(each, key, 1);
            ResourceView found = view == null ? null : summary(key, view);
            if (found != null && wanted.test(found)) {
                ranking.add(found);
            }
        }
        exchange.ok(rows(ranking, observatory));
    }

    private static boolean contains(Key key, String part) {
        return Show.text(key.bytes()).toLowerCase(Locale.ROOT).contains(part);
    }

    private static ResourceView summary(Key key, KeyView view) {
        KeyView.Holder first = view.holders().isEmpty() ? null : view.holders().getFirst();
        return new ResourceView(
                view.kind(),
                key,
                view.limit(),
                view.held(),
                view.waiters(),
                first == null ? 0 : first.session(),
                first == null ? 0 : first.leaseLeftNanos(),
                0,
                first == null ? 0 : first.heldNanos(),
                first == null ? Mode.WRITE : first.mode(),
                first == null ? 0 : first.fence());
    }

    private static JsonObject rows(Ranking<ResourceView> ranking, Observatory observatory) {
        JsonArray rows = new JsonArray();
        Bulk bulk = new Bulk();
        JsonObject answer = new JsonObject().put("total", ranking.total()).put("keys", rows);
        for (ResourceView view : ranking.toList()) {
            if (!bulk.admits(view.key())) {
                return answer.put("truncated", true);
            }
            rows.add(row(view, observatory));
        }
        return answer;
    }

    private static JsonObject row(ResourceView view, Observatory observatory) {
        boolean held = view.holders() > 0;
        JsonObject holder = null;
        if (held) {
            holder =
                    Show.putWho(new JsonObject(), view.owner(), observatory)
                            .put("mode", Show.word(view.mode()))
                            .put("fence", Long.toString(view.fence()));
        }
        return Show.putKey(new JsonObject().put("kind", Show.word(view.kind())), view.key())
                .put("limit", Show.limit(view.kind(), view.limit()))
                .put("holders", view.holders())
                .put("waiters", view.waiters())
                .put("holder", holder)
                .put("held_s", held ? Json.seconds(view.heldNanos()) : null)
                .put("lease_left_s", held ? Show.left(view.leaseLeftNanos()) : null);
    }

    private void show(Exchange exchange) throws Problem {
        Namespace namespace = Queries.namespace(exchange);
        Key key = exchange.anyKey(namespace == null ? exchange.namespace() : namespace);
        Kind only = Queries.kind(exchange);
        int offset = exchange.queryInt("offset", 0, 0, Integer.MAX_VALUE);
        int limit = exchange.queryInt("limit", USUAL_IN_LINE, 0, MOST_IN_LINE);
        Driver driver = exchange.backend().driver();
        Observatory observatory = exchange.backend().observatory();
        exchange.offLoop(
                () -> {
                    JsonArray resources = new JsonArray();
                    for (Kind kind : only == null ? List.of(Kind.values()) : List.of(only)) {
                        KeyView view = driver.view(kind, key, offset, limit);
                        List<Event> past = observatory.past(kind, key);
                        if (view != null || !past.isEmpty()) {
                            resources.add(resource(kind, view, past, observatory));
                        }
                    }
                    if (resources.isEmpty()) {
                        throw new Problem(
                                404, "unknown_key", "nobody uses this key, nor did so of late");
                    }
                    return Show.putKey(new JsonObject(), key).put("resources", resources);
                });
    }

    private static JsonObject resource(
            Kind kind, @Nullable KeyView view, List<Event> past, Observatory observatory) {
        JsonArray holders = new JsonArray();
        JsonArray waiters = new JsonArray();
        JsonArray history = new JsonArray();
        if (view != null) {
            Instant now = Instant.now();
            view.holders().forEach(holder -> holders.add(show(holder, now, observatory)));
            view.line().forEach(waiter -> waiters.add(show(waiter, now, observatory)));
        }
        past.forEach(event -> history.add(show(event, observatory)));
        Long limit = view == null ? null : Show.limit(kind, view.limit());
        return new JsonObject()
                .put("kind", Show.word(kind))
                .put("limit", limit == null && kind == Kind.MUTEX ? Long.valueOf(1) : limit)
                .put("holders_total", view == null ? 0 : view.held())
                .put("waiters_total", view == null ? 0 : view.waiters())
                .put("holders", holders)
                .put("waiters", waiters)
                .put("history", history);
    }

    private static JsonObject show(KeyView.Holder holder, Instant now, Observatory observatory) {
        return Show.putWho(new JsonObject(), holder.session(), observatory)
                .put("mode", Show.word(holder.mode()))
                .put("fence", Long.toString(holder.fence()))
                .put("since", Show.time(now.minusNanos(holder.heldNanos())))
                .put("held_s", Json.seconds(holder.heldNanos()))
                .put("lease_left_s", Show.left(holder.leaseLeftNanos()))
                .put("state", holder.offered() ? "offered" : "held");
    }

    private static JsonObject show(KeyView.Waiter waiter, Instant now, Observatory observatory) {
        return Show.putWho(
                        new JsonObject().put("position", waiter.position()),
                        waiter.session(),
                        observatory)
                .put("mode", Show.word(waiter.mode()))
                .put("since", Show.time(now.minusNanos(waiter.waitedNanos())))
                .put("waited_s", Json.seconds(waiter.waitedNanos()))
                .put("timeout_left_s", Show.left(waiter.leftNanos()));
    }

    private static JsonObject show(Event event, Observatory observatory) {
        return new JsonObject()
                .put("event", Show.word(event.type()))
                .put("at", Show.time(observatory.timeOf(event.atNanos())))
                .put("connection", event.session())
                .put("mode", Show.word(event.mode()))
                .put("fence", Show.fence(event.fence()))
                .put("span_s", Json.seconds(event.spanNanos()));
    }
}
