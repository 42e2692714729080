package io.holdfast.cluster.raft;

import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcRefusedException;

import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;

import java.util.List;
import java.util.Map;

/** The admission of connections of a node, by the real rules, without Ratis and sockets. */
public final class SimulatedAdmission {
    private final PeerAdmission admission;
    private RaftConfiguration configuration;
    private long term;
    private long committed = -1;

    public SimulatedAdmission(NodeIdentity identity, RefusedConnections refused) {
        configuration = configuration(-1, identity.members(), List.of());
        RaftLog log =
                InterfaceStub.of(
                        RaftLog.class,
                        Map.of(
                                "getLastCommittedIndex",
                                () -> committed,
                                "isOpened",
                                () -> true,
                                "getTermIndex",
                                () -> TermIndex.valueOf(term, configuration.getLogEntryIndex())));
        RaftServer.Division division =
                InterfaceStub.of(
                        RaftServer.Division.class,
                        Map.of("getRaftConf", () -> configuration, "getRaftLog", () -> log));
        admission =
                new PeerAdmission(
                        identity, KnownVersions.CURRENT, () -> 1, () -> division, refused);
    }

    private static RaftConfiguration configuration(
            long index, List<Member> members, List<Member> previous) {
        List<RaftPeer> current = RaftPeers.peers(members);
        List<RaftPeer> old = RaftPeers.peers(previous);
        return InterfaceStub.of(
                RaftConfiguration.class,
                Map.of(
                        "getCurrentPeers",
                        () -> current,
                        "getPreviousPeers",
                        () -> old,
                        "getLogEntryIndex",
                        () -> index));
    }

    /**
     * Changes the member list.
     *
     * @param entryTerm the term of the entry with the list
     * @param index the index of that entry
     * @param previous the members before the change, while it is in progress
     */
    public void change(long entryTerm, long index, List<Member> members, List<Member> previous) {
        term = entryTerm;
        configuration = configuration(index, members, previous);
    }

    /** Changes the index up to which the log is committed. */
    public void commit(long index) {
        committed = index;
    }

    /** Whether a connection of this node to where a member should be is accepted by both sides. */
    public boolean connects(Member expected, SimulatedAdmission acceptor) {
        Handshake handshake = admission.toMember(RaftPeers.id(expected));
        try {
            acceptor.admission.require(handshake.greeting());
            handshake.check(acceptor.admission.greeting());
            return true;
        } catch (RpcRefusedException e) {
            return false;
        }
    }
}
