package io.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

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
                            List.of(new NodeStatus.Peer("n2", "b:2", 8, 5))),
                    List.of("n1", "n2", "n0"));

    @Test
    void a_report_is_restored_from_its_bytes() throws IOException {
        assertThat(NodeReport.of(REPORT.toBytes())).isEqualTo(REPORT);
        var lost = new NodeStatus("n1", "starting", 0, null, -1, -1, false, 0, List.of());
        var empty = new NodeReport(lost, List.of());
        assertThat(NodeReport.of(empty.toBytes())).isEqualTo(empty);
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
        int names = bytes.length - "xn1xn2xn0".length() - 3 - Integer.BYTES;
        bytes[names] = 0x7f;
        assertThatThrownBy(() -> NodeReport.of(bytes)).hasMessageContaining("malformed report");
    }
}
