package io.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

@DisplayName("What a node reports")
class NodeReportTest {
    private static final NodeReport REPORT =
            new NodeReport(
                    new NodeStatus(
                            "n1",
                            "leader",
                            3,
                            "n1",
                            10,
                            9,
                            true,
                            4,
                            1,
                            2,
                            List.of(new NodeStatus.Peer("n2", "b:2", 8, 5))),
                    new UUID(1, 2),
                    new UUID(3, 4),
                    new MemberList(
                            6,
                            7,
                            List.of(new Member(NodeAddress.parse("n1=[::1]:1"), new UUID(3, 4)))),
                    null,
                    new NodeReport.Restored(
                            Set.of(new UUID(5, 6), new UUID(7, 8)), "n3 does not respond"));

    @Test
    void a_report_is_restored_from_its_bytes() throws IOException {
        assertThat(NodeReport.of(REPORT.toBytes())).isEqualTo(REPORT);
        var lost = new NodeStatus("n1", "starting", 0, null, -1, -1, false, 0, 0, 2, List.of());
        var waiting =
                new NodeReport(
                        lost,
                        null,
                        new UUID(3, 4),
                        MemberList.NONE,
                        new NodeReport.Waiting(
                                NodeAddress.parseList("n1=a:1,n2=b:2"), true, "5e", "for n2"),
                        null);
        assertThat(NodeReport.of(waiting.toBytes())).isEqualTo(waiting);
    }

    @Test
    void truncated_bytes_of_a_report_are_refused() {
        byte[] bytes = REPORT.toBytes();
        for (int length = 0; length < bytes.length; length++) {
            byte[] part = java.util.Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> NodeReport.of(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_report_with_an_impossible_count_is_refused() {
        byte[] bytes = REPORT.toBytes();
        int peers = 1 + "xxn1xxleader".length() + Long.BYTES + "xxn1".length();
        bytes[peers + 2 * Long.BYTES + 1 + Integer.BYTES] = 0x7f;
        assertThatThrownBy(() -> NodeReport.of(bytes)).hasMessageContaining("malformed report");
    }
}
