package io.holdfast.http.openapi;

import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.Route;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Serves the OpenAPI document {@code openapi.json}, without the routes that are not served, such as
 * the admin routes if they are disabled.
 */
public final class OpenApiRoutes {
    private final boolean admin;
    private @Nullable Buffer document;

    /**
     * @param admin whether the admin routes are enabled
     */
    public OpenApiRoutes(boolean admin) {
        this.admin = admin;
    }

    public void addTo(ApiRouter apiRouter) {
        apiRouter.add(
                HttpMethod.GET,
                "/v1/openapi.json",
                RoutePermission.NOTHING,
                httpExchange -> serve(httpExchange, apiRouter.routes()));
    }

    private void serve(HttpExchange httpExchange, List<Route> routes) {
        Buffer known = document;
        if (known == null) {
            known = describe(routes).toBuffer().appendString("\n");
            document = known;
        }
        httpExchange.respond(200, "application/json", known);
    }

    private JsonObject describe(List<Route> routes) {
        JsonObject described = read();
        Set<String> served = new HashSet<>();
        for (Route route : routes) {
            if (route.need() != RoutePermission.ADMIN || admin) {
                served.add(operation(route.method().name(), route.template()));
            }
        }
        JsonObject paths = described.getJsonObject("paths");
        for (String path : List.copyOf(paths.fieldNames())) {
            JsonObject methods = paths.getJsonObject(path);
            for (String method : List.copyOf(methods.fieldNames())) {
                if (!served.contains(operation(method, path))) {
                    methods.remove(method);
                }
            }
            if (methods.isEmpty()) {
                paths.remove(path);
            }
        }
        return described;
    }

    private static String operation(String method, String path) {
        return method.toUpperCase(Locale.ROOT) + " " + path;
    }

    /** The complete document. */
    static JsonObject read() {
        try (InputStream in = OpenApiRoutes.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("openapi.json is missing");
            }
            return new JsonObject(Buffer.buffer(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
