package io.holdfast.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import io.holdfast.driver.Secret;
import io.holdfast.http.DriverClient;
import io.holdfast.http.EventReader;
import io.holdfast.http.TestHttp;
import io.holdfast.http.web.Route;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@DisplayName("The OpenAPI document")
class OpenApiIT {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
    private static final Pattern OPEN_SEGMENT = Pattern.compile("\\{(\\w+)}");
    private static final Pattern SLASH = Pattern.compile("/");

    private final TestHttp http = TestHttp.start(config -> config.admin(true));
    private final JsonObject document = TestHttp.json(http.get("/v1/openapi.json"));
    private final SchemaRegistry schemas =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private final Set<String> tried = new TreeSet<>();

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void the_document_lists_exactly_the_routes_that_are_served() {
        assertThat(operations(document)).isEqualTo(served(http));
        assertThat(operations(OpenApiRoutes.read())).isEqualTo(served(http));
    }

    @Test
    void the_document_has_no_admin_routes_where_they_are_disabled() {
        try (TestHttp open = TestHttp.start();
                TestHttp secret =
                        TestHttp.start(
                                config ->
                                        config.secret(
                                                new Secret(
                                                        "s".getBytes(StandardCharsets.UTF_8))))) {
            Set<String> expected = served(open);
            expected.removeIf(operation -> operation.contains("/v1/admin/"));

            assertThat(operations(TestHttp.json(open.get("/v1/openapi.json")))).isEqualTo(expected);
            assertThat(operations(TestHttp.json(secret.get("/v1/openapi.json"))))
                    .isEqualTo(served(secret));
        }
    }

    @Test
    void the_document_is_consistent() {
        assertThat(document.getString("openapi")).startsWith("3.1.");
        assertThat(document.getJsonObject("info").fieldNames()).contains("title", "version");
        checkReferences(document);
        Set<String> names = new TreeSet<>();
        for (String operation : operations(document)) {
            JsonObject described = operation(operation);
            assertThat(names.add(described.getString("operationId"))).as(operation).isTrue();
            assertThat(described.getJsonObject("responses").fieldNames())
                    .as(operation)
                    .allMatch(status -> status.matches("[2-5][0-9][0-9]"))
                    .anyMatch(status -> status.startsWith("2"));
            assertThat(parameters(described, "path")).as(operation).isEqualTo(open(operation));
            for (Object tag : described.getJsonArray("tags")) {
                assertThat(document.getJsonArray("tags").stream())
                        .anyMatch(known -> ((JsonObject) known).getString("name").equals(tag));
            }
        }
    }

    @Test
    void the_schemas_of_the_document_are_valid() {
        JsonObject all = document.getJsonObject("components").getJsonObject("schemas");
        for (String name : all.fieldNames()) {
            List<Error> errors =
                    schemas.getSchema(SchemaLocation.of(DIALECT))
                            .validate(all.getJsonObject(name).encode(), InputFormat.JSON);
            assertThat(errors).as(name).isEmpty();
        }
    }

    @Test
    void the_document_describes_the_requests_and_responses_of_each_route() {
        DriverClient driverClient = new DriverClient(http, "guest");
        driverClient.lock("held");
        driverClient.lock("held");
        driverClient.share("shared");
        driverClient.slot("slots", 3);

        tryLocks();
        tryData();
        tryOthers(driverClient);

        Set<String> untried = new TreeSet<>(operations(document));
        untried.removeAll(tried);
        assertThat(untried).isEmpty();
    }

    private void tryLocks() {
        String session = good("POST /v1/sessions", "/v1/sessions", null).getString("session_id");
        String[] header = {"X-Dflockd-Session", session};
        for (String family : List.of("locks", "semaphores")) {
            String path = "/v1/" + family + "/{key}";
            String limit = family.equals("locks") ? "" : ",\"limit\":1";
            JsonObject grant =
                    good(
                            "POST " + path,
                            path,
                            "{\"acquire_timeout_s\":0,\"lease_ttl_s\":60" + limit + "}",
                            header);
            String token = grant.getString("token");
            good("POST " + path, path, "{\"acquire_timeout_s\":0" + limit + "}", header);
            good(
                    "POST " + path + "/renew",
                    path + "/renew",
                    "{\"token\":\"" + token + "\",\"lease_ttl_s\":60}",
                    header);
            good(
                    "POST " + path + "/enqueue",
                    path + "/enqueue",
                    "{\"lease_ttl_s\":60" + limit + "}",
                    header);
            good("POST " + path + "/wait", path + "/wait", "{\"timeout_s\":0}", header);
            String release = "{\"token\":\"" + token + "\"}";
            good("POST " + path + "/release", path + "/release", release, header);
            bad(404, "POST " + path + "/release", path + "/release", release, header);
            bad(404, "POST " + path + "/renew", path + "/renew", release, header);
            bad(409, "POST " + path + "/wait", path + "/wait", "{\"timeout_s\":0}", header);
            bad(400, "POST " + path, path, "{\"acquire_timeout_s\":-1" + limit + "}", header);
            bad(
                    410,
                    "POST " + path,
                    path,
                    "{\"acquire_timeout_s\":0" + limit + "}",
                    "X-Dflockd-Session",
                    "0".repeat(32));
        }
        String path = "/v1/rwlocks/{key}";
        String token =
                good("POST " + path, path, "{\"mode\":\"read\",\"acquire_timeout_s\":0}", header)
                        .getString("token");
        good("POST " + path, path, "{\"mode\":\"write\",\"acquire_timeout_s\":0}", header);
        good("POST " + path + "/renew", path + "/renew", "{\"token\":\"" + token + "\"}", header);
        good(
                "POST " + path + "/release",
                path + "/release",
                "{\"token\":\"" + token + "\"}",
                header);
        good("POST " + path + "/enqueue", path + "/enqueue", "{\"mode\":\"read\"}", header);
        good("POST " + path + "/wait", path + "/wait", "{\"timeout_s\":0}", header);
        bad(400, "POST " + path, path, "{\"mode\":\"look\"}", header);
        path = "/v1/shared/{key}";
        good("POST " + path, path, null, header);
        good("POST " + path + "/release", path + "/release", null, header);
        bad(404, "POST " + path + "/release", path + "/release", null, header);
        tryLeases("/v1/leases/{key}");
        String id = "/v1/sessions/" + session;
        good("POST /v1/sessions/{id}/ping", id + "/ping", null);
        good("DELETE /v1/sessions/{id}", id, null);
        bad(410, "DELETE /v1/sessions/{id}", id, null);
        bad(400, "POST /v1/sessions/{id}/ping", "/v1/sessions/none/ping", null);
    }

