package io.holdfast.cluster.admin;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What the reports of several nodes say together. */
public record ClusterStatus(List<NodeReportResult> results) {
    public ClusterStatus {
        results = List.copyOf(results);
    }

    /** A node that reports that it leads. */
    record LeaderReport(NodeAddress node, NodeReport report) {}

    /**
     * Returns the nodes that report that they lead, the one with the highest term first. The others
     * have been replaced and do not know it, or lead other clusters.
     */
    List<LeaderReport> leaders() {
        return results.stream()
                .flatMap(ClusterStatus::leader)
                .sorted(
                        Comparator.comparingLong(
                                        (LeaderReport leader) -> leader.report().status().term())
                                .reversed())
                .toList();
    }

    private static Stream<LeaderReport> leader(NodeReportResult result) {
        NodeReport report = result.report();
        return report != null
                        && report.clusterId() != null
                        && report.status().role().equals("leader")
                ? Stream.of(new LeaderReport(result.node(), report))
                : Stream.empty();
    }

    /**
     * Whether a node reports that it is a member of a cluster, and the leader of that cluster has
     * replaced or removed it.
     */
    public boolean isFormerMember(NodeReportResult result) {
        NodeReport report = result.report();
        return report != null
                && report.members().contains(report.dataId())
                && leaders().stream()
                        .map(LeaderReport::report)
                        .filter(leader -> Objects.equals(leader.clusterId(), report.clusterId()))
                        .findFirst()
                        .filter(
                                leader ->
                                        !leader.members().contains(report.dataId())
                                                && !report.members().isNewerThan(leader.members()))
                        .isPresent();
    }
}
