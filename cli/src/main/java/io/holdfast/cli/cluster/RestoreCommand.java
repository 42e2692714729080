package io.holdfast.cli.cluster;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.admin.Backup;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code holdfast cluster restore}. */
@Command(
        name = "restore",
        description = {
            "Creates a new data directory from a backup.",
            "",
            "Do this for one node of the cluster only, then start all, the others with empty data"
                + " directories. They form a new cluster, which serves once a majority of --cluster"
                + " has joined; until then holdfast cluster status shows for whom it waits. Without"
                + " --cluster the data directory is for a single server. Sessions that were open at"
                + " the time of the backup end, and holds bound to them are released; new fences"
                + " are higher than all fences granted before."
        })
final class RestoreCommand extends AdminCommand {
    @Option(
            names = "--data-dir",
            required = true,
            paramLabel = "FOLDER",
            description = "The new data directory; it must be empty or not exist yet.")
    private Path folder = Path.of("");

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "The node that will own the data directory (HOLDFAST_NODE).")
    private @Nullable String node;

    @Parameters(
            paramLabel = "FILE",
            description = "The file that holdfast cluster backup has written.")
    private Path file = Path.of("");

    RestoreCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        String name = ClusterOptions.value(node, variables, "HOLDFAST_NODE");
        List<NodeAddress> members;
        if (cluster.isGiven(variables)) {
            members = cluster.nodes(variables);
            if (name.isEmpty()) {
                throw new IllegalArgumentException(
                        "--node is required: the node that will own the data directory");
            }
            String required = name;
            if (members.stream().noneMatch(member -> member.name().equals(required))) {
                throw new IllegalArgumentException("the cluster has no node named " + name);
            }
        } else {
            NodeAddress alone = NodeAddress.alone(name.isEmpty() ? NodeAddress.ALONE : name);
            name = alone.name();
            members = List.of(alone);
        }
        Backup.restore(file, folder, cluster.name(variables), name, members);
        Printer.out(
                folder
                        + (cluster.isGiven(variables)
                                ? " was created: start the node with --data-dir "
                                : " was created for a server without --cluster: start it with"
                                        + " --data-dir ")
                        + folder
                        + (members.size() > 1
                                ? ", and the others with empty data directories"
                                : ""));
        return DONE;
    }
}
