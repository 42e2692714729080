package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.NodeAddress;

import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("The settings of Ratis")
class RaftSettingsTest {
    private static final NodeAddress N1 = new NodeAddress("n1", "127.0.0.1", 7001);
    private static final NodeAddress N2 = new NodeAddress("n2", "127.0.0.1", 7002);

    private static RaftProperties of(NodeAddress... members) {
        Path folder = Path.of("unused");
        ClusterConfig config =
                ClusterConfig.builder(List.of(members), "n1", folder).name("test").build();
        return RaftSettings.server(config, folder, false);
    }

    private static long days(TimeDuration duration) {
        return duration.toLong(TimeUnit.DAYS);
    }

    @Test
    void a_node_of_a_cluster_of_one_continues_after_a_pause_of_any_length() {
        RaftProperties alone = of(N1);
        assertThat(days(RaftServerConfigKeys.closeThreshold(alone))).isGreaterThan(10_000);
        assertThat(days(RaftServerConfigKeys.LeaderElection.leaderStepDownWaitTime(alone)))
                .isGreaterThan(10_000);
    }

    @Test
    void a_node_of_a_larger_cluster_stops_after_a_pause_of_more_than_a_minute() {
        assertThat(RaftServerConfigKeys.closeThreshold(of(N1, N2)))
                .isEqualTo(TimeDuration.valueOf(60, TimeUnit.SECONDS));
    }
}
