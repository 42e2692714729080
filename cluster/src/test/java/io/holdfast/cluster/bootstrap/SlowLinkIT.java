package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.admin.ClusterAdmin;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

@DisplayName("Over a link of 10 Mbit/s")
@Timeout(180)
class SlowLinkIT {
    private static final Duration LONG = Duration.ofSeconds(90);

    /** With the 3 s that Ratis adds, less than a slow link needs for twice the values. */
    private static final Duration SHORT = Duration.ofMillis(300);

    private static final int VALUE_BYTES = 60 * 1024;

    /** As many as a slow link passes in several times the longest election timeout. */
    private static final int VALUES = Integer.getInteger("slow.link.values", 130);

    /** Several on each node, so that there is always more to send. */
    private static final int WRITERS = 12;

    private static final int VALUES_OF_WRITER = 5;

    /** Half of the shortest election timeout. */
    private static final Duration MAX_DELAY = Duration.ofMillis(200);

    @TempDir Path directory;

    private final LimitedLink.Rate rate = new LimitedLink.Rate(10_000_000);
    private final List<LimitedLink> links = new ArrayList<>();
    private final SchedulingDelay schedulingDelay = new SchedulingDelay();

    @AfterEach
    void close() throws IOException {
        schedulingDelay.close();
        for (LimitedLink link : links) {
            link.close();
        }
    }

    /** Returns an address that leads to a node over a slow link. */
    private NodeAddress slow(NodeAddress node) {
        try {
            LimitedLink link = new LimitedLink(node.port(), rate);
            links.add(link);
            return new NodeAddress(node.name(), node.host(), link.port());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(ClusterNode node, int from, int to) {
        NodeClient client = new NodeClient(node);
        for (int i = from; i < to; i++) {
            Key key = Key.of("value-" + i);
            var operation = new DataOperation.SetValue(ByteString.of(new byte[VALUE_BYTES]), 0);
            client.send(
                    request -> new Command.Data(client.session().id(), request, key, operation));
        }
    }

    private static void awaitCaughtUp(ClusterNode node, ClusterNode leader) {
        long index = leader.status().appliedIndex();
        await().atMost(LONG)
                .untilAsserted(
                        () ->
                                assertThat(node.status().appliedIndex())
                                        .isGreaterThanOrEqualTo(index));
    }

    @Test
    void a_follower_that_is_far_behind_catches_up_and_disturbs_nobody() {
        try (TestCluster testCluster = new TestCluster(directory, "n1", "n2", "n3")) {
            List<NodeAddress> all = testCluster.members();
            List<NodeAddress> known = List.of(all.get(0), all.get(1), slow(all.get(2)));
            testCluster.start(known, "n1", "n2", "n3");
            testCluster.stop("n3");
            ClusterNode leader = testCluster.leader();
            long term = leader.status().term();
            write(leader, 0, VALUES);

            testCluster.start(known, "n3");
            awaitCaughtUp(testCluster.node("n3"), leader);
            assertNoElectionSince(term, leader);
        }
    }

    /** Nodes that wait for a processor for so long may elect another leader, whatever the link. */
    private void assertNoElectionSince(long term, ClusterNode leader) {
        if (schedulingDelay.longest().compareTo(MAX_DELAY) < 0) {
            assertThat(leader.status().term()).isEqualTo(term);
        }
    }

    @Test
    void a_new_node_gets_a_snapshot() throws Exception {
        try (TestCluster testCluster = new TestCluster(directory, "n1", "n2")) {
            List<NodeAddress> all = testCluster.members();
            List<NodeAddress> first = all.subList(0, 1);
            testCluster.start(first, "n1");
            ClusterNode leader = testCluster.leader();
            write(leader, 0, 2 * VALUES);
            ClusterAdmin admin = new ClusterAdmin("test", first, null, TestService.SECRET);
            admin.snapshot("n1");

            NodeAddress added = slow(all.get(1));
            var joining = testCluster.join("n2", List.of(all.get(0), added));
            awaitWaiting(added);
            new ClusterAdmin("test", first, null, TestService.SECRET, SHORT).add(added);
            awaitCaughtUp(joining.join(), leader);
        }
    }

    private static void awaitWaiting(NodeAddress node) throws ClusterException {
        ClusterAdmin admin = new ClusterAdmin("test", List.of(node), null, null);
        await().atMost(LONG).until(() -> admin.status().getFirst().report() != null);
    }

    @Test
    void a_leader_stays_the_leader_while_it_sends_as_much_as_it_can() {
        try (TestCluster testCluster = new TestCluster(directory, "n1", "n2", "n3")) {
            List<NodeAddress> all = testCluster.members();
            List<NodeAddress> slow = all.stream().map(this::slow).toList();
            testCluster.start(slow, "n1", "n2", "n3");
            long term = testCluster.leader().status().term();
            List<CompletableFuture<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int from = i * VALUES_OF_WRITER;
                ClusterNode node = testCluster.node(all.get(i % all.size()).name());
                writers.add(
                        CompletableFuture.runAsync(
                                () -> write(node, from, from + VALUES_OF_WRITER),
                                Thread::startVirtualThread));
            }
            writers.forEach(CompletableFuture::join);
            assertNoElectionSince(term, testCluster.leader());
        }
    }
}
