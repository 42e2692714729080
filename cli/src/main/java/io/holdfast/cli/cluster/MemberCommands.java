package io.holdfast.cli.cluster;

import io.holdfast.cli.output.Printer;
import io.holdfast.cluster.NodeAddress;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.Map;

/** The commands that change who is in a cluster, and who leads it. */
final class MemberCommands {
    private MemberCommands() {}

    @Command(
            name = "add",
            description = {
                "Adds a node to a cluster that runs.",
                "",
                "Start it first, with holdfast serve --join and itself in --cluster; a name that"
                        + " was ever used is not used again."
            })
    static final class Add extends AdminCommand {
        @Parameters(paramLabel = "NAME=HOST:PORT", description = "The new node.")
        private String node = "";

        Add(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            NodeAddress added = NodeAddress.parse(node);
            cluster.admin(variables).add(added);
            Printer.out(added + " is in the cluster");
            return DONE;
        }
    }

    @Command(name = "remove", description = "Takes a node out of a cluster; stop it then.")
    static final class Remove extends AdminCommand {
        @Parameters(paramLabel = "NAME", description = "The node.")
        private String node = "";

        Remove(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            cluster.admin(variables).remove(node);
            Printer.out(node + " is not in the cluster any more");
            return DONE;
        }
    }

    @Command(
            name = "replace",
            description = "Takes a node out, dead or alive, and a new one in, in one step.")
    static final class Replace extends AdminCommand {
        @Parameters(index = "0", paramLabel = "OLD", description = "The node that goes.")
        private String old = "";

        @Parameters(
                index = "1",
                paramLabel = "NAME=HOST:PORT",
                description = "The new node, started with holdfast serve --join.")
        private String node = "";

        Replace(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            NodeAddress added = NodeAddress.parse(node);
            cluster.admin(variables).replace(old, added);
            Printer.out(added + " is in the cluster in place of " + old);
            return DONE;
        }
    }

    @Command(name = "transfer", description = "Lets another node lead.")
    static final class Transfer extends AdminCommand {
        @Parameters(paramLabel = "NAME", description = "The node that is to lead.")
        private String node = "";

        Transfer(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            cluster.admin(variables).transfer(node);
            Printer.out(node + " leads");
            return DONE;
        }
    }
}
