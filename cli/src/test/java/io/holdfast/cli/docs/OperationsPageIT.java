package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

@DisplayName("docs/operations.md")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsPageIT {
    private static final Pattern FAMILY =
            Pattern.compile("(?m)^# TYPE ((?:dflockd|holdfast)_\\w+) ");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    private static final Pattern OURS =
            Pattern.compile("\\b((?:dflockd|holdfast)_[a-z_]+?)(?:_bucket|_sum|_count)?\\b");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
    private static final Path RULES = Path.of("..", "docs", "prometheus");
    private static final Pattern CODE = Pattern.compile("`([a-z_]+)`");

    @TempDir private Path folder;
    private Page page;
    private String scrape;

    @BeforeAll
    void scrape() throws Exception {
        page = Page.read(Path.of("..", "docs", "operations.md"));
        scrape = scrape("serve", "--listen", "http://127.0.0.1:6389");
    }

    private static String scrape(String... args) throws Exception {
        try (var server = new ExampleServer(List.of(args));
                HttpClient http = HttpClient.newHttpClient()) {
            URI base = URI.create("http://127.0.0.1:" + server.httpPort());
            String lease = "{\"acquire_timeout_s\":0}";
            post(http, base.resolve("/v1/leases/contended"), lease);
            post(http, base.resolve("/v1/leases/contended"), lease.replace("0", "1"));
            return http.send(
                            HttpRequest.newBuilder(base.resolve("/metrics")).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static void post(HttpClient http, URI to, String body) throws Exception {
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(to)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, Set<String>> served(String scrape) {
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String family : all(FAMILY, scrape)) {
            Set<String> names = new TreeSet<>();
            scrape.lines()
                    .filter(line -> line.matches(family + "(_bucket|_sum|_count)?\\{.*"))
                    .forEach(line -> names.addAll(all(LABEL, line)));
            names.remove("le");
            labels.put(family, names);
        }
        return labels;
    }

    @Test
    void the_operations_page_lists_each_metric_with_its_labels() {
        assertThat(shown("Metrics")).hasSizeGreaterThan(20).isEqualTo(served(scrape));
    }

    private Map<String, Set<String>> shown(String heading) {
        Map<String, Set<String>> shown = new TreeMap<>();
        page.rows(heading)
                .forEach(row -> shown.put(row.getFirst().replace("`", ""), all(CODE, row.get(1))));
        return shown;
    }

    @Test
    void the_operations_page_lists_the_metrics_of_a_server_with_a_data_directory()
            throws Exception {
        Map<String, Set<String>> shown = shown("Metrics of a cluster");
        shown.values().removeIf(labels -> labels.contains("peer")); // a single node has no peers
        Map<String, Set<String>> more =
                served(
                        scrape(
                                "serve",
                                "--listen",
                                "http://127.0.0.1:6389",
                                "--data-dir",
                                folder.toString()));
        more.keySet().removeAll(served(scrape).keySet());
        assertThat(shown).hasSizeGreaterThan(5).isEqualTo(more);
    }

    @Test
    void the_page_lists_each_alert_and_alerts_use_existing_metrics() throws Exception {
        String rules = Files.readString(RULES.resolve("alerts.yml"));
        assertThat(page.rows("Alerts").stream().map(row -> row.getFirst().replace("`", "")))
                .hasSizeGreaterThan(4)
                .containsExactlyElementsOf(
                        ALERT.matcher(rules).results().map(found -> found.group(1)).toList());
        Set<String> metrics = new TreeSet<>(shown("Metrics").keySet());
        metrics.addAll(shown("Metrics of a cluster").keySet());
        assertThat(all(OURS, rules)).hasSizeGreaterThan(10).isSubsetOf(metrics);
    }

    @Test
    @NeedsProgram(OutsideProgram.PROMTOOL)
    void the_alerts_fire_when_they_should() throws Exception {
        assertThat(promtool("check", "rules", "alerts.yml")).contains("SUCCESS");
        assertThat(promtool("test", "rules", "alerts_test.yml")).contains("SUCCESS");
    }

    private static String promtool(String... args) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(OutsideProgram.PROMTOOL.find().orElseThrow().toString());
        command.addAll(List.of(args));
        Process process =
                new ProcessBuilder(command)
                        .directory(RULES.toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
            return printed;
        }
    }
}