    private void tryLeases(String path) {
        String leased = path.replace("{key}", "leased");
        String token =
                good("POST " + path, leased, "{\"lease_ttl_s\":60,\"mode\":\"write\"}")
                        .getString("token");
        String named = "{\"token\":\"" + token + "\"}";
        good("POST " + path, leased, "{\"acquire_timeout_s\":0}");
        good("POST " + path, leased, "{\"limit\":2}");
        good("POST " + path + "/renew", leased + "/renew", named);
        good("POST " + path + "/release", leased + "/release", named);
        bad(404, "POST " + path + "/renew", leased + "/renew", named);
        bad(409, "POST " + path, leased, "{\"limit\":3}");
        bad(400, "POST " + path, leased, "{\"limit\":0,\"more\":1}");
    }

    private void tryData() {
        String path = "/v1/kv/{key}";
        good("PUT " + path, path, "{\"value\":\"v\",\"ttl_s\":60}");
        good("GET " + path, path, null);
        good("DELETE " + path, path, null);
        bad(404, "GET " + path, path, null);
        bad(400, "PUT " + path, path, "{}");
        path = "/v1/counters/{key}";
        good("POST " + path, path, "{\"add\":-1}");
        good("PUT " + path, path, "{\"value\":9223372036854775807}");
        good("GET " + path, path, null);
        bad(409, "POST " + path, path, "{\"add\":1}");
        path = "/v1/lists/{key}";
        good("POST " + path + "/push", path + "/push", "{\"item\":\"i\",\"end\":\"front\"}");
        good("GET " + path, path + "?first=0&last=-1", null);
        good("POST " + path + "/pop", path + "/pop", null);
        bad(404, "POST " + path + "/pop", path + "/pop", "{\"end\":\"back\"}");
        path = "/v1/signals/{channel}";
        good("POST " + path, path, "{\"payload\":\"p\"}");
        bad(400, "POST " + path, path, "{\"payload\":\"\"}");
    }

    private void tryOthers(DriverClient driverClient) {
        for (String stream : List.of("/v1/signals?pattern=a", "/v1/events")) {
            try (EventReader reader = EventReader.open(http, stream)) {
                String operation = "GET " + stream.replaceFirst("\\?.*", "");
                assertThat(response(operation, 200).getJsonObject("content").fieldNames())
                        .containsExactly(
                                reader.response()
                                        .headers()
                                        .firstValue("content-type")
                                        .orElseThrow());
                good("GET /v1/signals/channels", "/v1/signals/channels", null);
                tried.add(operation);
            }
        }
        bad(400, "GET /v1/signals", "/v1/signals", null);
        good("GET /v1/keys", "/v1/keys", null);
        bad(400, "GET /v1/keys", "/v1/keys?kind=door", null);
        for (String key : List.of("held", "shared", "slots")) {
            good("GET /v1/keys/{key}", "/v1/keys/" + key, null);
        }
        bad(404, "GET /v1/keys/{key}", "/v1/keys/unknown", null);
        good("GET /v1/connections", "/v1/connections", null);
        String number = "/v1/connections/" + driverClient.id();
        good("GET /v1/connections/{number}", number, null);
        bad(404, "GET /v1/connections/{number}", "/v1/connections/424242", null);
        assertThat(good("GET /v1/waits", "/v1/waits", null).getJsonArray("cycles")).hasSize(1);
        good("GET /v1/stats", "/v1/stats", null);
        good("GET /v1/overview", "/v1/overview", null);
        good("GET /v1/cluster", "/v1/cluster", null);
        good("GET /health", "/health", null);
        good("GET /ready", "/ready", null);
        good("GET /v1/openapi.json", "/v1/openapi.json", null);
        tryText("/metrics");
        if (operations(document).contains("GET /")) {
            tryText("/");
            tried.add("GET /page/{file}");
        }
        good(
                "POST /v1/admin/keys/{key}/release",
                "/v1/admin/keys/held/release",
                "{\"kind\":\"lock\",\"reason\":\"r\"}");
        good(
                "DELETE /v1/admin/connections/{number}",
                "/v1/admin" + number.substring("/v1".length()),
                "{\"reason\":\"r\"}");
        good("GET /v1/admin/audit", "/v1/admin/audit", null);
    }

