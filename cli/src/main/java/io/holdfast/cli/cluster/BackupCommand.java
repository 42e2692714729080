package io.holdfast.cli.cluster;

import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.SnapshotRequest;
import io.holdfast.cluster.admin.Backup;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** {@code holdfast cluster backup}. */
@Command(
        name = "backup",
        description = {
            "Copies the state of a node to a file: of a node of a cluster, or of a single server"
                    + " with a data directory.",
            "",
            "With --cluster and without --data-dir, it is fetched over the network, from a follower"
                    + " unless --from names a node. The node writes a new snapshot first.",
            "",
            "With --data-dir, run it on the machine of the node, while the node is running: the"
                + " node writes a new snapshot first. With --cluster and --node the request goes"
                + " through its cluster port, otherwise through the data directory. Of a stopped"
                + " node the last snapshot is copied, without the changes after it."
        })
final class BackupCommand extends AdminCommand {
    private static final Duration SNAPSHOT_TIMEOUT = Duration.ofMinutes(10);

    @Option(
            names = "--data-dir",
            paramLabel = "FOLDER",
            description = "The data directory of the node, on this machine.")
    private @Nullable Path folder;

    @Option(
            names = "--from",
            paramLabel = "NAME",
            description = "The node from which the backup is fetched (default: a follower).")
    private @Nullable String from;

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "The node that writes the snapshot (HOLDFAST_NODE).")
    private @Nullable String node;

    @Parameters(paramLabel = "FILE", description = "The backup file; it must not exist yet.")
    private Path file = Path.of("");

    BackupCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        Path directory = folder;
        if (directory == null) {
            if (!cluster.isGiven(variables)) {
                throw new IllegalArgumentException(
                        "--cluster or --data-dir is required: where the backup comes from");
            }
            String source = cluster.admin(variables).backUp(from, file);
            Printer.out("the state of " + source + " was copied to " + file);
            return DONE;
        }
        if (from != null) {
            throw new IllegalArgumentException("--from and --data-dir exclude each other");
        }
        if (cluster.isGiven(variables)) {
            String name = ClusterOptions.value(node, variables, "HOLDFAST_NODE");
            if (name.isEmpty()) {
                throw new IllegalArgumentException(
                        "--node is required: the node that writes the snapshot");
            }
            DataDirectory.requireNode(directory, name);
            cluster.admin(variables).snapshot(name);
        } else {
            new SnapshotRequest(directory).submit(SNAPSHOT_TIMEOUT);
        }
        Path copied = Backup.copy(directory, file);
        Printer.out(copied.getFileName() + " was copied to " + file);
        return DONE;
    }
}
