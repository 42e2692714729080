package io.holdfast.http.dashboard;

import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/** Serves the dashboard at {@code /} and its files under {@code /page/}. */
public final class DashboardRoutes {
    static final String INDEX = "index.html";

    /** All files of the dashboard; no other resource is ever read. */
    static final Set<String> FILES =
            Set.of(
                    "actions.js",
                    "api.js",
                    "app.js",
                    "chart.js",
                    "dialogs.js",
                    "dom.js",
                    "filters.js",
                    "format.js",
                    "grid.js",
                    "icon.svg",
                    "keys.js",
                    "live.js",
                    "parts.js",
                    "poller.js",
                    "state.js",
                    "style.css",
                    "theme.js",
                    "view-charts.js",
                    "view-connection.js",
                    "view-connections.js",
                    "view-key.js",
                    "view-keys.js",
                    "view-signals.js",
                    "view-waits.js");

    /**
     * Only files of this server, no inline scripts, no HTML built from strings, no embedding in
     * frames.
     */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'; require-trusted-types-for 'script'";

    private final DashboardFiles files = new DashboardFiles();

    public void addTo(ApiRouter apiRouter) {
        apiRouter.add(
                HttpMethod.GET,
                "/",
                RoutePermission.NOTHING,
                httpExchange -> send(httpExchange, INDEX));
        apiRouter.add(HttpMethod.GET, "/page/{file}", RoutePermission.NOTHING, this::sendNamed);
    }

    private void sendNamed(HttpExchange httpExchange) throws HttpProblem {
        String name = httpExchange.segment("file");
        if (!FILES.contains(name)) {
            throw HttpProblem.notFound();
        }
        send(httpExchange, name);
    }

    private void send(HttpExchange httpExchange, String name) {
        DashboardFile file = files.get(name);
        HttpServerResponse response = httpExchange.response();
        response.putHeader(HttpHeaders.ETAG, file.tag())
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("X-Frame-Options", "DENY")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin");
        if (isKnown(file, httpExchange.header("If-None-Match"))) {
            response.putHeader("X-Content-Type-Options", "nosniff").setStatusCode(304).end();
        } else {
            httpExchange.respond(200, file.type(), file.bytes());
        }
    }

    private static boolean isKnown(DashboardFile file, @Nullable String tags) {
        return tags != null && tags.contains(file.tag());
    }
}
