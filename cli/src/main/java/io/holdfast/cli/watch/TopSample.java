package io.holdfast.cli.watch;

import io.holdfast.cli.json.JsonValue;

import java.util.List;
import java.util.Map;

/**
 * What a server told at one time.
 *
 * @param query what it was asked for
 * @param overview rates and totals
 * @param page the rows of the view, with their {@code total} unless all are there
 * @param deadlocks each of them as a cycle of those who wait
 */
record TopSample(
        TopQuery query,
        JsonValue.ObjectValue overview,
        JsonValue.ObjectValue page,
        List<JsonValue.ArrayValue> deadlocks) {
    private static final String SECONDS = "30"; // enough for the last time that anybody waited

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
