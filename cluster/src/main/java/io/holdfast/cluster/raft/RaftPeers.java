package io.holdfast.cluster.raft;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;

import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The peers of Ratis, whose id is the name of the node and the id of its data directory. So a node
 * with an empty directory is another peer than the node before it, although it has its name.
 */
final class RaftPeers {
    /** No node name has it. */
    private static final char SEPARATOR = '@';

    private RaftPeers() {}

    static RaftPeerId id(Member member) {
        return id(member.name(), member.dataId());
    }

    static RaftPeerId id(String node, @Nullable UUID dataId) {
        return RaftPeerId.valueOf(node + SEPARATOR + dataId);
    }

    /** Returns the name of the node, as it is shown. */
    static String name(RaftPeerId id) {
        return name(id.toString());
    }

    /** Returns the name of the node, as it is shown. */
    static String name(String id) {
        int end = id.indexOf(SEPARATOR);
        return end < 0 ? id : id.substring(0, end);
    }

    static RaftPeer peer(Member member) {
        return RaftPeer.newBuilder()
                .setId(id(member))
                .setAddress(member.address().address())
                .build();
    }

    static List<RaftPeer> peers(List<Member> members) {
        return members.stream().map(RaftPeers::peer).toList();
    }

    /** Returns the member of a peer that was made by {@link #peer}. */
    private static Member member(RaftPeer peer) {
        InetSocketAddress address = SocketRpcType.address(peer);
        String id = peer.getId().toString();
        return new Member(
                new NodeAddress(name(id), address.getHostString(), address.getPort()),
                UUID.fromString(id.substring(id.indexOf(SEPARATOR) + 1)));
    }

    /** Returns the members of a configuration, old and new ones during a change. */
    static List<Member> members(RaftConfiguration configuration) {
        Map<RaftPeerId, Member> members = new LinkedHashMap<>();
        Stream.concat(
                        configuration.getCurrentPeers().stream(),
                        configuration.getPreviousPeers().stream())
                .forEach(peer -> members.putIfAbsent(peer.getId(), member(peer)));
        return List.copyOf(members.values());
    }

    /**
     * Returns the member list of a configuration.
     *
     * @param position where the log has it
     */
    static MemberList memberList(RaftConfiguration configuration, TermIndex position) {
        List<Member> members = members(configuration);
        return members.isEmpty()
                ? MemberList.NONE
                : new MemberList(position.getTerm(), position.getIndex(), members);
    }
}
