package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;
import static io.holdfast.cluster.simulation.SimulatedTime.SECOND;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SnapshotFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What goes wrong in a run, and what administrators do about it. */
final class SimulatedFaults {
    /** Each kind of fault is about as probable as another of the same profile. */
    enum Fault {
        CRASH,
        CRASH_OF_ALL,
        SHORT_PAUSE,
        LONG_PAUSE,
        ISOLATION,
        CUT,
        ELECTION,
        SLOW_NODE,
        SLOW_LINK,
        WIPE,
        STRANGER,
        RESTORE
    }

    /** All faults; some are more probable than others. */
    static final List<Fault> ALL =
            List.of(
                    Fault.CRASH,
                    Fault.CRASH,
                    Fault.CRASH,
                    Fault.CRASH,
                    Fault.CRASH_OF_ALL,
                    Fault.SHORT_PAUSE,
                    Fault.SHORT_PAUSE,
                    Fault.LONG_PAUSE,
                    Fault.LONG_PAUSE,
                    Fault.ISOLATION,
                    Fault.ISOLATION,
                    Fault.ISOLATION,
                    Fault.ISOLATION,
                    Fault.CUT,
                    Fault.CUT,
                    Fault.ELECTION,
                    Fault.ELECTION,
                    Fault.SLOW_NODE,
                    Fault.SLOW_NODE,
                    Fault.SLOW_LINK,
                    Fault.SLOW_LINK,
                    Fault.SLOW_LINK,
                    Fault.WIPE,
                    Fault.WIPE,
                    Fault.WIPE,
                    Fault.STRANGER,
                    Fault.STRANGER,
                    Fault.RESTORE);

    private static final int FIRST_PORT = 7000;
    private static final long MAX_DOWN_NANOS = 6 * SECOND;
    private static final int MAX_BACKUPS = 10;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedTime time;
    private final List<Fault> profile;
    private final BrokenRule broken;
    private final Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
    private final Map<NodeAddress, SimulatedStranger> strangers = new HashMap<>();
    private final List<SimulatedDirectory.StoredSnapshot> backups = new ArrayList<>();

    /** The directories of the cluster before it was restored. */
    private final List<SimulatedDirectory> retired = new ArrayList<>();

    SimulatedFaults(SimulatedCluster simulatedCluster, List<Fault> profile, BrokenRule broken) {
        this.simulatedCluster = simulatedCluster;
        this.time = simulatedCluster.time;
        this.profile = profile;
        this.broken = broken;
    }

    static NodeAddress address(int number) {
        return new NodeAddress("n" + number, "127.0.0.1", FIRST_PORT + number);
    }

    /** Returns how many faults of a kind there were. */
    int count(Fault fault) {
        return injected.getOrDefault(fault, 0);
    }

    void inject() {
        Fault fault = profile.get(time.pick(0, profile.size() - 1));
        SimulatedNode leader = simulatedCluster.raft.leader();
        SimulatedNode node = leader != null && time.chance(0.4) ? leader : anyNode();
        if (inject(fault, node)) {
            injected.merge(fault, 1, Integer::sum);
        }
    }

    private SimulatedNode anyNode() {
        List<SimulatedNode> nodes = simulatedCluster.nodes;
        return nodes.get(time.pick(0, nodes.size() - 1));
    }

    private boolean inject(Fault fault, SimulatedNode node) {
        return switch (fault) {
            case CRASH -> crash(node);
            case CRASH_OF_ALL -> {
                if (!time.chance(0.5)) {
                    yield false;
                }
                simulatedCluster.nodes.forEach(this::crash);
                yield true;
            }
            case SHORT_PAUSE ->
                    pause(node, time.randomDuration(MILLI, SimulatedCluster.SHORT_PAUSE));
            case LONG_PAUSE ->
                    pause(node, time.randomDuration(SimulatedCluster.SHORT_PAUSE + 1, 5 * SECOND));
            case ISOLATION -> isolate(node, time.randomDuration(SECOND / 5, 6 * SECOND));
            case CUT -> {
                simulatedCluster.network.cut(
                        node.address(),
                        anyNode().address(),
                        time.randomDuration(SECOND / 5, 6 * SECOND));
                yield true;
            }
            case ELECTION -> {
                simulatedCluster.raft.elect();
                yield true;
            }
            case SLOW_NODE -> {
                node.slowDown(time.randomDuration(SECOND / 5, 4 * SECOND));
                yield true;
            }
            case SLOW_LINK -> {
                simulatedCluster.network.slowDown(
                        node.address(),
                        anyNode().address(),
                        time.randomDuration(500, 20_000),
                        time.randomDuration(SECOND, 8 * SECOND));
                yield true;
            }
            case WIPE -> wipe(node);
            case STRANGER -> beginStranger(node);
            case RESTORE -> restore();
        };
    }

