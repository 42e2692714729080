package io.holdfast.cli.watch;

import io.holdfast.cli.json.Json;

import java.util.Map;

/**
 * What a server told at one time.
 *
 * @param query what it was asked for
 * @param overview rates and totals
 * @param page the rows of the view, with their {@code total} unless all are there
 */
record Sample(Query query, Json.Fields overview, Json.Fields page) {
    private static final String SECONDS = "30"; // enough for the last time that anybody waited

    static Sample read(HttpReader server, Query query) throws ReadException, InterruptedException {
        Json.Fields overview = server.get("/v1/overview", Map.of("points", SECONDS));
        Json.Fields page =
                switch (query.view()) {
                    case KEYS -> server.get("/v1/keys", query.parameters());
                    case CONNECTIONS -> server.get("/v1/connections", query.parameters());
                    case WAITS -> server.get("/v1/waits", Map.of());
                };
        return new Sample(query, overview, page);
    }
}
