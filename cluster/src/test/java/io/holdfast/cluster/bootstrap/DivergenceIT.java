package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofSeconds;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.admin.ClusterAdmin;
import io.holdfast.cluster.admin.NodeReportResult;
import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

@DisplayName("When nodes compare their states")
@Timeout(180)
class DivergenceIT {
    private static final Duration LONG = ofSeconds(60);
    private static final String[] NAMES = {"n1", "n2", "n3"};

    @TempDir Path directory;
    private TestCluster nodes;
    private ClusterAdmin admin;

    @BeforeEach
    void open() throws ClusterException {
        nodes = new TestCluster(directory, NAMES);
        admin = new ClusterAdmin("test", nodes.members(), null, TestService.SECRET);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    /** Changes the state of one node behind the back of the log. */
    private static void corrupt(ClusterNode node, long value) {
        Effect _ =
                node.replicated()
                        .withState(
                                replica -> {
                                    List<Effect> effects = new ArrayList<>();
                                    replica.engine()
                                            .apply(
                                                    new Command.Data(
                                                            1,
                                                            1,
                                                            Key.of("x"),
                                                            new DataOperation.SetCounter(value)),
                                                    replica.timeNanos(),
                                                    new FreeQuotas(),
                                                    effects);
                                    return effects.getFirst();
                                });
    }

    private static String name(ClusterNode node) {
        return node.config().node();
    }

    private void awaitStopped(ClusterNode node) {
        await().atMost(LONG).until(node::isDiverged);
        await().atMost(LONG)
                .until(
                        () ->
                                admin.status().stream()
                                        .anyMatch(
                                                result ->
                                                        result.node().name().equals(name(node))
                                                                && isDiverged(result)));
        assertThat(node.unready()).contains("the state of this node differs");
        assertThat(node.status().serving()).isFalse();
        await().atMost(LONG).until(() -> !node.replicated().isServing());
    }

    private static boolean isDiverged(NodeReportResult result) {
        return result.report() != null
                && result.report().status().role().equals(NodeReport.DIVERGED);
    }

    private static List<String> diverged(StateCheckReport report) {
        return report.nodes().stream()
                .filter(StateCheckReport.Node::diverged)
                .map(StateCheckReport.Node::name)
                .toList();
    }

    @Test
    void all_are_equal_while_clients_use_them() throws Exception {
        nodes.checkEvery(Duration.ofMillis(200));
        nodes.start(NAMES);
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> clients = new ArrayList<>();
        for (String name : NAMES) {
            NodeClient client = new NodeClient(nodes.node(name));
            clients.add(Thread.startVirtualThread(() -> use(client, name, done)));
        }
        for (int i = 0; i < 5; i++) {
            StateCheckReport report = admin.check();
            assertThat(report.isDiverged()).isFalse();
            assertThat(report.nodes()).hasSize(3).allMatch(node -> node.hash() != null);
            assertThat(report.nodes().stream().map(StateCheckReport.Node::hash).distinct())
                    .hasSize(1);
        }
        for (String name : NAMES) {
            await().atMost(LONG).until(() -> nodes.node(name).stateChecks() > 6);
        }
        done.set(true);
        for (Thread client : clients) {
            client.join();
        }
        nodes.stop("n3");
        StateCheckReport report = admin.check();
        assertThat(report.isDiverged()).isFalse();
        assertThat(report.nodes())
                .filteredOn(node -> node.hash() == null)
                .extracting(StateCheckReport.Node::name)
                .containsExactly("n3");
    }

    private static void use(NodeClient client, String name, AtomicBoolean done) {
        for (int i = 0; !done.get(); i++) {
            int number = i;
            if (client.acquire("k" + i % 7, ofSeconds(1), ofSeconds(30))
                    instanceof Effect.Granted granted) {
                Effect _ =
                        client.send(
                                request ->
                                        new Command.Data(
                                                client.session().id(),
                                                request,
                                                Key.of(name + number % 5),
                                                new DataOperation.Increment(1)));
                Effect _ = client.release("k" + i % 7, granted.token());
            }
        }
    }

    @Test
    void a_follower_with_another_state_stops_for_good() throws Exception {
        nodes.start(NAMES);
        ClusterNode wrong = nodes.follower();
        NodeClient connected = new NodeClient(wrong);
        assertThat(connected.acquire("a", Duration.ZERO, LONG)).isInstanceOf(Effect.Granted.class);
        corrupt(wrong, 1);
        StateCheckReport report = admin.check();
        assertThat(report.isDiverged()).isTrue();
        assertThat(diverged(report)).containsExactly(name(wrong));
        awaitStopped(wrong);
        await().atMost(LONG).until(connected::isKicked);
        NodeClient other = new NodeClient(nodes.leader());
        assertThat(other.acquire("b", Duration.ZERO, LONG)).isInstanceOf(Effect.Granted.class);
        assertThat(diverged(admin.check())).containsExactly(name(wrong));
        nodes.stop(name(wrong));
        assertThatThrownBy(() -> nodes.start(name(wrong)))
                .hasRootCauseInstanceOf(ClusterException.class)
                .rootCause()
                .hasMessageContaining("holdfast cluster replace " + name(wrong))
                .hasMessageContaining("after entry");
    }

    @Test
    void a_leader_with_another_state_steps_down_and_stops() throws Exception {
        nodes.start(NAMES);
        ClusterNode wrong = nodes.leader();
        corrupt(wrong, 1);
        assertThat(diverged(admin.check())).containsExactly(name(wrong));
        awaitStopped(wrong);
        ClusterNode next = nodes.leader();
        assertThat(next).isNotSameAs(wrong);
        NodeClient client = new NodeClient(next);
        assertThat(client.acquire("b", Duration.ZERO, LONG)).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void two_that_differ_stop_both_if_no_other_node_can_decide() throws Exception {
        nodes.start(NAMES);
        nodes.stop("n3");
        ClusterNode leader = nodes.leader();
        ClusterNode follower = nodes.follower();
        corrupt(follower, 1);
        StateCheckReport report = admin.check();
        assertThat(diverged(report)).containsExactlyInAnyOrder("n1", "n2");
        awaitStopped(leader);
        awaitStopped(follower);
        assertThat(Objects.requireNonNull(leader.unready())).contains("no majority agrees");
    }

    @Test
    void three_that_differ_all_stop() throws Exception {
        nodes.start(NAMES);
        for (int i = 0; i < NAMES.length; i++) {
            corrupt(nodes.node(NAMES[i]), i + 1);
        }
        assertThat(diverged(admin.check())) // before all hashes have arrived, two are reported
                .hasSizeGreaterThanOrEqualTo(2);
        for (String name : NAMES) {
            awaitStopped(nodes.node(name));
        }
    }
}
