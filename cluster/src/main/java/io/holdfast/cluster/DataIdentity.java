package io.holdfast.cluster;

import io.holdfast.driver.DurableFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The identity of a data directory: the contents of the file {@value #FILE} in it.
 *
 * @param dataId the id of the directory's contents, generated once
 * @param members the members of the cluster as the node last knew them: as configured for the last
 *     start, or those since
 * @param clusterId the id of the cluster; null before the node has one
 * @param memberList the members with which the node has started in the cluster; empty if it had to
 *     be added
 * @param backup the id of the backup that was restored into the directory; empty if none
 * @param version the version that the cluster had at least when the node was last running; 0 if it
 *     is not known yet
 */
record DataIdentity(
        String cluster,
        String node,
        UUID dataId,
        List<NodeAddress> members,
        State state,
        @Nullable UUID clusterId,
        List<Member> memberList,
        String backup,
        int version) {
    static final String FILE = "holdfast.properties";

    private static final int FORMAT = 3;
    private static final int MAX_BYTES = 1 << 16;

    /** What the directory contains. */
    enum State {
        NEW,

        /** A restored backup, which a majority of the nodes does not have yet. */
        RESTORED,

        /** A log or a snapshot without which the node must not start. */
        USED
    }

    DataIdentity {
        members = List.copyOf(members);
        memberList = List.copyOf(memberList);
    }

    /** Returns the identity of a new directory. */
    static DataIdentity create(String cluster, String node, List<NodeAddress> members) {
        return new DataIdentity(
                cluster, node, UUID.randomUUID(), members, State.NEW, null, List.of(), "", 0);
    }

    DataIdentity with(State next) {
        return new DataIdentity(
                cluster, node, dataId, members, next, clusterId, memberList, backup, version);
    }

    DataIdentity with(List<NodeAddress> configured) {
        return new DataIdentity(
                cluster, node, dataId, configured, state, clusterId, memberList, backup, version);
    }

    DataIdentity withBackup(String restored) {
        return new DataIdentity(
                cluster,
                node,
                UUID.randomUUID(),
                members,
                State.RESTORED,
                null,
                List.of(),
                restored,
                version);
    }

    DataIdentity withVersion(int next) {
        return new DataIdentity(
                cluster, node, dataId, members, state, clusterId, memberList, backup, next);
    }

    DataIdentity withCluster(UUID joined, List<Member> initial) {
        return new DataIdentity(
                cluster, node, dataId, members, state, joined, initial, backup, version);
    }

    /**
     * @param known the highest version of the cluster that this node knows
     */
    static DataIdentity read(Path folder, int known) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.size(file) > MAX_BYTES) {
            throw damaged(file, "it is too long");
        }
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(Files.readString(file, StandardCharsets.UTF_8)));
            int format = value(lines, "format", Integer::parseInt);
            if (format > FORMAT) {
                throw new ClusterException(
                        "the data directory "
                                + folder
                                + " was written by a newer Holdfast (format "
                                + format
                                + ", supported: "
                                + FORMAT
                                + "): upgrade this node");
            }
            if (format < FORMAT) {
                throw new ClusterException(
                        "the data directory "
                                + folder
                                + " was written by an earlier Holdfast (format "
                                + format
                                + ", supported: "
                                + FORMAT
                                + "): it was made before version 0.1.0, whose data directories"
                                + " cannot be read any more; start with an empty one");
            }
            int version = Integer.parseInt(lines.getProperty("cluster-version", "0"));
            if (version > known) {
                throw new ClusterException(
                        ClusterVersion.unknown(
                                        "the cluster of the data directory " + folder,
                                        version,
                                        known)
                                + ": start a newer Holdfast on this node");
            }
            String clusterId = lines.getProperty("cluster-id", "");
            return new DataIdentity(
                    value(lines, "cluster"),
                    value(lines, "node"),
                    value(lines, "data-id", UUID::fromString),
                    value(lines, "members", DataIdentity::members),
                    value(lines, "state", state -> State.valueOf(state.toUpperCase(Locale.ROOT))),
                    clusterId.isEmpty() ? null : UUID.fromString(clusterId),
                    memberList(lines.getProperty("member-list", "")),
                    lines.getProperty("backup", ""),
                    version);
        } catch (CharacterCodingException e) {
            throw damaged(file, "it is not UTF-8 text");
        } catch (IllegalArgumentException e) {
            throw damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException(
                "the file "
                        + file
                        + " is damaged ("
                        + why
                        + "): restore the file from a copy, or empty the directory and replace the"
                        + " node (holdfast cluster replace)");
    }

    private static String value(Properties lines, String name) {
        String value = lines.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException("it has no " + name);
        }
        return value;
    }

    private static <T> T value(Properties lines, String name, Function<String, T> parser) {
        String text = value(lines, name);
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the value of " + name + " is not valid", e);
        }
    }

    /** The member of a cluster of one has the port 0, which the command line does not accept. */
    private static List<NodeAddress> members(String text) {
        if (text.matches("[^=,]+=127\\.0\\.0\\.1:0")) {
            return List.of(new NodeAddress(text.substring(0, text.indexOf('=')), "127.0.0.1", 0));
        }
        return NodeAddress.parseList(text);
    }

    /** Each member is written {@code NAME=HOST:PORT@DATA-ID}. */
    private static List<Member> memberList(String text) {
        List<Member> members = new ArrayList<>();
        for (String member : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int end = member.lastIndexOf('@');
            if (end < 0) {
                throw new IllegalArgumentException("a member has no data id: " + member);
            }
            members.add(
                    new Member(
                            members(member.substring(0, end)).getFirst(),
                            UUID.fromString(member.substring(end + 1))));
        }
        return members;
    }

    /** Checks that the directory belongs to this node of this cluster. */
    void require(Path folder, String cluster, String node, List<NodeAddress> members)
            throws ClusterException {
        String owner = "the data directory " + folder + " belongs to ";
        if (!this.cluster.equals(cluster)) {
            throw new ClusterException(
                    owner
                            + "a node of the cluster "
                            + this.cluster
                            + ", not of "
                            + cluster
                            + ": check --data-dir and --cluster-name");
        }
        if (!this.node.equals(node)) {
            throw new ClusterException(
                    owner
                            + "the node "
                            + this.node
                            + ", not to "
                            + node
                            + ": check --data-dir and --node");
        }
        if (isStandalone(this.members) != isStandalone(members)) {
            throw new ClusterException(
                    owner
                            + (isStandalone(members)
                                    ? "a node of a cluster, but there is no --cluster"
                                    : "a standalone server, but there is a --cluster")
                            + ": to take over its state, make a backup (holdfast cluster"
                            + " backup) and restore it into a new folder");
        }
        boolean isAlone = this.members.size() == 1 && members.size() == 1;
        boolean isUnused = state == State.NEW && clusterId == null;
        if (!isAlone && !isUnused && this.members.stream().noneMatch(members::contains)) {
            throw new ClusterException(
                    owner
                            + "a node of another cluster: its nodes were "
                            + format(this.members)
                            + ", and --cluster names none of them. If all of them have moved,"
                            + " change the line that begins with members in "
                            + folder.resolve(FILE));
        }
    }

    private static boolean isStandalone(List<NodeAddress> members) {
        return members.stream().allMatch(member -> member.port() == 0);
    }

    private static String format(List<NodeAddress> members) {
        return members.stream().map(NodeAddress::toString).collect(Collectors.joining(","));
    }

    void write(Path folder) throws IOException {
        Properties lines = new Properties();
        lines.setProperty("format", Integer.toString(FORMAT));
        lines.setProperty("cluster", cluster);
        lines.setProperty("node", node);
        lines.setProperty("data-id", dataId.toString());
        lines.setProperty("members", format(members));
        lines.setProperty("state", state.name().toLowerCase(Locale.ROOT));
        if (clusterId != null) {
            lines.setProperty("cluster-id", clusterId.toString());
            lines.setProperty(
                    "member-list",
                    memberList.stream()
                            .map(member -> member.address() + "@" + member.dataId())
                            .collect(Collectors.joining(",")));
        }
        if (!backup.isEmpty()) {
            lines.setProperty("backup", backup);
        }
        if (version > 0) {
            lines.setProperty("cluster-version", Integer.toString(version));
        }
        StringWriter text = new StringWriter();
        lines.store(text, null);
        String file =
                text.toString()
                        .lines()
                        .filter(line -> !line.startsWith("#")) // a comment with the date
                        .sorted()
                        .collect(
                                Collectors.joining(
                                        "\n",
                                        "# Identity of this data directory, kept by Holdfast.\n",
                                        "\n"));
        DurableFile.replace(folder.resolve(FILE), file.getBytes(StandardCharsets.UTF_8));
    }
}
