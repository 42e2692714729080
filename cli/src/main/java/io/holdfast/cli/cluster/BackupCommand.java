package io.holdfast.cli.cluster;

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
            "Run it on the machine of the node, while the node is running: the node writes a new"
                    + " snapshot first. With --cluster and --node the request goes through its"
                    + " cluster port, otherwise through the data directory. Of a stopped node the"
                    + " last snapshot is copied, without the changes after it."
        })
final class BackupCommand extends AdminCommand {
    private static final Duration SNAPSHOT_TIMEOUT = Duration.ofMinutes(10);

    @Option(
            names = "--data-dir",
            required = true,
            paramLabel = "FOLDER",
            description = "The data directory of the node.")
    private Path folder = Path.of("");

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
        if (cluster.isGiven(variables)) {
            String name = ClusterOptions.value(node, variables, "HOLDFAST_NODE");
            if (name.isEmpty()) {
                throw new IllegalArgumentException(
                        "--node is required: the node that writes the snapshot");
            }
            cluster.admin(variables).snapshot(name);
        } else {
            new SnapshotRequest(folder).submit(SNAPSHOT_TIMEOUT);
        }
        Path copied = Backup.copy(folder, file);
        Printer.out(copied.getFileName() + " was copied to " + file);
        return DONE;
    }
}
