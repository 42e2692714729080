package io.holdfast.cli.watch;

import io.holdfast.cli.json.Json;

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
record Sample(Query query, Json.Fields overview, Json.Fields page, List<Json.Items> deadlocks) {
    private static final String SECONDS = "30"; // enough for the last time that anybody waited

    static Sample read(HttpReader server, Query query) throws ReadException, InterruptedException {
        Json.Fields overview = server.get("/v1/overview", Map.of("points", SECONDS));
        Json.Fields page =
                switch (query.view()) {
                    case KEYS -> server.get("/v1/keys", query.parameters());
                    case CONNECTIONS -> server.get("/v1/connections", query.parameters());
                    case WAITS -> server.get("/v1/waits", Map.of());
                };
        Json.Fields waits = page;
        if (query.view() != View.WAITS) {
            boolean hasWaiters = overview.fields("totals").optional("longest_wait_s").isPresent();
            waits =
                    hasWaiters
                            ? server.get("/v1/waits", Map.of("limit", "0"))
                            : new Json.Fields(Map.of());
        }
        return new Sample(query, overview, page, deadlocks(waits));
    }

    private static List<Json.Items> deadlocks(Json.Fields waits) {
        Json.Items cycles = waits.list("cycles");
        return cycles == null
                ? List.of()
                : cycles.values().stream()
                        .filter(Json.Items.class::isInstance)
                        .map(Json.Items.class::cast)
                        .toList();
    }
}
