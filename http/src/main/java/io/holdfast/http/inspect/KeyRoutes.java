package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** The routes of the keys in use: the list, and one key with its holders, queue and history. */
final class KeyRoutes {
    private static final int MAX_ROWS = 20_000;
    private static final int DEFAULT_ROWS = 1000;
    private static final int MAX_OFFSET = 100_000;
    private static final int MAX_QUEUED = 1000;
    private static final int DEFAULT_QUEUED = 100;

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/keys", RoutePermission.READ, this::list);
        apiRouter.add(HttpMethod.GET, "/v1/keys/{key}", RoutePermission.READ, this::show);
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

    private void list(HttpExchange httpExchange) throws HttpProblem {
        ResourceKind resourceKind = QueryParameters.kind(httpExchange);
        State state = QueryParameters.enumParameter(httpExchange, "state", State.class);
        Namespace namespace = QueryParameters.namespace(httpExchange);
        String search = QueryParameters.search(httpExchange);
        byte[] exactKey = httpExchange.queryBytes("key");
        Comparator<ResourceView> order =
                QueryParameters.order(
                        httpExchange,
                        QueryParameters.enumParameter(httpExchange, "sort", Sort.class, Sort.KEY)
                                .order(),
                        Sort.KEY.order());
        BoundedRanking<ResourceView> boundedRanking =
                new BoundedRanking<>(
                        order,
                        httpExchange.queryInt("offset", 0, 0, MAX_OFFSET),
                        httpExchange.queryInt("limit", DEFAULT_ROWS, 0, MAX_ROWS));
        Predicate<ResourceView> filter =
                view ->
                        (resourceKind == null || view.kind() == resourceKind)
                                && (state != State.HELD || view.holders() > 0)
                                && (state != State.WAITED || view.waiters() > 0)
                                && (namespace == null || view.key().namespace().equals(namespace))
                                && (search == null || contains(view.key(), search));
        Driver driver = httpExchange.backend().driver();
        ServerMonitor serverMonitor = httpExchange.backend().monitor();
        if (exactKey == null) {
            httpExchange.offLoop(
                    () -> {
                        boundedRanking.addAll(driver.queries().listInUse(), filter);
                        return rows(boundedRanking, serverMonitor);
                    });
            return;
        }
        Key key = Key.of(namespace == null ? httpExchange.namespace() : namespace, exactKey);
        for (ResourceKind each : ResourceKind.values()) {
            KeyView view = driver.queries().view(each, key, 1);
            ResourceView found = view == null ? null : summary(key, view);
            if (found != null && filter.test(found)) {
                boundedRanking.add(found);
            }
        }
        httpExchange.ok(rows(boundedRanking, serverMonitor));
    }

