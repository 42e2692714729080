package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

@DisplayName("Three nodes of one cluster")
class ThreeNodesIT {
    @TempDir Path directory;

    private static Token token(Effect effect) {
        assertThat(effect).isInstanceOf(Effect.Granted.class);
        return ((Effect.Granted) effect).token();
    }

    @Test
    void three_nodes_serve_one_key_space_and_survive_the_loss_of_the_leader() {
        try (TestCluster testCluster = new TestCluster(directory, "n1", "n2", "n3")) {
            testCluster.start("n1", "n2", "n3");
            NodeClient one = new NodeClient(testCluster.leader());
            NodeClient two = new NodeClient(testCluster.follower());
            Token first = token(one.acquire("printer", Duration.ZERO, ofSeconds(30)));
            assertThat(two.acquire("printer", Duration.ZERO, ofSeconds(30)))
                    .isInstanceOf(Effect.TimedOut.class);
            long waiting = two.beginAcquire("printer", ofSeconds(20), ofSeconds(30));
            testCluster.stop(testCluster.leader().config().node());
            Token second = token(two.result(waiting));
            assertThat(second.fence()).isGreaterThan(first.fence());
            NodeClient three = new NodeClient(testCluster.leader());
            assertThat(three.release("printer", first)).isInstanceOf(Effect.Refused.class);
            assertThat(three.renew("printer", second, ofSeconds(30)))
                    .isInstanceOf(Effect.Renewed.class);
            assertThat(
                            testCluster
                                    .leader()
                                    .driver()
                                    .queries()
                                    .holders(ResourceKind.LOCK, Key.of("printer")))
                    .isNotNull();
            assertThat(two.release("printer", second)).isInstanceOf(Effect.Released.class);

            ClusterNode alone = testCluster.leader();
            assertThat(alone.unready()).isNull();
            testCluster.stop(testCluster.follower().config().node());
            await().until(() -> alone.unready() != null);
            assertThat(alone.status().serving()).isFalse();
            await().untilAsserted(() -> assertThat(alone.unready()).isEqualTo("no leader"));
        }
    }
}
