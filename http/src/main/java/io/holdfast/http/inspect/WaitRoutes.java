package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.QueueView;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonWriter;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;

/** Who waits for whom. */
final class WaitRoutes {
    /** How many waits one answer has; those who have waited longest. */
    private static final int MAX_WAITS = 5000;

    /** How many of those in the way of one wait are told. */
    private static final int MAX_BLOCKERS = 16;

    /** One place in a line. */
    private record QueuedWaiter(QueueView queue, int position, QueueView.Waiter waiter) {}

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/waits", RoutePermission.READ, this::list);
    }

    private void list(HttpExchange httpExchange) throws HttpProblem {
        int most = httpExchange.queryInt("limit", MAX_WAITS, 0, MAX_WAITS);
        Driver driver = httpExchange.backend().driver();
        ServerMonitor serverMonitor = httpExchange.backend().observatory();
        LongPredicate concurrent =
                session -> {
                    ClientInfo clientInfo = serverMonitor.peerOf(session);
                    return clientInfo != null && clientInfo.concurrent();
                };
        httpExchange.offLoop(
                () ->
                        list(
                                new WaitGraph(driver, System::nanoTime, concurrent),
                                most,
                                serverMonitor));
    }

    private static JsonObject list(WaitGraph graph, int most, ServerMonitor serverMonitor) {
        ResponseSizeLimit responseSizeLimit = new ResponseSizeLimit();
        ResponseSizeLimit cyclesBulk = new ResponseSizeLimit();
        boolean more = false;
        JsonArray cycles = new JsonArray();
        for (List<DeadlockDetector.Step> cycle : graph.read()) {
            if (!cycle.stream().allMatch(step -> cyclesBulk.admits(step.spot().key()))) {
                more = true;
                break;
            }
            JsonArray steps = new JsonArray();
            cycle.forEach(step -> steps.add(show(step, serverMonitor)));
            cycles.add(steps);
        }
        BoundedRanking<QueuedWaiter> longest =
                new BoundedRanking<>(
                        Comparator.comparingLong(
                                        (QueuedWaiter queuedWaiter) ->
                                                queuedWaiter.waiter().sinceNanos())
                                .reversed(),
                        0,
                        most);
        for (QueueView line : graph.queues()) {
            int position = 0;
            for (QueueView.Waiter waiter : line.waiters()) {
                longest.add(new QueuedWaiter(line, ++position, waiter));
            }
        }
        JsonArray waits = new JsonArray();
        for (QueuedWaiter queuedWaiter : longest.toList()) {
            if (!responseSizeLimit.admits(queuedWaiter.queue().key())) {
                more = true;
                break;
            }
            waits.add(show(queuedWaiter, serverMonitor));
        }
        return new JsonObject()
                .put("waits", waits)
                .put("cycles", cycles)
                .put("truncated", more || graph.isTruncated() || longest.total() > most);
    }

    private static JsonObject show(DeadlockDetector.Step step, ServerMonitor serverMonitor) {
        ResourceKey resourceKey = step.spot();
        JsonObject shown = JsonFormat.putWho(new JsonObject(), step.session(), serverMonitor);
        return JsonFormat.putKey(
                        shown.put("kind", JsonFormat.label(resourceKey.kind())), resourceKey.key())
                .put("concurrent", step.concurrent());
    }

    private static JsonObject show(QueuedWaiter queuedWaiter, ServerMonitor serverMonitor) {
        QueueView line = queuedWaiter.queue();
        JsonArray blockers = new JsonArray();
        for (Long session : line.holders()) {
            if (blockers.size() == MAX_BLOCKERS) {
                break;
            }
            JsonObject blocker = JsonFormat.putWho(new JsonObject(), session, serverMonitor);
            blocker.remove("protocol");
            blockers.add(blocker);
        }
        JsonObject shown =
                JsonFormat.putWho(new JsonObject(), queuedWaiter.waiter().session(), serverMonitor);
        return JsonFormat.putKey(shown.put("kind", JsonFormat.label(line.kind())), line.key())
                .put("mode", JsonFormat.label(queuedWaiter.waiter().mode()))
                .put("position", queuedWaiter.position())
                .put("waited_s", JsonWriter.seconds(queuedWaiter.waiter().sinceNanos()))
                .put("blocked_by", blockers);
    }
}
