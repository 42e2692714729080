package io.holdfast.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.admin.NodeReportResult;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

@DisplayName("The status of a cluster")
class StatusCommandTest {
    private static NodeReportResult result(
            String name, String role, long commit, long applied, int knownVersion) {
        return new NodeReportResult(
                NodeAddress.parse(name + "=10.0.0.1:1"),
                new NodeReport(
                        new NodeStatus(
                                name,
                                role,
                                3,
                                "n1",
                                commit,
                                applied,
                                true,
                                4,
                                1,
                                knownVersion,
                                List.of()),
                        new UUID(1, 1),
                        new UUID(2, 2),
                        MemberList.NONE,
                        null,
                        null),
                null);
    }

    private static final List<NodeReportResult> ANSWERS =
            List.of(
                    result("n1", "leader", 100, 99, 1),
                    result("n2", "follower", 40, 40, 2),
                    new NodeReportResult(
                            NodeAddress.parse("n3=10.0.0.3:1"), null, "no response in time"),
                    new NodeReportResult(
                            NodeAddress.parse("n4=10.0.0.4:1"),
                            new NodeReport(
                                    new NodeStatus(
                                            "n4",
                                            NodeReport.WAITING,
                                            0,
                                            null,
                                            -1,
                                            -1,
                                            false,
                                            0,
                                            0,
                                            1,
                                            List.of()),
                                    null,
                                    new UUID(3, 3),
                                    MemberList.NONE,
                                    new NodeReport.Waiting(
                                            List.of(), true, "", "n1 does not respond"),
                                    null),
                            null));

    @Test
    void the_table_shows_how_far_each_node_lags_behind_the_commit_index() {
        List<String> lines = StatusCommand.table(ANSWERS);
        assertThat(lines.get(1)).containsPattern("n1 .* leader +3 +100 +99 +1 +yes +4");
        assertThat(lines.get(2)).containsPattern("n2 .* follower +3 +40 +40 +60 +yes +4");
        assertThat(lines.get(3)).contains("unreachable: no response in time");
        assertThat(lines.get(4)).contains("waiting: n1 does not respond");
    }

    @Test
    void the_version_of_the_cluster_is_shown_with_a_higher_one_that_a_node_knows() {
        List<String> lines = StatusCommand.table(ANSWERS);
        assertThat(lines.get(1)).endsWith(" 4         1");
        assertThat(lines.get(2)).endsWith(" 4         1 (knows 2)");
        assertThat(StatusCommand.json("holdfast", true, ANSWERS))
                .contains("\"cluster_version\":1,\"known_version\":2");
    }

    @Test
    void a_node_that_was_replaced_is_shown_as_not_a_member() {
        Member leader = new Member(NodeAddress.parse("n1=10.0.0.1:1"), new UUID(1, 1));
        Member old = new Member(NodeAddress.parse("n2=10.0.0.2:1"), new UUID(2, 2));
        Member next = new Member(NodeAddress.parse("n2=10.0.0.2:1"), new UUID(2, 20));
        List<NodeReportResult> results =
                List.of(
                        member(leader, "leader", new MemberList(2, 52, List.of(leader, next))),
                        member(old, "follower", new MemberList(1, 100, List.of(leader, old))));
        List<String> lines = StatusCommand.table(results);
        assertThat(lines.get(1)).contains(" leader ");
        assertThat(lines.get(2)).endsWith("not a member: replaced or removed");
        assertThat(StatusCommand.json("holdfast", true, results))
                .contains("\"role\":\"not a member\",\"reason\":\"replaced or removed\"");
    }

    private static NodeReportResult member(Member self, String role, MemberList members) {
        NodeStatus status =
                new NodeStatus(self.name(), role, 2, null, 100, 100, false, 0, 1, 1, List.of());
        return new NodeReportResult(
                self.address(),
                new NodeReport(status, new UUID(1, 1), self.dataId(), members, null, null),
                null);
    }

    @Test
    void the_json_output_shows_the_same_lag() {
        assertThat(StatusCommand.json("holdfast", true, ANSWERS))
                .contains("\"node\":\"n1\"", "\"lag\":1,", "\"node\":\"n2\"", "\"lag\":60,");
    }
}
