package io.holdfast.cluster.admin;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeReport;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How far a membership change is. */
enum MemberChangeProgress {
    /** The members are those that were requested. */
    DONE,

    /** New members are being sent the state, or the change is not yet committed. */
    IN_PROGRESS,

    /** The members are others, and no change is in progress. */
    NOT_DONE;

    /**
     * Returns the progress according to the leader. While new members are being sent the state, it
     * has more peers than other members.
     *
     * @param before the members before the change
     * @param requested the members after the change
     */
    static MemberChangeProgress of(NodeReport leader, List<Member> before, List<Member> requested) {
        Set<Member> members = Set.copyOf(leader.members().members());
        Set<Member> both = new HashSet<>(before);
        boolean hasNew = both.addAll(requested);
        if (members.equals(Set.copyOf(requested))) {
            return leader.members().index() <= leader.status().commitIndex() ? DONE : IN_PROGRESS;
        }
        boolean isSendingState = leader.status().peers().size() >= members.size();
        return isSendingState || (hasNew && members.equals(both)) ? IN_PROGRESS : NOT_DONE;
    }
}
