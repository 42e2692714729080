package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.view.Queries;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.KeyView;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The routes of the open connections and sessions: the list, and one of them with its holds and
 * waits.
 */
final class ConnectionRoutes {
    private static final int MAX_ROWS = 20_000;
    private static final int DEFAULT_ROWS = 1000;
    private static final int MAX_OFFSET = 100_000;

    /**
     * Maximum number of holds and waits of a connection that are returned, per part of the server
     * (see {@link Queries#holdsAndWaiters}).
     */
    private static final int MAX_HOLDS_AND_WAITERS = 256;

    /**
     * Maximum number of waits of a connection whose queue position is looked up, and how far each
     * queue is searched.
     */
    private static final int MAX_POSITIONS = 64;

    private static final int MAX_QUEUED = 1000;

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/connections", RoutePermission.READ, this::list);
        apiRouter.add(HttpMethod.GET, "/v1/connections/{number}", RoutePermission.READ, this::show);
    }

    private enum Sort {
        CONNECTION,
        NAME,
        PROTOCOL,
        OPEN,
        HOLDS,
        WAITS;

        Comparator<SessionView> order() {
            return switch (this) {
                case CONNECTION -> Comparator.comparingLong(SessionView::id);
                case NAME -> Comparator.comparing(SessionView::name);
                case PROTOCOL -> Comparator.comparing(SessionView::protocol);
                case OPEN -> Comparator.comparingLong(SessionView::openNanos);
                case HOLDS -> Comparator.comparingInt(SessionView::holds);
                case WAITS -> Comparator.comparingInt(SessionView::waits);
            };
        }
    }

    private void list(HttpExchange httpExchange) throws HttpProblem {
        String part = QueryParameters.search(httpExchange);
        String protocol = httpExchange.query("protocol");
        Comparator<SessionView> order =
                QueryParameters.order(
                        httpExchange,
                        QueryParameters.enumParameter(
                                        httpExchange, "sort", Sort.class, Sort.CONNECTION)
                                .order(),
                        Sort.CONNECTION.order());
        BoundedRanking<SessionView> boundedRanking =
                new BoundedRanking<>(
                        order,
                        httpExchange.queryInt("offset", 0, 0, MAX_OFFSET),
                        httpExchange.queryInt("limit", DEFAULT_ROWS, 0, MAX_ROWS));
        Predicate<SessionView> filter =
                view ->
                        (protocol == null || view.protocol().equals(protocol))
                                && (part == null || isNamed(view, part));
        Driver driver = httpExchange.backend().driver();
        httpExchange.offLoop(
                () -> {
                    boundedRanking.addAll(driver.listSessions(), filter);
                    JsonArray rows = new JsonArray();
                    boundedRanking.toList().forEach(view -> rows.add(show(view)));
                    return new JsonObject()
                            .put("total", boundedRanking.total())
                            .put("connections", rows);
                });
    }

    private static boolean isNamed(SessionView view, String part) {
        return view.name().toLowerCase(Locale.ROOT).contains(part)
                || Long.toString(view.id()).equals(part);
    }

    private static JsonObject show(SessionView view) {
        return new JsonObject()
                .put("connection", view.id())
                .put("name", view.name())
                .put("protocol", view.protocol())
                .put("open_s", view.openNanos() < 0 ? null : JsonWriter.seconds(view.openNanos()))
                .put("holds", view.holds())
                .put("waits", view.waits());
    }

    /** The number in the path. */
    static long number(HttpExchange httpExchange) throws HttpProblem {
        try {
            return Long.parseLong(httpExchange.segment("number"));
        } catch (NumberFormatException e) {
            throw HttpProblem.badRequest("a connection is identified by its number");
        }
    }

    static HttpProblem noConnection() {
        return new HttpProblem(404, "no_connection", "there is no connection with this number");
    }

    private void show(HttpExchange httpExchange) throws HttpProblem {
        long number = number(httpExchange);
        Driver driver = httpExchange.backend().driver();
        httpExchange.offLoop(
                () -> {
                    SessionView view = driver.session(number);
                    if (view == null) {
                        throw noConnection();
                    }
                    return showAll(view, driver);
                });
    }

    private static JsonObject showAll(SessionView view, Driver driver) {
        JsonArray holding = new JsonArray();
        JsonArray waiting = new JsonArray();
        JsonObject response = show(view);
        if (view.node() != null) {
            response.put("node", view.node());
        }
        response.put("holding", holding).put("waiting", waiting);
        ResponseSizeLimit responseSizeLimit = new ResponseSizeLimit();
        for (HoldOrWaiterView holdOrWait :
                driver.queries().holdsAndWaiters(view.id(), MAX_HOLDS_AND_WAITERS)) {
            if (!responseSizeLimit.admits(holdOrWait.key())) {
                return response.put("truncated", true);
            }
            JsonObject json =
                    JsonFormat.putKey(
                                    new JsonObject()
                                            .put("kind", JsonFormat.label(holdOrWait.kind())),
                                    holdOrWait.key())
                            .put("mode", JsonFormat.label(holdOrWait.mode()));
            if (holdOrWait.held()) {
                holding.add(
                        json.put("fence", Long.toString(holdOrWait.fence()))
                                .put("state", holdOrWait.offered() ? "offered" : "held")
                                .put("held_s", JsonWriter.seconds(holdOrWait.sinceNanos()))
                                .put("lease_left_s", JsonFormat.remaining(holdOrWait.leftNanos())));
            } else {
                Integer position =
                        waiting.size() < MAX_POSITIONS
                                ? position(view.id(), holdOrWait, driver)
                                : null;
                waiting.add(
                        json.put("position", position)
                                .put("waited_s", JsonWriter.seconds(holdOrWait.sinceNanos()))
                                .put(
                                        "timeout_left_s",
                                        JsonFormat.remaining(holdOrWait.leftNanos())));
            }
        }
        return response;
    }

    private static @Nullable Integer position(long session, HoldOrWaiterView wait, Driver driver) {
        KeyView view = driver.queries().view(wait.kind(), wait.key(), MAX_QUEUED);
        if (view != null) {
            for (KeyView.Waiter waiter : view.queue()) {
                if (waiter.session() == session) {
                    return waiter.position();
                }
            }
        }
        return null;
    }
}
