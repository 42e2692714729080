package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
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
    private static final Pattern CODE = Pattern.compile("`([a-z_]+)`");

    private Page page;
    private String scrape;

    @BeforeAll
    void scrape() throws Exception {
        page = Page.read(Path.of("..", "docs", "operations.md"));
        try (var server = new ExampleServer(List.of("serve", "--listen", "http://127.0.0.1:6389"));
                HttpClient http = HttpClient.newHttpClient()) {
            URI base = URI.create("http://127.0.0.1:" + server.httpPort());
            String lease = "{\"acquire_timeout_s\":0}";
            post(http, base.resolve("/v1/leases/contended"), lease);
            post(http, base.resolve("/v1/leases/contended"), lease.replace("0", "1"));
            scrape =
                    http.send(
                                    HttpRequest.newBuilder(base.resolve("/metrics")).build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
        }
    }

    private static void post(HttpClient http, URI to, String body) throws Exception {
        HttpResponse<String> answer =
                http.send(
                        HttpRequest.newBuilder(to)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Map<String, Set<String>> served() {
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
    void lists_each_metric_with_its_labels() {
        Map<String, Set<String>> shown = new TreeMap<>();
        page.rows("Metrics")
                .forEach(row -> shown.put(row.getFirst().replace("`", ""), all(CODE, row.get(1))));
        assertThat(shown).hasSizeGreaterThan(20).isEqualTo(served());
    }

    @Test
    void has_alerts_about_metrics_that_there_are() {
        String alerts =
                page.blocks().stream()
                        .filter(block -> block.heading().equals("Alerts"))
                        .flatMap(block -> block.lines().stream())
                        .collect(Collectors.joining("\n"));
        assertThat(all(OURS, alerts)).hasSizeGreaterThan(4).isSubsetOf(served().keySet());
    }
}
