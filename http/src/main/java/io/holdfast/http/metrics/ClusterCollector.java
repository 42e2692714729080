package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.ClusterView;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** How the cluster looks from here, as Prometheus wants it. */
final class ClusterCollector implements MultiCollector {
    private static final double MILLIS = 1e3;

    private final Supplier<ClusterView> cluster;
    private final BooleanSupplier ready;

    ClusterCollector(Supplier<ClusterView> cluster, BooleanSupplier ready) {
        this.cluster = cluster;
        this.ready = ready;
    }

    @Override
    public MetricSnapshots collect() {
        ClusterView view = cluster.get();
        List<MetricSnapshot> all = new ArrayList<>();
        all.add(gauge("is_leader", "1 if this node leads the cluster.", view.isLeader() ? 1 : 0));
        all.add(gauge("has_leader", "1 if it knows who leads.", view.leader() == null ? 0 : 1));
        all.add(gauge("serving", "1 if it serves clients.", ready.getAsBoolean() ? 1 : 0));
        all.add(gauge("term", "How many times a leader was wanted.", view.term()));
        all.add(gauge("commit_index", "How far the log is decided.", view.commitIndex()));
        all.add(gauge("applied_index", "How far its state is.", view.appliedIndex()));
        all.add(gauge("lag", "Entries decided and not in its state yet.", view.lag()));
        File data = view.data().toFile();
        all.add(
                gauge(
                        "disk_free_bytes",
                        "Free bytes on the disk of the data directory.",
                        data.getUsableSpace()));
        all.add(gauge("disk_size_bytes", "Size of that disk in bytes.", data.getTotalSpace()));
        if (view.isLeader() && !view.others().isEmpty()) {
            addPeers(view.others(), all);
        }
        return new MetricSnapshots(all);
    }

    private static void addPeers(List<ClusterView.Member> others, List<MetricSnapshot> all) {
        GaugeSnapshot.Builder match =
                GaugeSnapshot.builder()
                        .name("holdfast_cluster_peer_match_index")
                        .help("How far another node has the log, as the leader knows.");
        GaugeSnapshot.Builder heard =
                GaugeSnapshot.builder()
                        .name("holdfast_cluster_peer_silence_seconds")
                        .help("Since another node was last heard of, as the leader knows.");
        for (ClusterView.Member other : others) {
            Labels labels = Labels.of("peer", other.node());
            match.dataPoint(point((double) other.matchIndex(), labels));
            heard.dataPoint(point(other.lastContactMillis() / MILLIS, labels));
        }
        all.add(match.build());
        all.add(heard.build());
    }

    private static MetricSnapshot gauge(String name, String help, long value) {
        return GaugeSnapshot.builder()
                .name("holdfast_cluster_" + name)
                .help(help)
                .dataPoint(point((double) value, Labels.EMPTY))
                .build();
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }
}
