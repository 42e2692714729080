package io.holdfast.cli.cluster;

import io.holdfast.cluster.admin.Backup;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** {@code holdfast cluster backup}. */
@Command(
        name = "backup",
        description = {
            "Copies the newest snapshot of a node to a file, whether the node is running or not.",
            "",
            "With --cluster and --node the node first writes a new snapshot. Otherwise changes"
                    + " after its last snapshot are not in the backup."
        })
final class BackupCommand extends AdminCommand {
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
        }
        Path copied = Backup.copy(folder, file);
        Printer.out(copied.getFileName() + " was copied to " + file);
        return DONE;
    }
}
