package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.BelongingView;
import io.holdfast.engine.KeyView;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Json;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Locale;
import java.util.function.Predicate;

/** The connections and sessions that are open, and what one of them has. */
final class ConnectionRoutes {
    private static final int MOST_ROWS = 20_000;
    private static final int USUAL_ROWS = 1000;
    private static final int MOST_OFFSET = 100_000;

    /** How much of what a connection has is told, of each part of the server. */
    private static final int MOST_BELONGINGS = 256;

    /** For how many of its waits the place in line is looked for, and how far back. */
    private static final int MOST_PLACES = 64;

    private static final int MOST_IN_LINE = 1000;

    void addTo(Api api) {
        api.add(HttpMethod.GET, "/v1/connections", Need.READ, this::list);
        api.add(HttpMethod.GET, "/v1/connections/{number}", Need.READ, this::show);
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

    private void list(Exchange exchange) throws Problem {
        String part = Queries.search(exchange);
        String protocol = exchange.query("protocol");
        Comparator<SessionView> order =
                Queries.order(
                        exchange,
                        Queries.word(exchange, "sort", Sort.class, Sort.CONNECTION).order(),
                        Sort.CONNECTION.order());
        Ranking<SessionView> ranking =
                new Ranking<>(
                        order,
                        exchange.queryInt("offset", 0, 0, MOST_OFFSET),
                        exchange.queryInt("limit", USUAL_ROWS, 0, MOST_ROWS));
        Predicate<SessionView> wanted =
                view ->
                        (protocol == null || view.protocol().equals(protocol))
                                && (part == null || isNamed(view, part));
        Driver driver = exchange.backend().driver();
        exchange.offLoop(
                () -> {
                    ranking.addAll(driver.listSessions(), wanted);
                    JsonArray rows = new JsonArray();
                    ranking.toList().forEach(view -> rows.add(show(view)));
                    return new JsonObject().put("total", ranking.total()).put("connections", rows);
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
                .put("open_s", view.openNanos() < 0 ? null : Json.seconds(view.openNanos()))
                .put("holds", view.holds())
                .put("waits", view.waits());
    }

    /** The number in the path. */
    static long number(Exchange exchange) throws Problem {
        try {
            return Long.parseLong(exchange.segment("number"));
        } catch (NumberFormatException e) {
            throw Problem.badRequest("a connection is named by its number");
        }
    }

    static Problem noConnection() {
        return new Problem(404, "no_connection", "there is no connection of this number");
    }

    private void show(Exchange exchange) throws Problem {
        long number = number(exchange);
        Driver driver = exchange.backend().driver();
        exchange.offLoop(
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
        JsonObject answer = show(view);
        if (view.node() != null) {
            answer.put("node", view.node());
        }
        answer.put("holding", holding).put("waiting", waiting);
        Bulk bulk = new Bulk();
        for (BelongingView belonging : driver.belongings(view.id(), MOST_BELONGINGS)) {
            if (!bulk.admits(belonging.key())) {
                return answer.put("truncated", true);
            }
            JsonObject shown =
                    Show.putKey(
                                    new JsonObject().put("kind", Show.word(belonging.kind())),
                                    belonging.key())
                            .put("mode", Show.word(belonging.mode()));
            if (belonging.held()) {
                holding.add(
                        shown.put("fence", Long.toString(belonging.fence()))
                                .put("state", belonging.offered() ? "offered" : "held")
                                .put("held_s", Json.seconds(belonging.sinceNanos()))
                                .put("lease_left_s", Show.left(belonging.leftNanos())));
            } else {
                Integer position =
                        waiting.size() < MOST_PLACES
                                ? position(view.id(), belonging, driver)
                                : null;
                waiting.add(
                        shown.put("position", position)
                                .put("waited_s", Json.seconds(belonging.sinceNanos()))
                                .put("timeout_left_s", Show.left(belonging.leftNanos())));
            }
        }
        return answer;
    }

    private static @Nullable Integer position(long session, BelongingView wait, Driver driver) {
        KeyView view = driver.view(wait.kind(), wait.key(), MOST_IN_LINE);
        if (view != null) {
            for (KeyView.Waiter waiter : view.line()) {
                if (waiter.session() == session) {
                    return waiter.position();
                }
            }
        }
        return null;
    }
}
