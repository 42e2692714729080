package io.holdfast.cli.cluster;

import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** {@code holdfast cluster check}: has the nodes compare their states. */
@Command(
        name = "check",
        description = {
            "Compares the states of all nodes.",
            "",
            "Each node hashes its state after the same entry of the log. A node whose hash differs"
                    + " from that of a majority stops serving until it is replaced."
        },
        exitCodeList = {
            "0:no node is known to have another state",
            "1:a node has another state, or nothing was compared",
            "2:wrong usage"
        })
final class CheckCommand extends AdminCommand {
    CheckCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        StateCheckReport report = cluster.admin(variables).check();
        lines(report).forEach(Printer::out);
        return report.isDiverged() ? FAILED : DONE;
    }

    static List<String> lines(StateCheckReport report) {
        return report.nodes().stream().map(node -> line(report.index(), node)).toList();
    }

    private static String line(long index, StateCheckReport.Node node) {
        String hash =
                node.hash() == null
                        ? "no hash"
                        : StateCheckReport.text(node.hash()) + " after entry " + index;
        return Printer.printable(node.name())
                + ": "
                + hash
                + (node.diverged()
                        ? ", DIVERGED: its state differs from that of other nodes; see its log"
                        : "");
    }
}
