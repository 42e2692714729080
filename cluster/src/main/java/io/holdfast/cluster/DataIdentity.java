package io.holdfast.cluster;

import io.holdfast.driver.DurableFile;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Whose a data directory is, as a file in it says.
 *
 * @param dataId names what is in the folder
 * @param members of the cluster at the last start
 */
record DataIdentity(
        String cluster, String node, UUID dataId, List<NodeAddress> members, State state) {
    static final String FILE = "holdfast.properties";

    private static final int FORMAT = 1;
    private static final int MAX_BYTES = 1 << 16;

    /** What is in the folder. */
    enum State {
        NEW,

        /** A copy that somebody brought, and nothing since. */
        RESTORED,

        /** Something that the node has promised to remember. */
        USED
    }

    DataIdentity {
        members = List.copyOf(members);
    }

    DataIdentity with(State next) {
        return new DataIdentity(cluster, node, dataId, members, next);
    }

    static DataIdentity read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.size(file) > MAX_BYTES) {
            throw damaged(file, "it is too long");
        }
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(Files.readString(file, StandardCharsets.UTF_8)));
            int format = Integer.parseInt(value(lines, "format"));
            if (format > FORMAT) {
                throw new ClusterException(
                        "the data directory "
                                + folder
                                + " was written by a newer Holdfast (format "
                                + format
                                + ", and this one knows "
                                + FORMAT
                                + "): run that one");
            }
            return new DataIdentity(
                    value(lines, "cluster"),
                    value(lines, "node"),
                    UUID.fromString(value(lines, "data-id")),
                    members(value(lines, "members")),
                    State.valueOf(value(lines, "state").toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException e) {
            throw damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException(
                "the file "
                        + file
                        + " is damaged ("
                        + why
                        + "): bring it back from a copy, or add a node with a new name and a new"
                        + " folder in its place");
    }

    private static String value(Properties lines, String name) {
        String value = lines.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException("it has no " + name);
        }
        return value;
    }

    /** A node that is alone has no port: what is kept is not what a command line may say. */
    private static List<NodeAddress> members(String text) {
        if (text.matches("[^=,]+=127\\.0\\.0\\.1:0")) {
            return List.of(new NodeAddress(text.substring(0, text.indexOf('=')), "127.0.0.1", 0));
        }
        return NodeAddress.parseList(text);
    }

    /** Refuses to be taken for another's. */
    void require(Path folder, String cluster, String node, List<NodeAddress> members)
            throws ClusterException {
        String whose = "the data directory " + folder + " is that of ";
        if (!this.cluster.equals(cluster)) {
            throw new ClusterException(
                    whose
                            + "a node of the cluster "
                            + this.cluster
                            + ", not of "
                            + cluster
                            + ": check --data-dir and --cluster-name");
        }
        if (!this.node.equals(node)) {
            throw new ClusterException(
                    whose
                            + "the node "
                            + this.node
                            + ", not of "
                            + node
                            + ": check --data-dir and --node");
        }
        if (isAlone(this.members) != isAlone(members)) {
            throw new ClusterException(
                    whose
                            + (isAlone(members)
                                    ? "a node of a cluster, but there is no --cluster"
                                    : "a server that stands alone, but there is a --cluster")
                            + ": to take over what is in it, make a backup (holdfast cluster"
                            + " backup) and restore that into a new folder");
        }
        if (this.members.stream().noneMatch(members::contains)) {
            throw new ClusterException(
                    whose
                            + "a node of another cluster: its nodes were "
                            + written(this.members)
                            + ", and --cluster names none of them. If all of them have moved,"
                            + " change the line that begins with members in "
                            + folder.resolve(FILE));
        }
    }

    private static boolean isAlone(List<NodeAddress> members) {
        return members.stream().allMatch(member -> member.port() == 0);
    }

    private static String written(List<NodeAddress> members) {
        return members.stream().map(NodeAddress::toString).collect(Collectors.joining(","));
    }

    void write(Path folder) throws IOException {
        Properties lines = new Properties();
        lines.setProperty("format", Integer.toString(FORMAT));
        lines.setProperty("cluster", cluster);
        lines.setProperty("node", node);
        lines.setProperty("data-id", dataId.toString());
        lines.setProperty("members", written(members));
        lines.setProperty("state", state.name().toLowerCase(Locale.ROOT));
        StringWriter text = new StringWriter();
        lines.store(text, null);
        String file =
                text.toString()
                        .lines()
                        .filter(line -> !line.startsWith("#")) // the date
                        .sorted()
                        .collect(
                                Collectors.joining(
                                        "\n", "# Whose data this is. Holdfast keeps it.\n", "\n"));
        DurableFile.replace(folder.resolve(FILE), file.getBytes(StandardCharsets.UTF_8));
    }
}
