package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.bootstrap.ClusterNode;
import io.holdfast.cluster.bootstrap.NodeClient;
import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.testsupport.FreePorts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("A node that gets another address")
@Timeout(300)
class ClusterMoveIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private Path directory;

    private TestCluster cluster;
    private List<NodeAddress> original;
    private List<NodeAddress> current;
    private ClusterAdmin admin;
    private long visits;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster(directory, "n1", "n2", "n3");
        original = cluster.members();
        current = original;
        cluster.start("n1", "n2", "n3");
        admin = new ClusterAdmin("test", original, null, TestService.SECRET);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static NodeAddress newAddress(String node) {
        return new NodeAddress(node, "127.0.0.1", FreePorts.next());
    }

    /** Returns the members as they are to be configured after a move. */
    private static List<NodeAddress> with(NodeAddress moved, List<NodeAddress> members) {
        return members.stream()
                .map(node -> node.name().equals(moved.name()) ? moved : node)
                .toList();
    }

    /** Counts on a node what was counted on any of them. */
    private void requireServing(String node) {
        await().atMost(LONG)
                .untilAsserted(
                        () -> {
                            NodeClient client = new NodeClient(cluster.node(node));
                            Effect result =
                                    client.send(
                                            request ->
                                                    new Command.Data(
                                                            client.session().id(),
                                                            request,
                                                            Key.of("visits"),
                                                            new DataOperation.Increment(1)));
                            assertThat(result).isInstanceOf(Effect.Counted.class);
                            long value = ((Effect.Counted) result).value();
                            assertThat(value).isGreaterThan(visits);
                            visits = value;
                        });
    }

    /** Moves a node; on a busy machine there may be no leader for a moment. */
    private void move(NodeAddress address) {
        await().atMost(LONG).ignoreExceptions().untilAsserted(() -> admin.move(address));
    }

    private void lead(String node) {
        await().atMost(LONG).ignoreExceptions().untilAsserted(() -> admin.transfer(node));
    }

    private void awaitKnown(NodeAddress address, String... nodes) {
        for (String node : nodes) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(cluster.node(node).status().peers())
                                            .anyMatch(
                                                    peer ->
                                                            peer.address()
                                                                    .equals(address.address())));
        }
    }

    private String other(String... names) {
        return original.stream()
                .map(NodeAddress::name)
                .filter(name -> !List.of(names).contains(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keeps_its_data_and_place_whether_it_follows_or_leads_and_moves_before_or_after()
            throws Exception {
        String first = cluster.follower().config().node();
        NodeAddress firstMoved = newAddress(first);
        requireServing(first);
        cluster.stop(first);
        cluster.listenAt(firstMoved);
        current = with(firstMoved, current);
        var restarted = cluster.begin(first, current);
        move(firstMoved);
        ClusterNode back = restarted.get(60, TimeUnit.SECONDS);
        assertThat(back.config().self()).isEqualTo(firstMoved);
        requireServing(first);

        String second = other(first);
        lead(second);
        requireServing(first); // so that it has connections to the leader, which stay open
        NodeAddress secondMoved = newAddress(second);
        move(secondMoved);
        move(secondMoved); // nothing is left to do
        awaitKnown(secondMoved, first, other(first, second));
        requireServing(second); // it is still there
        requireServing(first);
        cluster.stop(second);
        cluster.listenAt(secondMoved);
        current = with(secondMoved, current);
        cluster.start(current, second);
        requireServing(second);

        assertThat(admin.status()).allMatch(result -> result.report() != null);
        lead(second); // with a list of addresses of which most are old

        String third = other(first, second);
        cluster.stop(third);
        requireServing(first);
        requireServing(second);

        cluster.stop(first);
        cluster.stop(second);
        cluster.start(current, "n1", "n2", "n3");
        requireServing(first);
        requireServing(third);
    }

    @Test
    void needs_no_restart_if_it_listens_at_both() throws Exception {
        String leader = cluster.leader().config().node();
        NodeAddress old = cluster.node(leader).config().self();
        NodeAddress moved = new NodeAddress(leader, "localhost", old.port());
        move(moved);
        String restarted = other(leader);
        awaitKnown(moved, restarted);
        cluster.stop(restarted);
        cluster.start(with(moved, original), restarted);
        requireServing(restarted);
        requireServing(leader);
        move(old); // back again
        awaitKnown(old, restarted);
    }

    @Test
    void starts_although_all_have_moved_since_its_last_start() throws Exception {
        for (NodeAddress node : original) {
            NodeAddress moved = new NodeAddress(node.name(), "localhost", node.port());
            move(moved);
            current = with(moved, current);
            awaitKnown(moved, other(node.name()));
        }
        for (NodeAddress node : original) {
            Path file = cluster.data(node.name()).resolve("holdfast.properties");
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(Files.readAllLines(file))
                                            .filteredOn(line -> line.startsWith("members="))
                                            .singleElement(STRING)
                                            .doesNotContain("127.0.0.1"));
        }
        cluster.stop("n1");
        cluster.start(current, "n1");
        requireServing("n1");
    }

    @Test
    void may_be_the_only_one_of_its_cluster() throws Exception {
        NodeAddress moved = newAddress("n1");
        try (TestCluster single = new TestCluster(directory.resolve("single"), "n1")) {
            single.start("n1");
            new ClusterAdmin("test", single.members(), null, TestService.SECRET).move(moved);
            single.stop("n1");
            single.listenAt(moved);
            single.start(List.of(moved), "n1");
            assertThat(single.leader().config().self()).isEqualTo(moved);
        }
    }

    @Test
    void does_not_get_the_address_of_another_one() {
        NodeAddress n2 = original.get(1);
        assertThatThrownBy(() -> admin.move(new NodeAddress("n1", n2.host(), n2.port())))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("the node n2 has the address");
        assertThatThrownBy(() -> admin.move(new NodeAddress("n1", "localhost", n2.port())))
                .hasMessageContaining("is named n2");
        assertThatThrownBy(() -> admin.move(newAddress("n9")))
                .hasMessageContaining("no node named n9");
    }
}