    private void tryText(String path) {
        HttpResponse<String> response = http.get(path);
        assertThat(response.statusCode()).isEqualTo(200);
        String type = response.headers().firstValue("content-type").orElseThrow();
        assertThat(response("GET " + path, 200).getJsonObject("content").fieldNames())
                .anyMatch(type::startsWith);
        tried.add("GET " + path);
    }

    private JsonObject good(
            String operation, String path, @Nullable String body, String... headers) {
        JsonObject described = operation(operation);
        if (body != null) {
            JsonObject content = described.getJsonObject("requestBody").getJsonObject("content");
            check(operation, content, body);
        }
        tried.add(operation);
        HttpResponse<String> response = send(operation, path, body, headers);
        assertThat(response.statusCode()).as(operation).isBetween(200, 204);
        return response.body().isEmpty() ? new JsonObject() : TestHttp.json(response);
    }

    private void bad(
            int status, String operation, String path, @Nullable String body, String... headers) {
        assertThat(send(operation, path, body, headers).statusCode())
                .as(operation)
                .isEqualTo(status);
    }

    /** Sends a request and checks its response against the document. */
    private HttpResponse<String> send(
            String operation, String path, @Nullable String body, String... headers) {
        String method = operation.substring(0, operation.indexOf(' '));
        String sent = path.replaceAll("\\{\\w+}", "sample");
        HttpResponse<String> response = http.send(method, sent, body, headers);
        JsonObject content = response(operation, response.statusCode()).getJsonObject("content");
        assertThat(response.body().isEmpty()).as(operation).isEqualTo(content == null);
        if (content != null) {
            check(operation + " " + response.statusCode(), content, response.body());
        }
        return response;
    }

    private void check(String what, JsonObject content, String json) {
        JsonObject schema =
                content.getJsonObject("application/json").getJsonObject("schema").copy();
        schema.put("components", document.getJsonObject("components"));
        assertThat(
                        schemas.getSchema(schema.encode(), InputFormat.JSON)
                                .validate(json, InputFormat.JSON))
                .as(what + " " + json)
                .isEmpty();
    }

    private JsonObject operation(String operation) {
        int blank = operation.indexOf(' ');
        JsonObject path =
                document.getJsonObject("paths").getJsonObject(operation.substring(blank + 1));
        assertThat(path).as(operation).isNotNull();
        return path.getJsonObject(operation.substring(0, blank).toLowerCase(Locale.ROOT));
    }

    private JsonObject response(String operation, int status) {
        JsonObject response =
                operation(operation)
                        .getJsonObject("responses")
                        .getJsonObject(String.valueOf(status));
        assertThat(response).as(operation + " " + status).isNotNull();
        return resolved(response);
    }

    private JsonObject resolved(JsonObject value) {
        String reference = value.getString("$ref");
        if (reference == null) {
            return value;
        }
        JsonObject at = document;
        for (String name : SLASH.split(reference.substring("#/".length()), -1)) {
            at = at.getJsonObject(name);
            assertThat(at).as(reference).isNotNull();
        }
        return at;
    }

    private void checkReferences(Object value) {
        if (value instanceof JsonObject object) {
            assertThat(resolved(object)).isNotNull();
            object.forEach(field -> checkReferences(field.getValue()));
        } else if (value instanceof JsonArray array) {
            array.forEach(this::checkReferences);
        }
    }

    private Set<String> parameters(JsonObject operation, String in) {
        Set<String> names = new TreeSet<>();
        for (Object each : operation.getJsonArray("parameters", new JsonArray())) {
            JsonObject parameter = resolved((JsonObject) each);
            if (parameter.getString("in").equals(in)) {
                names.add(parameter.getString("name"));
            }
        }
        return names;
    }

    /** The placeholders of a path. */
    private static Set<String> open(String operation) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = OPEN_SEGMENT.matcher(operation);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    private static Set<String> operations(JsonObject document) {
        List<String> all = new ArrayList<>();
        JsonObject paths = document.getJsonObject("paths");
        for (String path : paths.fieldNames()) {
            for (String method : paths.getJsonObject(path).fieldNames()) {
                all.add(method.toUpperCase(Locale.ROOT) + " " + path);
            }
        }
        return new TreeSet<>(all);
    }

    private static Set<String> served(TestHttp http) {
        Set<String> all = new TreeSet<>();
        for (Route route : http.front.api().routes()) {
            all.add(route.method().name() + " " + route.template());
        }
        return all;
    }
}
