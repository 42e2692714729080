package io.holdfast.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.frontend.ClusterView;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

@DisplayName("Cluster metrics")
class ClusterCollectorTest {
    private static final List<ClusterView.Member> OTHERS =
            List.of(
                    new ClusterView.Member("n2", "h2:1", 40, 250),
                    new ClusterView.Member("n3", "h3:1", 41, 1500));

    private static Map<String, Double> collect(String role) {
        return collect(role, true);
    }

    private static Map<String, Double> collect(String role, boolean ready) {
        var view =
                new ClusterView(
                        "c",
                        "n1",
                        false,
                        role,
                        7,
                        "n1",
                        42,
                        39,
                        2,
                        3,
                        null,
                        Path.of("."),
                        4,
                        9,
                        true,
                        OTHERS);
        Map<String, Double> values = new TreeMap<>();
        for (MetricSnapshot family : new ClusterCollector(() -> view, () -> ready).collect()) {
            if (family instanceof CounterSnapshot counter) {
                values.put(
                        counter.getMetadata().getName(),
                        counter.getDataPoints().getFirst().getValue());
                continue;
            }
            ((GaugeSnapshot) family)
                    .getDataPoints()
                    .forEach(
                            point ->
                                    values.put(
                                            family.getMetadata().getName()
                                                    + point.getLabels().stream()
                                                            .map(label -> " " + label.getValue())
                                                            .findFirst()
                                                            .orElse(""),
                                            point.getValue()));
        }
        return values;
    }

    @Test
    void the_leader_has_metrics_of_its_peers() {
        assertThat(collect("leader"))
                .containsEntry("holdfast_cluster_is_leader", 1.0)
                .containsEntry("holdfast_cluster_term", 7.0)
                .containsEntry("holdfast_cluster_lag", 3.0)
                .containsEntry("holdfast_cluster_version", 2.0)
                .containsEntry("holdfast_cluster_peer_match_index n2", 40.0)
                .containsEntry("holdfast_cluster_peer_match_index n3", 41.0)
                .containsEntry("holdfast_cluster_peer_silence_seconds n3", 1.5);
    }

    @Test
    void cluster_metrics_show_whether_clients_are_served_and_the_free_disk_space() {
        assertThat(collect("leader")).containsEntry("holdfast_cluster_serving", 1.0);
        Map<String, Double> unready = collect("leader", false);
        assertThat(unready).containsEntry("holdfast_cluster_serving", 0.0);
        assertThat(unready.get("holdfast_cluster_disk_free_bytes"))
                .isPositive()
                .isLessThanOrEqualTo(unready.get("holdfast_cluster_disk_size_bytes"));
    }

    @Test
    void only_the_leader_has_metrics_of_peers() {
        assertThat(collect("follower"))
                .containsEntry("holdfast_cluster_is_leader", 0.0)
                .containsEntry("holdfast_cluster_has_leader", 1.0)
                .containsEntry("holdfast_cluster_refused_connections", 4.0)
                .containsEntry("holdfast_cluster_state_checks", 9.0)
                .containsEntry("holdfast_cluster_diverged", 1.0)
                .noneSatisfy((name, _) -> assertThat(name).contains("peer"));
    }
}