    /** Ends what does not end by itself. */
    void calmDown() {
        List.copyOf(strangers.keySet()).forEach(this::endStranger);
    }

    // ---- processes and links

    private boolean crash(SimulatedNode node) {
        if (!node.isAlive()) {
            return false;
        }
        node.crash();
        startSoon(node);
        return true;
    }

    private void startSoon(SimulatedNode node) {
        time.after(
                time.randomDuration(SECOND / 10, MAX_DOWN_NANOS),
                () -> {
                    if (!node.isAlive()) {
                        node.start();
                    }
                });
    }

    private static boolean pause(SimulatedNode node, long durationNanos) {
        if (!node.runs()) {
            return false;
        }
        node.pause(durationNanos);
        return true;
    }

    private boolean isolate(SimulatedNode node, long durationNanos) {
        for (SimulatedNode other : simulatedCluster.nodes) {
            if (other != node) {
                simulatedCluster.network.cut(node.address(), other.address(), durationNanos);
                simulatedCluster.network.cut(other.address(), node.address(), durationNanos);
            }
        }
        return true;
    }

    // ---- data directories

    /** Empties the directory of a node, unless a majority would be lost. */
    private boolean wipe(SimulatedNode node) {
        if (!simulatedCluster.raft.members().contains(node.directory().dataId) || !canLose(node)) {
            return false;
        }
        if (node.isAlive()) {
            node.crash();
        }
        if (broken == BrokenRule.WIPED_NODE_COUNTS) {
            node.replaceDirectory(SimulatedDirectory.emptied(node.directory()));
        } else {
            node.replaceDirectory(new SimulatedDirectory(node.randomUuid()));
            admitSoon(node);
        }
        startSoon(node);
        return true;
    }

    /** Whether each member list that may count has a majority without a node. */
    private boolean canLose(SimulatedNode lost) {
        Set<UUID> intact = new HashSet<>();
        List<RaftEntry.Members> lists = new ArrayList<>();
        lists.add(simulatedCluster.raft.members());
        int committed = simulatedCluster.raft.committed().size();
        for (SimulatedNode node : simulatedCluster.nodes) {
            SimulatedDirectory directory = node.directory();
            if (directory.membersIndex() > committed) {
                lists.add(directory.members());
            }
            if (node != lost && directory.isIntact()) {
                intact.add(directory.dataId);
            }
        }
        return lists.stream().allMatch(list -> list.isMajority(intact));
    }

    /** Lets an administrator admit a node with a new directory, in place of the one before it. */
    private void admitSoon(SimulatedNode node) {
        SimulatedDirectory directory = node.directory();
        time.after(
                simulatedCluster.isCalm()
                        ? SECOND / 2
                        : time.randomDuration(SECOND / 2, 3 * SECOND),
                () -> {
                    if (node.directory() == directory
                            && !simulatedCluster.raft.isMember(directory.dataId)) {
                        admit(node);
                        admitSoon(node);
                    }
                });
    }

    private void admit(SimulatedNode node) {
        SimulatedNode leads = simulatedCluster.raft.leader();
        SimulatedPeer leader = leads == null ? null : leads.peer();
        if (leader == null || !node.runs()) {
            return;
        }
        boolean waits = node.isWaiting();
        node.join(leader.clusterId(), List.of());
        if (!waits || time.chance(0.5)) { // the command may end after its first step
            Member replaced =
                    leader.members().members().stream()
                            .filter(member -> member.name().equals(node.name))
                            .findFirst()
                            .orElse(null);
            leader.admit(node.member(), replaced);
        }
    }

