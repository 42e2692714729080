package io.holdfast.http.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.driver.Secret;
import io.holdfast.http.TestHttp;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

@DisplayName("The files of the dashboard")
class DashboardFilesIT {
    private final TestHttp http =
            TestHttp.start(config -> config.secret(new Secret("s3cret".getBytes(UTF_8))));

    @AfterEach
    void stop() {
        http.close();
    }

    private static List<String> files() throws IOException {
        Path folder =
                Path.of(
                        System.getProperty("basedir", "http"),
                        "src/main/resources/io/holdfast/http/dashboard");
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void all_dashboard_files_are_served_without_a_secret() throws IOException {
        TreeSet<String> expected = new TreeSet<>(DashboardRoutes.FILES);
        expected.add(DashboardRoutes.INDEX);
        assertThat(files()).containsExactlyElementsOf(expected);
        for (String name : DashboardRoutes.FILES) {
            HttpResponse<String> response = http.get("/page/" + name);
            assertThat(response.statusCode()).as(name).isEqualTo(200);
            assertThat(response.body()).as(name).isNotEmpty();
        }
        assertThat(http.get("/").body()).contains("<title>Holdfast</title>");
    }

    @Test
    void other_resources_are_not_served_as_dashboard_files() {
        for (String name :
                List.of("PageRoutes.class", "none.js", "..%2Fpage%2Fapp.js", "%2e%2e%2fx")) {
            assertThat(TestHttp.statusAndError(http.get("/page/" + name)))
                    .as(name)
                    .isEqualTo("404 not_found");
        }
    }

    @Test
    void the_dashboard_loads_nothing_from_other_sites_and_cannot_be_framed() {
        HttpResponse<String> response = http.get("/");

        assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none';")
                .contains("frame-ancestors 'none'", "require-trusted-types-for 'script'")
                .doesNotContain("unsafe", "http:", "https:", "*");
        assertThat(response.headers().firstValue("X-Frame-Options")).hasValue("DENY");
        assertThat(response.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }

    @Test
    void a_dashboard_file_that_the_browser_has_is_not_sent_again() {
        String tag = http.get("/page/app.js").headers().firstValue("ETag").orElseThrow();

        assertThat(http.get("/page/app.js", "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(http.get("/page/app.js", "If-None-Match", "\"other\"").statusCode())
                .isEqualTo(200);
        assertThat(http.get("/page/style.css", "If-None-Match", tag).statusCode()).isEqualTo(200);
    }
}
