package io.holdfast.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.check.StateCheckReport;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("holdfast cluster check")
class CheckCommandTest {
    @Test
    void prints_the_hash_of_each_node_and_which_have_none_or_another_one() {
        assertThat(
                        CheckCommand.lines(
                                new StateCheckReport(
                                        7,
                                        List.of(
                                                new StateCheckReport.Node("n1", 255L, false),
                                                new StateCheckReport.Node("n2", 254L, true),
                                                new StateCheckReport.Node("n3", null, false)))))
                .containsExactly(
                        "n1: 00000000000000ff after entry 7",
                        "n2: 00000000000000fe after entry 7, DIVERGED: its state differs from that"
                                + " of other nodes; see its log",
                        "n3: no hash");
    }
}
