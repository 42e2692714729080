package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.ClusterView;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
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

/** Collects the cluster metrics, as seen by this node. */
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
        all.add(gauge("has_leader", "1 if a leader is known.", view.leader() == null ? 0 : 1));
        all.add(gauge("serving", "1 if this node serves clients.", ready.getAsBoolean() ? 1 : 0));
        all.add(gauge("term", "Current Raft term.", view.term()));
        all.add(
                gauge(
                        "commit_index",
                        "Index of the last committed log entry.",
                        view.commitIndex()));
        all.add(
                gauge(
                        "applied_index",
                        "Index of the last log entry applied to the state.",
                        view.appliedIndex()));
        all.add(gauge("lag", "Committed entries not applied yet.", view.lag()));
        all.add(
                gauge(
                        "version",
                        "Version of the cluster; it is raised when all members know the next one.",
                        view.version()));
        File data = view.data().toFile();
        all.add(
                gauge(
                        "disk_free_bytes",
                        "Free bytes on the disk of the data directory.",
                        data.getUsableSpace()));
        all.add(
                gauge(
                        "disk_size_bytes",
                        "Size of the disk of the data directory in bytes.",
                        data.getTotalSpace()));
        all.add(
                counter(
                        "refused_connections",
                        "Connections between this node and others that one side refused.",
                        view.refusedConnections()));
        all.add(
                counter(
                        "state_checks",
                        "Entries after which this node has hashed its state, for a comparison with"
                                + " other nodes.",
                        view.stateChecks()));
        all.add(
                gauge(
                        "diverged",
                        "1 if the state of this node differs from that of others: it has stopped.",
                        view.diverged() ? 1 : 0));
        if (view.isLeader() && !view.others().isEmpty()) {
            addPeers(view.others(), all);
        }
        return new MetricSnapshots(all);
    }

    private static void addPeers(List<ClusterView.Member> others, List<MetricSnapshot> all) {
        GaugeSnapshot.Builder match =
                GaugeSnapshot.builder()
                        .name("holdfast_cluster_peer_match_index")
                        .help("Last log index replicated to a peer, as the leader sees it.");
        GaugeSnapshot.Builder lastContact =
                GaugeSnapshot.builder()
                        .name("holdfast_cluster_peer_silence_seconds")
                        .help("Seconds since the last contact with a peer, as the leader sees it.");
        for (ClusterView.Member other : others) {
            Labels labels = Labels.of("peer", other.node());
            match.dataPoint(point((double) other.matchIndex(), labels));
            lastContact.dataPoint(point(other.lastContactMillis() / MILLIS, labels));
        }
        all.add(match.build());
        all.add(lastContact.build());
    }

    private static MetricSnapshot gauge(String name, String help, long value) {
        return GaugeSnapshot.builder()
                .name("holdfast_cluster_" + name)
                .help(help)
                .dataPoint(point((double) value, Labels.EMPTY))
                .build();
    }

    private static MetricSnapshot counter(String name, String help, long value) {
        return CounterSnapshot.builder()
                .name("holdfast_cluster_" + name)
                .help(help)
                .dataPoint(
                        CounterSnapshot.CounterDataPointSnapshot.builder()
                                .value((double) value)
                                .build())
                .build();
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }
}
