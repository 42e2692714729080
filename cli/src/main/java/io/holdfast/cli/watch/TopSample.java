package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;

import java.util.List;
import java.util.Map;

/**
 * The data that a server returned for one refresh.
 *
 * @param query the query of this sample
 * @param overview rates and totals
 * @param page the rows of the view, with their {@code total} unless the page has all of them
 * @param deadlocks the deadlocks, each as a cycle of waits
 */
record TopSample(
        TopQuery query,
        JsonValue.ObjectValue overview,
        JsonValue.ObjectValue page,
        List<JsonValue.ArrayValue> deadlocks) {
    private static final String SECONDS = "30"; // long enough to contain the last wait, usually

    static TopSample read(HttpReader server, TopQuery topQuery)
            throws ReadException, InterruptedException {
        JsonValue.ObjectValue overview = server.get("/v1/overview", Map.of("points", SECONDS));
        JsonValue.ObjectValue page =
                switch (topQuery.view()) {
                    case KEYS -> server.get("/v1/keys", topQuery.parameters());
                    case CONNECTIONS -> server.get("/v1/connections", topQuery.parameters());
                    case WAITS -> server.get("/v1/waits", Map.of());
                };
        JsonValue.ObjectValue waits = page;
        if (topQuery.view() != TopView.WAITS) {
            boolean hasWaiters = overview.fields("totals").optional("longest_wait_s").isPresent();
            waits =
                    hasWaiters
                            ? server.get("/v1/waits", Map.of("limit", "0"))
                            : new JsonValue.ObjectValue(Map.of());
        }
        return new TopSample(topQuery, overview, page, deadlocks(waits));
    }

    private static List<JsonValue.ArrayValue> deadlocks(JsonValue.ObjectValue waits) {
        JsonValue.ArrayValue cycles = waits.list("cycles");
        return cycles == null
                ? List.of()
                : cycles.values().stream()
                        .filter(JsonValue.ArrayValue.class::isInstance)
                        .map(JsonValue.ArrayValue.class::cast)
                        .toList();
    }
}