    private static boolean contains(Key key, String search) {
        return JsonFormat.text(key.bytes()).toLowerCase(Locale.ROOT).contains(search);
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
                first == null ? ReadWriteMode.WRITE : first.mode(),
                first == null ? 0 : first.fence());
    }

    private static JsonObject rows(
            BoundedRanking<ResourceView> boundedRanking, ServerMonitor serverMonitor) {
        JsonArray rows = new JsonArray();
        ResponseSizeLimit responseSizeLimit = new ResponseSizeLimit();
        JsonObject response =
                new JsonObject().put("total", boundedRanking.total()).put("keys", rows);
        for (ResourceView view : boundedRanking.toList()) {
            if (!responseSizeLimit.admits(view.key())) {
                return response.put("truncated", true);
            }
            rows.add(row(view, serverMonitor));
        }
        return response;
    }

    private static JsonObject row(ResourceView view, ServerMonitor serverMonitor) {
        boolean held = view.holders() > 0;
        JsonObject holder = null;
        if (held) {
            holder =
                    JsonFormat.putClient(new JsonObject(), view.owner(), serverMonitor)
                            .put("mode", JsonFormat.label(view.mode()))
                            .put("fence", Long.toString(view.fence()));
        }
        return JsonFormat.putKey(
                        new JsonObject().put("kind", JsonFormat.label(view.kind())), view.key())
                .put("limit", JsonFormat.limit(view.kind(), view.limit()))
                .put("holders", view.holders())
                .put("waiters", view.waiters())
                .put("holder", holder)
                .put("held_s", held ? JsonWriter.seconds(view.heldNanos()) : null)
                .put("lease_left_s", held ? JsonFormat.remaining(view.leaseLeftNanos()) : null);
    }

    private void show(HttpExchange httpExchange) throws HttpProblem {
        Namespace namespace = QueryParameters.namespace(httpExchange);
        Key key = httpExchange.anyKey(namespace == null ? httpExchange.namespace() : namespace);
        ResourceKind only = QueryParameters.kind(httpExchange);
        int offset = httpExchange.queryInt("offset", 0, 0, Integer.MAX_VALUE);
        int limit = httpExchange.queryInt("limit", DEFAULT_QUEUED, 0, MAX_QUEUED);
        Driver driver = httpExchange.backend().driver();
        ServerMonitor serverMonitor = httpExchange.backend().monitor();
        httpExchange.offLoop(
                () -> {
                    JsonArray resources = new JsonArray();
                    for (ResourceKind resourceKind :
                            only == null ? List.of(ResourceKind.values()) : List.of(only)) {
                        KeyView view = driver.queries().view(resourceKind, key, offset, limit);
                        List<KeyEvent> history = serverMonitor.history(resourceKind, key);
                        if (view != null || !history.isEmpty()) {
                            resources.add(resource(resourceKind, view, history, serverMonitor));
                        }
                    }
                    if (resources.isEmpty()) {
                        throw new HttpProblem(
                                404,
                                "unknown_key",
                                "this key is not in use and has no recent events");
                    }
                    return JsonFormat.putKey(new JsonObject(), key)
                            .put("quarantine_left_s", JsonFormat.quarantine(driver))
                            .put("resources", resources);
                });
    }

    private static JsonObject resource(
            ResourceKind resourceKind,
            @Nullable KeyView view,
            List<KeyEvent> history,
            ServerMonitor serverMonitor) {
        JsonArray holders = new JsonArray();
        JsonArray waiters = new JsonArray();
        JsonArray events = new JsonArray();
        if (view != null) {
            Instant now = Instant.now();
            view.holders().forEach(holder -> holders.add(show(holder, now, serverMonitor)));
            view.queue().forEach(waiter -> waiters.add(show(waiter, now, serverMonitor)));
        }
        history.forEach(keyEvent -> events.add(show(keyEvent, serverMonitor)));
        Long limit = view == null ? null : JsonFormat.limit(resourceKind, view.limit());
        return new JsonObject()
                .put("kind", JsonFormat.label(resourceKind))
                .put(
                        "limit",
                        limit == null && resourceKind == ResourceKind.LOCK
                                ? Long.valueOf(1)
                                : limit)
                .put("holders_total", view == null ? 0 : view.held())
                .put("waiters_total", view == null ? 0 : view.waiters())
                .put("holders", holders)
                .put("waiters", waiters)
                .put("history", events);
    }

    private static JsonObject show(
            KeyView.Holder holder, Instant now, ServerMonitor serverMonitor) {
        return JsonFormat.putClient(new JsonObject(), holder.session(), serverMonitor)
                .put("mode", JsonFormat.label(holder.mode()))
                .put("fence", Long.toString(holder.fence()))
                .put("since", JsonFormat.time(now.minusNanos(holder.heldNanos())))
                .put("held_s", JsonWriter.seconds(holder.heldNanos()))
                .put("lease_left_s", JsonFormat.remaining(holder.leaseLeftNanos()))
                .put("state", holder.offered() ? "offered" : "held");
    }

    private static JsonObject show(
            KeyView.Waiter waiter, Instant now, ServerMonitor serverMonitor) {
        return JsonFormat.putClient(
                        new JsonObject().put("position", waiter.position()),
                        waiter.session(),
                        serverMonitor)
                .put("mode", JsonFormat.label(waiter.mode()))
                .put("since", JsonFormat.time(now.minusNanos(waiter.waitedNanos())))
                .put("waited_s", JsonWriter.seconds(waiter.waitedNanos()))
                .put("timeout_left_s", JsonFormat.remaining(waiter.leftNanos()));
    }

    private static JsonObject show(KeyEvent keyEvent, ServerMonitor serverMonitor) {
        return new JsonObject()
                .put("event", JsonFormat.label(keyEvent.type()))
                .put("at", JsonFormat.time(serverMonitor.timeOf(keyEvent.atNanos())))
                .put("connection", keyEvent.session())
                .put("mode", JsonFormat.label(keyEvent.mode()))
                .put("fence", JsonFormat.fence(keyEvent.fence()))
                .put("span_s", JsonWriter.seconds(keyEvent.durationNanos()));
    }
}
