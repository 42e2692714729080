package io.holdfast.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

@DisplayName("The Grafana dashboard")
class GrafanaTest {
    private static final Path FILE = Path.of("..", "docs", "grafana", "holdfast.json");
    private static final Pattern METRIC =
            Pattern.compile("\\b(?:holdfast|dflockd|jvm|process|system)_[a-z0-9_]+");

    /** Label matchers in the queries. */
    private static final Pattern LABELS = Pattern.compile("by \\(([a-z, ]+)\\)");

    private static final Pattern COMMA = Pattern.compile(", ");

    private final MetricsScenario metricsScenario = new MetricsScenario();

    @AfterEach
    void close() {
        metricsScenario.close();
    }

    private static JsonArray panels() throws IOException {
        return new JsonObject(Files.readString(FILE)).getJsonArray("panels");
    }

    private static List<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (Object panel : panels()) {
            JsonArray targets = ((JsonObject) panel).getJsonArray("targets", new JsonArray());
            for (Object target : targets) {
                queries.add(((JsonObject) target).getString("expr"));
            }
        }
        return queries;
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        pattern.matcher(text).results().map(MatchResult::group).forEach(found::add);
        return found;
    }

    /** The metrics of a server on which every operation was executed. */
    private PrometheusText scrape() {
        MetricsScenario.Client alice = metricsScenario.client();
        Objects.requireNonNull(alice.lock("a"));
        assertThat(metricsScenario.client().lock("a")).isNull();
        Objects.requireNonNull(alice.acquire(ResourceKind.LOCK, Key.of("b"), 1, 0, 1));
        metricsScenario.monitor.traffic("dflockd").connected();
        metricsScenario.monitor.handedOff(1);
        metricsScenario.requestMetrics.completed(HttpMethod.GET, "/health", 200, 1);
        PrometheusText first =
                metricsScenario.scrape(); // garbage collections are counted from the first scrape
        assertThat(first.names()).isNotEmpty();
        System.gc();
        Awaitility.await()
                .until(() -> metricsScenario.scrape().names().contains("jvm_gc_pause_seconds_sum"));
        return metricsScenario.scrape();
    }

    @Test
    void the_Grafana_dashboard_queries_only_existing_metrics() throws IOException {
        Set<String> queried = new TreeSet<>();
        queries().forEach(query -> queried.addAll(found(METRIC, query)));
        assertThat(queried).hasSizeGreaterThan(25);
        assertThat(scrape().names()).containsAll(queried);
    }

    @Test
    void the_Grafana_dashboard_shows_every_metric_of_Holdfast() throws IOException {
        String all = String.join("\n", queries());
        Set<String> families = new TreeSet<>();
        scrape().types().keySet().stream()
                .filter(name -> name.startsWith("holdfast_"))
                .forEach(families::add);
        assertThat(families).allMatch(all::contains);
    }

    @Test
    void the_Grafana_dashboard_groups_by_existing_labels() throws IOException {
        PrometheusText text = scrape();
        for (String query : queries()) {
            Set<String> metrics = found(METRIC, query);
            LABELS.matcher(query)
                    .results()
                    .flatMap(labels -> COMMA.splitAsStream(labels.group(1)))
                    .forEach(
                            label ->
                                    assertThat(text.samples().keySet())
                                            .as(query)
                                            .anyMatch(
                                                    series ->
                                                            metrics.contains(series.name())
                                                                    && series.labels()
                                                                            .containsKey(label)));
        }
    }

    @Test
    void the_panels_of_the_Grafana_dashboard_do_not_overlap() throws IOException {
        Set<Integer> ids = new TreeSet<>();
        boolean[][] taken = new boolean[200][24];
        for (Object item : panels()) {
            JsonObject panel = (JsonObject) item;
            JsonObject place = panel.getJsonObject("gridPos");
            assertThat(ids.add(panel.getInteger("id"))).isTrue();
            for (int y = 0; y < place.getInteger("h"); y++) {
                for (int x = 0; x < place.getInteger("w"); x++) {
                    boolean[] row = taken[place.getInteger("y") + y];
                    assertThat(row[place.getInteger("x") + x]).isFalse();
                    row[place.getInteger("x") + x] = true;
                }
            }
        }
    }
}
