package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.UUID;

@DisplayName("The reports of several nodes")
class ClusterStatusTest {
    private static final UUID CLUSTER = new UUID(1, 1);
    private static final Member N1 = member("n1", 1);
    private static final Member N2 = member("n2", 2);
    private static final Member N3 = member("n3", 3);
    private static final Member NEW_N2 = member("n2", 20);
    private static final NodeReportResult SILENT =
            new NodeReportResult(N3.address(), null, "no response in time");

    static Member member(String name, long id) {
        return new Member(NodeAddress.parse(name + "=127.0.0.1:" + (7000 + id)), new UUID(0, id));
    }

    static MemberList list(long term, long index, Member... members) {
        return new MemberList(term, index, List.of(members));
    }

    /** A report with as many peers as given. */
    static NodeReport report(
            Member self, String role, long term, long commitIndex, MemberList members, int peers) {
        return new NodeReport(
                new NodeStatus(
                        self.name(),
                        role,
                        term,
                        null,
                        commitIndex,
                        commitIndex,
                        true,
                        0,
                        1,
                        1,
                        Collections.nCopies(peers, new NodeStatus.Peer("n9", "a:1", -1, -1))),
                CLUSTER,
                self.dataId(),
                members,
                null,
                null);
    }

    private static NodeReportResult result(
            Member self, String role, long term, MemberList members) {
        return new NodeReportResult(
                self.address(), report(self, role, term, 100, members, 2), null);
    }

    @Test
    void the_leader_of_the_highest_term_comes_first() {
        MemberList members = list(1, 5, N1, N2, N3);
        NodeReportResult deposed = result(N1, "leader", 3, members);
        NodeReportResult leader = result(N2, "leader", 4, members);
        NodeReportResult follower = result(N3, "follower", 9, members);
        assertThat(new ClusterStatus(List.of(deposed, SILENT, follower, leader)).leaders())
                .extracting(found -> found.node().name())
                .containsExactly("n2", "n1");
    }

    @Test
    void a_node_that_the_leader_has_replaced_is_a_former_member() {
        NodeReportResult leader = result(N1, "leader", 2, list(2, 52, N1, NEW_N2, N3));
        NodeReportResult old = result(N2, "follower", 1, list(1, 100, N1, N2, N3));
        NodeReportResult replacing = result(NEW_N2, "follower", 2, list(2, 50, N1, N2, NEW_N2));
        NodeReportResult joining = result(member("n4", 4), "joining", 2, list(2, 52, N1, N3));
        NodeReportResult added =
                result(member("n4", 4), "follower", 2, list(2, 60, N1, member("n4", 4)));
        ClusterStatus status =
                new ClusterStatus(List.of(leader, old, replacing, joining, added, SILENT));
        assertThat(status.results().stream().filter(status::isFormerMember)).containsExactly(old);
        assertThat(new ClusterStatus(List.of(old)).isFormerMember(old)).isFalse();
    }
}
