package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Compares the page with the OpenAPI document; other tests compare that with the routes. */
@DisplayName("docs/http.md")
class HttpPageTest {
    private static final Pattern CODE = Pattern.compile("`([a-z_]+)`");
    private static final String SESSION = "#/components/parameters/SessionHeader";

    private static Page page;
    private static JsonObject api;

    @BeforeAll
    static void read() throws IOException {
        page = Page.read(Path.of("..", "docs", "http.md"));
        try (InputStream in =
                HttpPageTest.class.getResourceAsStream("/io/holdfast/http/openapi/openapi.json")) {
            byte[] bytes = Objects.requireNonNull(in).readAllBytes();
            api = new JsonObject(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    private record Shown(String route, String needs) {}

    private static String needs(JsonObject operation) {
        JsonArray security = operation.getJsonArray("security");
        if (security != null && security.isEmpty()) {
            return "nothing";
        }
        if (security != null && security.encode().contains("readToken")) {
            return "read";
        }
        if (operation.getJsonArray("tags").contains("admin")) {
            return "admin";
        }
        boolean session =
                operation.getJsonArray("parameters", new JsonArray()).encode().contains(SESSION);
        return session ? "session" : "secret";
    }

    @Test
    void the_http_page_lists_each_route_with_its_role() {
        JsonObject paths = api.getJsonObject("paths");
        List<Shown> routes =
                paths.fieldNames().stream()
                        .flatMap(path -> routes(path, paths.getJsonObject(path)))
                        .toList();
        assertThat(routes).hasSizeGreaterThan(40);
        assertThat(page.rows("All routes"))
                .extracting(row -> new Shown(row.getFirst().replace("`", ""), row.get(1)))
                .containsExactlyInAnyOrderElementsOf(routes);
    }

    private static Stream<Shown> routes(String path, JsonObject methods) {
        return methods.fieldNames().stream()
                .map(
                        method ->
                                new Shown(
                                        method.toUpperCase(Locale.ROOT) + " " + path,
                                        needs(methods.getJsonObject(method))));
    }

    @Test
    void the_http_page_lists_each_error() {
        Set<String> codes = new TreeSet<>();
        JsonObject responses = api.getJsonObject("components").getJsonObject("responses");
        for (String name : responses.fieldNames()) {
            codes(responses.getJsonObject(name).getString("description")).forEach(codes::add);
        }
        assertThat(codes).hasSizeGreaterThan(15);
        assertThat(page.rows("Errors"))
                .flatExtracting(row -> codes(row.get(1)).toList())
                .doesNotHaveDuplicates()
                .containsAll(codes);
    }

    private static Stream<String> codes(String text) {
        return CODE.matcher(text).results().map((MatchResult found) -> found.group(1));
    }

    @Test
    void the_http_page_uses_curl_only_in_examples_that_are_run_or_need_a_secret() {
        assertThat(page.blocks())
                .filteredOn(block -> !block.kind().equals("console"))
                .flatExtracting(Page.Block::lines)
                .filteredOn(line -> line.startsWith("curl"))
                .allSatisfy(line -> assertThat(line).contains("$SECRET"));
    }
}
