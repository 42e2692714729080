package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.server.RaftConfiguration;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a leader makes of a request to change the members before Ratis executes it.
 *
 * <p>Ratis compares members by their ids and priorities only. So a new address alone is no change
 * for it, and two administrators could overwrite each other's addresses. Here, the members that the
 * administrator has seen must have the current addresses, and a change of addresses alone changes
 * the priority of all members, too. All of them always have the same priority, which makes it
 * irrelevant for elections.
 */
final class MembershipChange {
    private MembershipChange() {}

    /**
     * Returns the request for Ratis.
     *
     * @param current the configuration that is to be changed
     * @throws SetConfigurationException if the members have other addresses than the administrator
     *     assumes
     */
    static SetConfigurationRequest of(SetConfigurationRequest request, RaftConfiguration current)
            throws SetConfigurationException {
        SetConfigurationRequest.Arguments change = request.getArguments();
        Map<RaftPeerId, String> now = addresses(current.getAllPeers());
        if (!addresses(change.getServersInCurrentConf()).equals(now)) {
            throw new SetConfigurationException(
                    "the members or their addresses have been changed by somebody else");
        }
        List<RaftPeer> next = change.getPeersInNewConf(RaftPeerRole.FOLLOWER);
        Map<RaftPeerId, String> wanted = addresses(next);
        int priority =
                current.getCurrentPeers().stream().mapToInt(RaftPeer::getPriority).max().orElse(0);
        boolean isMove = wanted.keySet().equals(now.keySet()) && !wanted.equals(now);
        int nextPriority = isMove ? 1 - Math.min(priority, 1) : priority;
        return new SetConfigurationRequest(
                request.getClientId(),
                request.getServerId(),
                request.getRaftGroupId(),
                request.getCallId(),
                SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(
                                next.stream()
                                        .map(
                                                peer ->
                                                        RaftPeer.newBuilder(peer)
                                                                .setPriority(nextPriority)
                                                                .build())
                                        .toList())
                        .setServersInCurrentConf(change.getServersInCurrentConf())
                        .setMode(change.getMode())
                        .build());
    }

    private static Map<RaftPeerId, String> addresses(Collection<RaftPeer> peers) {
        Map<RaftPeerId, String> addresses = new HashMap<>();
        peers.forEach(peer -> addresses.put(peer.getId(), peer.getAddress()));
        return addresses;
    }
}
