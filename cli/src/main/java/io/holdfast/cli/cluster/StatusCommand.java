package io.holdfast.cli.cluster;

import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.admin.ClusterStatus;
import io.holdfast.cluster.admin.NodeReportResult;
import io.holdfast.console.output.JsonLine;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code holdfast cluster status}: the status of each node, as the node itself reports it. */
@Command(
        name = "status",
        description = "Shows all nodes: role, term, log indexes, lag and versions.",
        exitCodeList = {
            "0:the cluster has a leader",
            "1:the cluster has no leader, or no node responds",
            "2:wrong usage"
        })
final class StatusCommand extends AdminCommand {
    private static final List<String> COLUMNS =
            List.of(
                    "NODE",
                    "ADDRESS",
                    "ROLE",
                    "TERM",
                    "COMMIT",
                    "APPLIED",
                    "LAG",
                    "SERVING",
                    "SESSIONS",
                    "VERSION");

    private static final String FORMER = "replaced or removed";

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    StatusCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        List<NodeReportResult> results = cluster.admin(variables).status();
        boolean hasLeader = results.stream().anyMatch(StatusCommand::isLeader);
        if (json) {
            Printer.out(json(cluster.name(variables), hasLeader, results));
        } else {
            table(results).forEach(Printer::out);
            if (!hasLeader) {
                Printer.err("the cluster has no leader: nothing can be committed now");
            }
        }
        return hasLeader ? DONE : FAILED;
    }

    private static boolean isLeader(NodeReportResult result) {
        NodeReport report = result.report();
        return report != null
                && report.restored() == null
                && report.status().role().equals("leader");
    }

    static List<String> table(List<NodeReportResult> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(COLUMNS);
        long commitIndex = commitIndex(results);
        ClusterStatus status = new ClusterStatus(results);
        for (NodeReportResult result : results) {
            rows.add(row(result, commitIndex, status.isFormerMember(result)));
        }
        int[] widths = new int[COLUMNS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size() - 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /** Returns the highest commit index that a node has reported. */
    private static long commitIndex(List<NodeReportResult> results) {
        return results.stream()
                .flatMap(result -> Stream.ofNullable(result.report()))
                .mapToLong(report -> report.status().commitIndex())
                .max()
                .orElse(0);
    }

    private static List<String> row(
            NodeReportResult result, long commitIndex, boolean isFormerMember) {
        if (result.report() == null) {
            return List.of(
                    result.node().name(),
                    result.node().address(),
                    "unreachable: " + Printer.printable(String.valueOf(result.failure())));
        }
        String waitReason = result.report().waitReason();
        if (waitReason != null) {
            return List.of(
                    result.node().name(),
                    result.node().address(),
                    "waiting: " + Printer.printable(waitReason));
        }
        if (isFormerMember) {
            return List.of(
                    result.node().name(), result.node().address(), "not a member: " + FORMER);
        }
        NodeStatus status = result.report().status();
        return List.of(
                result.node().name(),
                result.node().address(),
                status.role(),
                String.valueOf(status.term()),
                String.valueOf(status.commitIndex()),
                String.valueOf(status.appliedIndex()),
                String.valueOf(commitIndex - status.appliedIndex()),
                status.serving() ? "yes" : "no",
                String.valueOf(status.sessions()),
                version(status));
    }

    /**
     * Returns the version of the cluster, and the highest that the node knows if that is higher.
     */
    private static String version(NodeStatus status) {
        return status.version() == status.knownVersion()
                ? String.valueOf(status.version())
                : "%d (knows %d)".formatted(status.version(), status.knownVersion());
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            boolean last = i == row.size() - 1;
            line.append(row.get(i));
            if (!last) {
                line.repeat(' ', widths[i] - row.get(i).length() + 2);
            }
        }
        return line.toString();
    }

    static String json(String name, boolean hasLeader, List<NodeReportResult> results) {
        long commitIndex = commitIndex(results);
        ClusterStatus status = new ClusterStatus(results);
        return new JsonLine()
                .put("cluster", name)
                .put("has_leader", hasLeader)
                .put(
                        "nodes",
                        results.stream()
                                .map(
                                        result ->
                                                json(
                                                        result,
                                                        commitIndex,
                                                        status.isFormerMember(result)))
                                .toList())
                .toString();
    }

    private static JsonLine json(
            NodeReportResult result, long commitIndex, boolean isFormerMember) {
        JsonLine line =
                new JsonLine()
                        .put("node", result.node().name())
                        .put("address", result.node().address());
        if (result.report() == null) {
            return line.put("reachable", false).put("error", result.failure());
        }
        NodeStatus status = result.report().status();
        String waitReason = result.report().waitReason();
        if (waitReason != null) {
            return line.put("reachable", true)
                    .put("role", NodeReport.WAITING)
                    .put("reason", waitReason);
        }
        if (isFormerMember) {
            return line.put("reachable", true).put("role", "not a member").put("reason", FORMER);
        }
        return line.put("reachable", true)
                .put("role", status.role())
                .put("leader", status.leader())
                .put("term", (Long) status.term())
                .put("commit_index", (Long) status.commitIndex())
                .put("applied_index", (Long) status.appliedIndex())
                .put("lag", (Long) (commitIndex - status.appliedIndex()))
                .put("serving", status.serving())
                .put("sessions", (Long) (long) status.sessions())
                .put("cluster_version", (Long) (long) status.version())
                .put("known_version", (Long) (long) status.knownVersion());
    }
}
