package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Peer;
import io.holdfast.driver.watch.Observatory;
import io.holdfast.engine.LineView;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Json;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;

/** Who waits for whom. */
final class WaitRoutes {
    /** How many waits one answer has; those who have waited longest. */
    private static final int MOST_WAITS = 5000;

    /** How many of those in the way of one wait are told. */
    private static final int MOST_BLOCKERS = 16;

    /** One place in a line. */
    private record Place(LineView line, int position, LineView.Waiter waiter) {}

    void addTo(Api api) {
        api.add(HttpMethod.GET, "/v1/waits", Need.READ, this::list);
    }

    private void list(Exchange exchange) throws Problem {
        int most = exchange.queryInt("limit", MOST_WAITS, 0, MOST_WAITS);
        Driver driver = exchange.backend().driver();
        Observatory observatory = exchange.backend().observatory();
        LongPredicate concurrent =
                session -> {
                    Peer peer = observatory.peerOf(session);
                    return peer != null && peer.concurrent();
                };
        exchange.offLoop(
                () -> list(new WaitGraph(driver, System::nanoTime, concurrent), most, observatory));
    }

    private static JsonObject list(WaitGraph graph, int most, Observatory observatory) {
        Bulk bulk = new Bulk();
        Bulk cyclesBulk = new Bulk();
        boolean more = false;
        JsonArray cycles = new JsonArray();
        for (List<Deadlocks.Step> cycle : graph.read()) {
            if (!cycle.stream().allMatch(step -> cyclesBulk.admits(step.spot().key()))) {
                more = true;
                break;
            }
            JsonArray steps = new JsonArray();
            cycle.forEach(step -> steps.add(show(step, observatory)));
            cycles.add(steps);
        }
        Ranking<Place> longest =
                new Ranking<>(
                        Comparator.comparingLong((Place place) -> place.waiter().sinceNanos())
                                .reversed(),
                        0,
                        most);
        for (LineView line : graph.lines()) {
            int position = 0;
            for (LineView.Waiter waiter : line.waiters()) {
                longest.add(new Place(line, ++position, waiter));
            }
        }
        JsonArray waits = new JsonArray();
        for (Place place : longest.toList()) {
            if (!bulk.admits(place.line().key())) {
                more = true;
                break;
            }
            waits.add(show(place, observatory));
        }
        return new JsonObject()
                .put("waits", waits)
                .put("cycles", cycles)
                .put("truncated", more || graph.isTruncated() || longest.total() > most);
    }

    private static JsonObject show(Deadlocks.Step step, Observatory observatory) {
        Spot spot = step.spot();
        JsonObject shown = Show.putWho(new JsonObject(), step.session(), observatory);
        return Show.putKey(shown.put("kind", Show.word(spot.kind())), spot.key())
                .put("concurrent", step.concurrent());
    }

    private static JsonObject show(Place place, Observatory observatory) {
        LineView line = place.line();
        JsonArray blockers = new JsonArray();
        for (Long session : line.holders()) {
            if (blockers.size() == MOST_BLOCKERS) {
                break;
            }
            JsonObject blocker = Show.putWho(new JsonObject(), session, observatory);
            blocker.remove("protocol");
            blockers.add(blocker);
        }
        JsonObject shown = Show.putWho(new JsonObject(), place.waiter().session(), observatory);
        return Show.putKey(shown.put("kind", Show.word(line.kind())), line.key())
                .put("mode", Show.word(place.waiter().mode()))
                .put("position", place.position())
                .put("waited_s", Json.seconds(place.waiter().sinceNanos()))
                .put("blocked_by", blockers);
    }
}
