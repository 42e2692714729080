package io.holdfast.cli.cluster;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.admin.Recovery;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** {@code holdfast cluster recover}. */
@Command(
        name = "recover",
        description = {
            "Makes a new cluster of the data of one node, when a majority of the nodes is lost for"
                    + " good.",
            "",
            "What the lost nodes had acknowledged without this one is lost. Run it on each node"
                    + " that survived, which must be stopped, and compare the term and the index"
                    + " that it shows; confirm on the one with the highest term, and of these the"
                    + " highest index. Then start that node, and the others with empty data"
                    + " directories. The lost nodes must never start with their old data again.",
            "",
            "The previous files are kept in the data directory, under another name."
        })
final class RecoverCommand extends AdminCommand {
    @Option(
            names = "--data-dir",
            required = true,
            paramLabel = "FOLDER",
            description = "The data directory of the node.")
    private Path folder = Path.of("");

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "The node that owns the data directory (HOLDFAST_NODE).")
    private @Nullable String node;

    @Option(
            names = "--max-session-grace",
            paramLabel = "SECONDS",
            description =
                    "The largest --max-session-grace of the nodes, or the longest lease of"
                            + " /v1/leases that clients use, if that is longer; no lock is granted"
                            + " for as long and the session timeout (default: 60).")
    private int maxSessionGrace = 60;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    RecoverCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
        String name = ClusterOptions.value(node, variables, "HOLDFAST_NODE");
        List<NodeAddress> members = cluster.nodes(variables);
        if (members.stream().noneMatch(member -> member.name().equals(name))) {
            throw new IllegalArgumentException(
                    name.isEmpty()
                            ? "--node is required: the node that owns the data directory"
                            : "the cluster has no node named " + name);
        }
        if (maxSessionGrace < 0) {
            throw new IllegalArgumentException("--max-session-grace must be >= 0");
        }
        try (Recovery recovery =
                Recovery.open(
                        folder,
                        cluster.name(variables),
                        name,
                        members,
                        Duration.ofSeconds(maxSessionGrace))) {
            report(name, recovery);
            if (!yes && !confirmed()) {
                return FAILED;
            }
            Path before = recovery.run();
            Printer.out(
                    folder
                            + " was recovered; the previous files are in "
                            + before
                            + ". Start "
                            + name
                            + ", and the other nodes with empty data directories");
            return DONE;
        }
    }

    private static void report(String name, Recovery recovery) throws IOException {
        String divergence = recovery.divergence();
        if (divergence != null) {
            Printer.out(name + " was stopped: " + divergence);
        }
        Printer.out(
                "the log of "
                        + name
                        + " ends with term "
                        + recovery.term()
                        + ", index "
                        + recovery.index()
                        + ": recover the survivor with the highest term, and of these the highest"
                        + " index");
        Printer.out(
                "what comes after that is lost, also if a majority of the other nodes has"
                        + " acknowledged it");
        Printer.out(
                "fences up to "
                        + recovery.lastFence()
                        + " are known to be granted; new ones are higher, and above the clock");
        Printer.out(
                "holds keep their leases; nothing but shared locks is granted for the first "
                        + recovery.quarantine().toSeconds()
                        + " s, since clients of lost nodes may believe that they hold others");
    }

    @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null again
    private static boolean confirmed() {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            Printer.err("nothing was changed: there is no terminal to ask on; add --yes");
            return false;
        }
        String line = console.readLine("Type yes to recover: ");
        if (line != null && line.strip().equals("yes")) {
            return true;
        }
        Printer.err("nothing was changed");
        return false;
    }
}