    // ---- strangers

    /** Lets a node of another cluster have the address of a node that is down. */
    private boolean beginStranger(SimulatedNode node) {
        if (strangers.containsKey(node.address())) {
            return false;
        }
        crash(node);
        SimulatedDirectory directory =
                retired.isEmpty() || time.chance(0.5)
                        ? foreign(node.address())
                        : retiredOf(node.address());
        strangers.put(
                node.address(),
                new SimulatedStranger(node.address(), directory, simulatedCluster.network));
        return true;
    }

    /** The process with an address is starting, or the run comes to its end. */
    void endStranger(NodeAddress address) {
        SimulatedStranger stranger = strangers.remove(address);
        if (stranger != null) {
            stranger.end();
        }
    }

    private SimulatedDirectory retiredOf(NodeAddress address) {
        for (SimulatedDirectory directory : retired) {
            for (Member member : directory.members().members()) {
                if (member.address().equals(address) && member.dataId().equals(directory.dataId)) {
                    return directory;
                }
            }
        }
        return foreign(address);
    }

    /** Returns a directory of a cluster that has the same addresses and another log. */
    private SimulatedDirectory foreign(NodeAddress address) {
        List<Member> members = new ArrayList<>();
        SimulatedDirectory directory = new SimulatedDirectory(uuid());
        for (SimulatedNode node : simulatedCluster.nodes) {
            members.add(
                    new Member(
                            node.address(),
                            node.address().equals(address) ? directory.dataId : uuid()));
        }
        directory.recordCluster(uuid(), members);
        directory.term = simulatedCluster.raft.term() + time.pick(0, 3);
        int length = time.pick(0, simulatedCluster.raft.committed().size() + 10);
        for (int i = 0; i < length; i++) {
            directory.append(
                    new RaftEntry(
                            directory.term,
                            time.now(),
                            new RaftEntry.Proposal(new EntryTime(i, i), new LogEntry.Tick(), 1)));
        }
        directory.sync(length);
        return directory;
    }

    private UUID uuid() {
        return new UUID(time.number(), time.number());
    }

    // ---- backups

    /** A snapshot was written, which may be copied as a backup. */
    void written(SimulatedDirectory.StoredSnapshot snapshot) {
        if (retired.isEmpty() && time.chance(0.3)) {
            if (backups.size() == MAX_BACKUPS) {
                backups.removeFirst();
            }
            backups.add(snapshot);
        }
    }

    /**
     * Ends all nodes and restores a backup into the new directory of one, to which the others are
     * added with empty ones. At most once in a run.
     */
    private boolean restore() {
        if (backups.isEmpty() || !retired.isEmpty()) {
            return false;
        }
        SimulatedDirectory.StoredSnapshot backup = backups.get(time.pick(0, backups.size() - 1));
        byte[] state = restored(backup.bytes());
        simulatedCluster.restore(backup.index(), state);
        RaftEntry first = simulatedCluster.raft.committed().getFirst();
        List<SimulatedNode> nodes = simulatedCluster.nodes;
        for (SimulatedNode node : nodes) {
            if (node.isAlive()) {
                node.crash();
            }
            retired.add(node.directory());
            node.replaceDirectory(
                    node == nodes.getFirst()
                            ? new SimulatedDirectory(uuid(), first, state)
                            : new SimulatedDirectory(uuid()));
            if (node != nodes.getFirst()
                    && broken != BrokenRule.EMPTY_NODE_COUNTS_BESIDE_RESTORED) {
                admitSoon(node);
            }
            startSoon(node);
        }
        return true;
    }

    /** Returns the state of a new cluster, as it is restored from a backup file. */
    private static byte[] restored(byte[] backup) {
        try {
            Path file = Files.createTempFile("simulation", ".hf");
            try {
                int version = ByteBuffer.wrap(backup).getInt();
                SnapshotFile.write(
                        file,
                        version,
                        out -> out.write(backup, Integer.BYTES, backup.length - Integer.BYTES));
                Replica restored = Replica.of(file, version);
                return SimulatedCluster.written(
                        out -> {
                            out.writeInt(version);
                            restored.writeAsNew(out);
                        });
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
