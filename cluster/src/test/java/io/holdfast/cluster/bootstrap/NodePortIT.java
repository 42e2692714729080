package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;

@DisplayName("A node whose port is in use")
class NodePortIT {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"false,--cluster", "true,--cluster-bind"})
    void names_the_option_that_has_the_port(boolean binds, String option) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NodeAddress at = new NodeAddress("n1", "127.0.0.1", taken.getLocalPort());
            NodeAddress member = binds ? new NodeAddress("n1", "n1.example", 6400) : at;
            ClusterConfig config =
                    ClusterConfig.builder(List.of(member), "n1", directory)
                            .bind(binds ? at : null)
                            .build();
            assertThatThrownBy(() -> ClusterNode.start(config, TestCluster.DEFAULT_CONFIG, _ -> {}))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("cannot listen for other nodes on " + at.address())
                    .hasMessageEndingWith("change the address in " + option);
        }
    }
}
