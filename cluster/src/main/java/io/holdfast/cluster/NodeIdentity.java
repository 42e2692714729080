package io.holdfast.cluster;

import java.util.List;
import java.util.UUID;

/**
 * Which member of which cluster a node is.
 *
 * @param cluster the name of the cluster
 * @param clusterId the id of the cluster, generated once
 * @param self this node as a member
 * @param members the members with which the node starts if it has no log yet; empty while it waits
 *     to be added
 */
public record NodeIdentity(String cluster, UUID clusterId, Member self, List<Member> members) {
    public NodeIdentity {
        members = List.copyOf(members);
    }
}
