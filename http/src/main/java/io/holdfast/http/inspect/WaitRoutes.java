package io.holdfast.http.inspect;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.engine.view.QueueView;
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

/** The route of the wait-for graph. */
final class WaitRoutes {
    /** Maximum number of waits in a response: those that have lasted longest. */
    private static final int MAX_WAITS = 5000;

    /** Maximum number of blockers that are listed for a wait. */
    private static final int MAX_BLOCKERS = 16;

    /** A waiter with its queue and position. */
    private record QueuedWaiter(QueueView queue, int position, QueueView.Waiter waiter) {}

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/waits", RoutePermission.READ, this::list);
    }

    private void list(HttpExchange httpExchange) throws HttpProblem {
        int max = httpExchange.queryInt("limit", MAX_WAITS, 0, MAX_WAITS);
        Driver driver = httpExchange.backend().driver();
        ServerMonitor serverMonitor = httpExchange.backend().monitor();
        LongPredicate concurrent =
                session -> {
                    ClientInfo clientInfo = serverMonitor.peerOf(session);
                    return clientInfo != null && clientInfo.concurrent();
                };
        httpExchange.offLoop(
                () ->
                        list(
                                new WaitGraph(driver, System::nanoTime, concurrent),
                                max,
                                serverMonitor));
    }

    private static JsonObject list(WaitGraph graph, int max, ServerMonitor serverMonitor) {
        ResponseSizeLimit responseSizeLimit = new ResponseSizeLimit();
        ResponseSizeLimit cyclesSizeLimit = new ResponseSizeLimit();
        boolean more = false;
        JsonArray cycles = new JsonArray();
        for (List<DeadlockDetector.Step> cycle : graph.read()) {
            if (!cycle.stream().allMatch(step -> cyclesSizeLimit.admits(step.resource().key()))) {
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
                        max);
        for (QueueView queue : graph.queues()) {
            int position = 0;
            for (QueueView.Waiter waiter : queue.waiters()) {
                longest.add(new QueuedWaiter(queue, ++position, waiter));
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
                .put("truncated", more || graph.isTruncated() || longest.total() > max);
    }

    private static JsonObject show(DeadlockDetector.Step step, ServerMonitor serverMonitor) {
        ResourceKey resourceKey = step.resource();
        JsonObject json = JsonFormat.putClient(new JsonObject(), step.session(), serverMonitor);
        return JsonFormat.putKey(
                        json.put("kind", JsonFormat.label(resourceKey.kind())), resourceKey.key())
                .put("concurrent", step.concurrent());
    }

    private static JsonObject show(QueuedWaiter queuedWaiter, ServerMonitor serverMonitor) {
        QueueView queue = queuedWaiter.queue();
        JsonArray blockers = new JsonArray();
        for (Long session : queue.holders()) {
            if (blockers.size() == MAX_BLOCKERS) {
                break;
            }
            JsonObject blocker = JsonFormat.putClient(new JsonObject(), session, serverMonitor);
            blocker.remove("protocol");
            blockers.add(blocker);
        }
        JsonObject json =
                JsonFormat.putClient(
                        new JsonObject(), queuedWaiter.waiter().session(), serverMonitor);
        return JsonFormat.putKey(json.put("kind", JsonFormat.label(queue.kind())), queue.key())
                .put("mode", JsonFormat.label(queuedWaiter.waiter().mode()))
                .put("position", queuedWaiter.position())
                .put("waited_s", JsonWriter.seconds(queuedWaiter.waiter().sinceNanos()))
                .put("blocked_by", blockers);
    }
}
