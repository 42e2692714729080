package io.holdfast.cli.cluster;

import io.holdfast.cli.output.JsonLine;
import io.holdfast.cli.output.Printer;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.admin.NodeReportResult;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code holdfast cluster status}: each node, as it sees itself. */
@Command(
        name = "status",
        description = "Shows all nodes: who leads, and who is behind.",
        exitCodeList = {
            "0:the cluster has a leader",
            "1:it has none, or nobody answers",
            "2:wrong usage"
        })
final class StatusCommand extends AdminCommand {
    private static final List<String> TITLES =
            List.of(
                    "NODE",
                    "ADDRESS",
                    "ROLE",
                    "TERM",
                    "COMMIT",
                    "APPLIED",
                    "LAG",
                    "SERVING",
                    "SESSIONS");

    @Option(names = "--json", description = "Print a line of JSON instead.")
    private boolean json;

    StatusCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        List<NodeReportResult> answers = cluster.admin(variables).status();
        boolean led = answers.stream().anyMatch(StatusCommand::isLeader);
        if (json) {
            Printer.out(json(cluster.name(variables), led, answers));
        } else {
            table(answers).forEach(Printer::out);
            if (!led) {
                Printer.err("there is no leader: the cluster decides nothing now");
            }
        }
        return led ? DONE : FAILED;
    }

    private static boolean isLeader(NodeReportResult answer) {
        return answer.report() != null && answer.report().status().role().equals("leader");
    }

    static List<String> table(List<NodeReportResult> answers) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        long decided = decided(answers);
        for (NodeReportResult answer : answers) {
            rows.add(row(answer, decided));
        }
        int[] widths = new int[TITLES.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size() - 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /** How far the log is decided, by what the nodes know. */
    private static long decided(List<NodeReportResult> answers) {
        return answers.stream()
                .flatMap(answer -> Stream.ofNullable(answer.report()))
                .mapToLong(report -> report.status().commitIndex())
                .max()
                .orElse(0);
    }

    private static List<String> row(NodeReportResult answer, long decided) {
        if (answer.report() == null) {
            return List.of(
                    answer.node().name(),
                    answer.node().address(),
                    "does not answer: " + Printer.printable(String.valueOf(answer.failure())));
        }
        NodeStatus status = answer.report().status();
        return List.of(
                answer.node().name(),
                answer.node().address(),
                status.role(),
                String.valueOf(status.term()),
                String.valueOf(status.commitIndex()),
                String.valueOf(status.appliedIndex()),
                String.valueOf(decided - status.appliedIndex()),
                status.serving() ? "yes" : "no",
                String.valueOf(status.sessions()));
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

    static String json(String name, boolean led, List<NodeReportResult> answers) {
        long decided = decided(answers);
        return new JsonLine()
                .put("cluster", name)
                .put("has_leader", led)
                .put("nodes", answers.stream().map(answer -> json(answer, decided)).toList())
                .toString();
    }

    private static JsonLine json(NodeReportResult answer, long decided) {
        JsonLine line =
                new JsonLine()
                        .put("node", answer.node().name())
                        .put("address", answer.node().address());
        if (answer.report() == null) {
            return line.put("reachable", false).put("error", answer.failure());
        }
        NodeStatus status = answer.report().status();
        return line.put("reachable", true)
                .put("role", status.role())
                .put("leader", status.leader())
                .put("term", (Long) status.term())
                .put("commit_index", (Long) status.commitIndex())
                .put("applied_index", (Long) status.appliedIndex())
                .put("lag", (Long) (decided - status.appliedIndex()))
                .put("serving", status.serving())
                .put("sessions", (Long) (long) status.sessions());
    }
}
