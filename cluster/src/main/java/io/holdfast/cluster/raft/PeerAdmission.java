package io.holdfast.cluster.raft;

import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.formation.Formation;
import io.holdfast.cluster.rpc.Greeting;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcRefusedException;

import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which nodes may exchange messages with this one: members of its own cluster, by the id of
 * their data directory. A member list may be older than that of the other node, in which case the
 * other one's counts.
 */
final class PeerAdmission {
    private final NodeIdentity identity;
    private final KnownVersions known;
    private final IntSupplier clusterVersion;
    private final Supplier<RaftServer.@Nullable Division> division;
    private final RefusedConnections refused;

    /** The configuration of {@link #members}; guarded by this. */
    private @Nullable RaftConfiguration configuration;

    /** Guarded by this. */
    private MemberList members;

    /**
     * Whether the entry with {@link #members} is committed and can only be purged; guarded by this.
     */
    private boolean settled;

    /** The members before the current ones, until those are committed; guarded by this. */
    private MemberList previous = MemberList.NONE;

    /**
     * @param known the versions that this node knows
     * @param clusterVersion returns the version of the cluster as this node knows it
     * @param division returns the started Raft server; null before it is started
     */
    PeerAdmission(
            NodeIdentity identity,
            KnownVersions known,
            IntSupplier clusterVersion,
            Supplier<RaftServer.@Nullable Division> division,
            RefusedConnections refused) {
        this.identity = identity;
        this.known = known;
        this.clusterVersion = clusterVersion;
        this.division = division;
        this.refused = refused;
        this.members =
                identity.members().isEmpty()
                        ? MemberList.NONE
                        : MemberList.initial(identity.members());
    }

    NodeIdentity identity() {
        return identity;
    }

    /** Returns the members as this node knows them, and old and new ones during a change. */
    synchronized MemberList members() {
        RaftServer.Division started = division.get();
        if (started == null) {
            return members;
        }
        RaftConfiguration current = started.getRaftConf();
        boolean committed =
                current.getLogEntryIndex() <= started.getRaftLog().getLastCommittedIndex();
        if (!current.equals(configuration)) {
            previous = configuration == null ? MemberList.NONE : members;
            configuration = current;
            settled = false;
        }
        if (!settled) {
            members = RaftPeers.memberList(current, position(started, current.getLogEntryIndex()));
            settled = committed;
        }
        if (committed) {
            previous = MemberList.NONE;
        }
        return members;
    }

    /**
     * Returns the term and index of the entry with the member list. If only a snapshot is left of
     * it, they are those of the snapshot: every newer list comes after that.
     */
    private static TermIndex position(RaftServer.Division started, long index) {
        if (index < 0) {
            return TermIndex.valueOf(0, index); // the list of a new cluster
        }
        RaftLog log = started.getRaftLog();
        TermIndex entry = log.isOpened() ? log.getTermIndex(index) : null;
        if (entry != null) {
            return entry;
        }
        SnapshotInfo snapshot = started.getStateMachine().getLatestSnapshot();
        return snapshot != null && snapshot.getIndex() >= index
                ? snapshot.getTermIndex()
                : TermIndex.valueOf(started.getInfo().getCurrentTerm(), index); // being appended
    }

    /** Returns the members, and those before them until a change is committed. */
    synchronized Set<RaftPeerId> peers() {
        return Stream.concat(members().members().stream(), previous.members().stream())
                .map(RaftPeers::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the peer in the current member list; null if it is not there, or not known yet. */
    @Nullable RaftPeer peer(RaftPeerId id) {
        RaftServer.Division started = division.get();
        return started == null ? null : started.getRaftConf().getPeer(id);
    }

    /**
     * Whether a node is a member, or was one until a change that is not yet committed here: a
     * leader that removes itself commits that change.
     */
    private synchronized boolean isMember(String node, UUID dataId) {
        return members().contains(node, dataId) || previous.contains(node, dataId);
    }

    /** Returns the greeting of this node. */
    Greeting greeting() {
        return new Greeting(
                Greeting.Kind.NODE,
                identity.cluster(),
                identity.clusterId(),
                identity.self().name(),
                identity.self().dataId(),
                members(),
                known,
                clusterVersion.getAsInt());
    }

    /** Whether this node is a member as far as it knows; others refuse it as long as it is not. */
    boolean isMember() {
        return members().contains(identity.self().dataId());
    }

    /**
     * Checks the opener of a connection.
     *
     * @throws RpcRefusedException if it is not a member, nor an administrator
     */
    void require(Greeting opener) throws RpcRefusedException {
        try {
            Formation.requireName(identity.cluster(), opener);
            int _ = opener.frameVersion(identity.self().name(), known);
            if (opener.kind() == Greeting.Kind.NODE) {
                requireCluster(opener.node(), opener.clusterId());
                requireMember(opener);
                requireVersions(opener);
            }
        } catch (RpcRefusedException e) {
            refused.incoming(opener.node(), String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void requireCluster(String node, @Nullable UUID clusterId) throws RpcRefusedException {
        if (!identity.clusterId().equals(clusterId)) {
            throw new RpcRefusedException(
                    identity.self().name()
                            + " and "
                            + node
                            + " are nodes of different clusters, with the ids "
                            + identity.clusterId()
                            + " and "
                            + clusterId
                            + ": one has the address that a node of another cluster had");
        }
    }

    private void requireMember(Greeting opener) throws RpcRefusedException {
        if (!isMember(opener)) {
            throw new RpcRefusedException(
                    opener.node()
                            + " with the data id "
                            + opener.dataId()
                            + " is not a member of the cluster: it was replaced or removed");
        }
    }

    /** Whether an opener is a member, by the list of this node or a newer one of its own. */
    boolean isMember(Greeting opener) {
        UUID dataId = opener.dataId();
        return dataId != null
                && (isMember(opener.node(), dataId)
                        || (opener.members().isNewerThan(members())
                                && opener.members().contains(opener.node(), dataId)));
    }

    /** Requires that each of the two nodes knows the version of the cluster. */
    private void requireVersions(Greeting other) throws RpcRefusedException {
        other.requireKnown(clusterVersion.getAsInt());
        other.requireClusterVersion(identity.self().name(), known);
    }

    /** Returns the handshake of connections to a member. */
    Handshake toMember(RaftPeerId id) {
        return new Handshake() {
            @Override
            public Greeting greeting() {
                return PeerAdmission.this.greeting();
            }

            @Override
            public void check(Greeting acceptor) throws RpcRefusedException {
                requireCluster(acceptor.node(), acceptor.clusterId());
                if (!RaftPeers.id(acceptor.node(), acceptor.dataId()).equals(id)) {
                    throw new RpcRefusedException(
                            acceptor.node()
                                    + " with the data id "
                                    + acceptor.dataId()
                                    + " has the address of the member "
                                    + RaftPeers.name(id)
                                    + ", whose data id is another one");
                }
                requireVersions(acceptor);
            }

            @Override
            public void refused(String reason) {
                refused.outgoing(RaftPeers.name(id), reason);
            }
        };
    }
}
