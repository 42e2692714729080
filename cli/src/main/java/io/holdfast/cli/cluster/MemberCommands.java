package io.holdfast.cli.cluster;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.Map;

/** The commands that change the members of a cluster, and its leader. */
final class MemberCommands {
    private MemberCommands() {}

    @Command(
            name = "add",
            description = {
                "Adds a node to a running cluster.",
                "",
                "Start the node first, with an empty data directory, holdfast serve --join and"
                        + " itself in --cluster."
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
            Printer.out(added + " was added to the cluster");
            return DONE;
        }
    }

    @Command(
            name = "remove",
            description = "Removes a node from a cluster; stop the node afterwards.")
    static final class Remove extends AdminCommand {
        @Parameters(paramLabel = "NAME", description = "The node.")
        private String node = "";

        Remove(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            cluster.admin(variables).remove(node);
            Printer.out(node + " was removed from the cluster");
            return DONE;
        }
    }

    @Command(
            name = "replace",
            description = {
                "Replaces a node, running or not, with a new one in one step.",
                "",
                "The new node must be running with an empty data directory. It may have the name"
                        + " and the address of the old one, as after the loss of its disk."
            })
    static final class Replace extends AdminCommand {
        @Parameters(index = "0", paramLabel = "OLD", description = "The node to remove.")
        private String old = "";

        @Parameters(index = "1", paramLabel = "NAME=HOST:PORT", description = "The new node.")
        private String node = "";

        Replace(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            NodeAddress added = NodeAddress.parse(node);
            cluster.admin(variables).replace(old, added);
            Printer.out(added + " was added to the cluster in place of " + old);
            return DONE;
        }
    }

    @Command(
            name = "move",
            description = {
                "Changes the address at which the other nodes reach a node.",
                "",
                "The node keeps its name and its data directory. Restart it with the new address in"
                        + " its --cluster, before or after this command."
            })
    static final class Move extends AdminCommand {
        @Parameters(index = "0", paramLabel = "NODE", description = "The name of the node.")
        private String node = "";

        @Parameters(index = "1", paramLabel = "HOST:PORT", description = "Its new address.")
        private String address = "";

        Move(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            NodeAddress moved = NodeAddress.parse(node + "=" + address);
            cluster.admin(variables).move(moved);
            Printer.out("the other nodes now reach " + node + " at " + moved.address());
            return DONE;
        }
    }

    @Command(name = "transfer", description = "Transfers the leadership to another node.")
    static final class Transfer extends AdminCommand {
        @Parameters(paramLabel = "NAME", description = "The new leader.")
        private String node = "";

        Transfer(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int work(ClusterOptions cluster, Map<String, String> variables) throws IOException {
            cluster.admin(variables).transfer(node);
            Printer.out(node + " is the leader");
            return DONE;
        }
    }
}
