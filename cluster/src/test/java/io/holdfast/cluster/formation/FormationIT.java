package io.holdfast.cluster.formation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.rpc.Greeting;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcRefusedException;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.cluster.rpc.TestService;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

@DisplayName("A node without a cluster")
@Timeout(120)
class FormationIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir Path folder;

    private final RpcSocketFactory sockets = new RpcSocketFactory(null);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Formation> formations = new ArrayList<>();
    private List<NodeAddress> members = List.of();

    @BeforeEach
    void choosePorts() throws IOException {
        try (var one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var three = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            members =
                    List.of(
                            new NodeAddress("n1", "127.0.0.1", one.getLocalPort()),
                            new NodeAddress("n2", "127.0.0.1", two.getLocalPort()),
                            new NodeAddress("n3", "127.0.0.1", three.getLocalPort()));
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        open.clear();
    }

    private DataDirectory directory(String node) throws IOException {
        return DataDirectory.open(folder.resolve(node), "test", node, members);
    }

    private NodeRpcServer listen(NodeAddress node, NodeRpcServer.Service service)
            throws IOException {
        NodeRpcServer listening =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port()),
                        sockets,
                        TestService.access(),
                        service);
        open.add(listening);
        return listening;
    }

    /** A node that is being formed; completes with its identity. */
    private CompletableFuture<NodeIdentity> start(String node, List<NodeAddress> list, boolean join)
            throws IOException {
        return start(config(node, list, join), true);
    }

    /**
     * @param listens whether it listens at its address in the list
     */
    private CompletableFuture<NodeIdentity> start(ClusterConfig config, boolean listens)
            throws IOException {
        DataDirectory data = directory(config.node());
        open.add(data);
        Formation formation = new Formation(config, data, new RefusedConnections());
        formations.add(formation);
        if (listens) {
            listen(config.self(), formation);
        }
        CompletableFuture<NodeIdentity> formed = new CompletableFuture<>();
        Thread waiting =
                Thread.startVirtualThread(
                        () -> {
                            try {
                                formation.await(sockets);
                                formed.complete(data.identity(config.self()));
                            } catch (Exception e) {
                                formed.completeExceptionally(e);
                            }
                        });
        open.add(
                () -> {
                    waiting.interrupt();
                    waiting.join();
                });
        return formed;
    }

    private ClusterConfig config(String node, List<NodeAddress> list, boolean join) {
        return ClusterConfig.builder(list, node, folder.resolve(node))
                .name("test")
                .requestTimeout(LONG)
                .sessionTimeout(LONG)
                .joining(join)
                .build();
    }

    private CompletableFuture<NodeIdentity> start(String node) throws IOException {
        return start(node, members, false);
    }

    /** Lets a node of the list answer as one that has a cluster. */
    private void serve(NodeAddress node, UUID clusterId, MemberList list) throws IOException {
        NodeReport report =
                new NodeReport(
                        new NodeStatus(
                                node.name(), "leader", 1, null, 1, 1, true, 0, 1, 1, List.of()),
                        clusterId,
                        new UUID(7, 7),
                        list,
                        null,
                        null);
        listen(
                node,
                new TestService((_, _) -> CompletableFuture.completedFuture(report.toBytes())));
    }

    private NodeReport report(int node) throws IOException {
        try (NodeCalls calls = new NodeCalls(members.get(node), "test", sockets)) {
            return calls.report(60_000);
        }
    }

    private NodeCalls administrator(NodeAddress node) {
        return new NodeCalls(node, Handshake.admin("test", TestService.SECRET), sockets);
    }

    private void awaitReason(int node, String... text) {
        await().atMost(LONG)
                .untilAsserted(
                        () -> {
                            NodeReport.@Nullable Waiting waiting = report(node).waiting();
                            assertThat(waiting).isNotNull();
                            assertThat(waiting.reason()).contains(text);
                        });
    }

    @Test
    void the_first_node_forms_the_cluster_when_all_are_there() throws Exception {
        var n1 = start("n1");
        var n2 = start("n2");
        awaitReason(0, "n3 does not respond");
        awaitReason(1, "n3 does not respond");
        assertThat(n1).isNotDone();
        start("n3");
        NodeIdentity formed = n1.get();
        assertThat(formed.members()).extracting(Member::address).isEqualTo(members);
        assertThat(n2).isNotDone(); // nobody has told it of the record
    }

    @Test
    void a_first_node_forms_no_cluster_until_its_own_address_leads_to_it() throws Exception {
        ClusterConfig config = config("n1", members, false);
        Formation other =
                new Formation(
                        config,
                        DataDirectory.open(folder.resolve("other"), "test", "n1", members),
                        new RefusedConnections());
        NodeRpcServer otherProcess = listen(members.get(0), other);
        start("n2");
        start("n3");
        var n1 = start(config, false);
        Formation formation = formations.getLast();
        awaitOwnReason(formation, "another process named n1 has its address");
        otherProcess.close();
        awaitOwnReason(formation, "n1 does not reach itself at its address in --cluster");
        assertThat(n1).isNotDone();
        listen(members.get(0), formation); // as a forwarder would, with --cluster-bind
        assertThat(n1.get().members()).extracting(Member::address).isEqualTo(members);
    }

    /** Waits for the reason of a node that may not listen at its address. */
    private void awaitOwnReason(Formation formation, String text) throws IOException {
        NodeAddress here = new NodeAddress("n1", "127.0.0.1", 0);
        NodeRpcServer listening = listen(here, formation);
        NodeAddress address = new NodeAddress("n1", "127.0.0.1", listening.address().getPort());
        try (NodeCalls calls = new NodeCalls(address, "test", sockets)) {
            await().atMost(LONG)
                    .untilAsserted(
                            () -> {
                                NodeReport.@Nullable Waiting waiting =
                                        calls.report(60_000).waiting();
                                assertThat(waiting).isNotNull();
                                assertThat(waiting.reason()).contains(text);
                            });
        }
    }

    @Test
    void the_others_take_the_record_from_any_node_that_has_it() throws Exception {
        UUID clusterId = UUID.randomUUID();
        Member n2;
        try (DataDirectory data = directory("n2")) {
            n2 = new Member(members.get(1), data.dataId());
        }
        MemberList list = new MemberList(0, -1, List.of(n2));
        serve(members.get(2), clusterId, list);
        NodeIdentity formed = start("n2").get();
        assertThat(formed).isEqualTo(new NodeIdentity("test", clusterId, n2, List.of(n2)));
        close();
        try (DataDirectory again = directory("n2")) {
            assertThat(again.hasCluster()).isTrue();
        }
    }

    @Test
    void a_record_is_taken_from_the_greeting_of_a_member_and_no_raft_message_handled()
            throws Exception {
        var n2 = start("n2");
        Member self = new Member(members.get(1), report(1).dataId());
        UUID clusterId = UUID.randomUUID();
        Formation probe = formations.getFirst();
        assertThatThrownBy(() -> probe.accept(greeting(clusterId, new UUID(0, 9))))
                .isInstanceOf(RpcRefusedException.class)
                .hasMessageContaining("is not the node that it was");
        assertThat(n2).isNotDone();
        assertThatThrownBy(
                        () ->
                                probe.accept(
                                        greeting(
                                                clusterId,
                                                self.dataId(),
                                                ClusterVersion.LATEST + 1)))
                .isInstanceOf(RpcRefusedException.class)
                .hasMessageContaining("the cluster has the version 2, and n2 knows");
        assertThat(n2).isNotDone();
        assertThatThrownBy(() -> probe.accept(greeting(clusterId, self.dataId())))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(RpcRefusedException.class);
        assertThat(n2.get().clusterId()).isEqualTo(clusterId);
    }

    private Greeting greeting(UUID clusterId, UUID dataId) {
        return greeting(clusterId, dataId, ClusterVersion.FIRST);
    }

    private Greeting greeting(UUID clusterId, UUID dataId, int version) {
        return new Greeting(
                Greeting.Kind.NODE,
                "test",
                clusterId,
                "n1",
                new UUID(0, 1),
                new MemberList(0, -1, List.of(new Member(members.get(1), dataId))),
                KnownVersions.CURRENT,
                version);
    }

    @Test
    void nodes_with_different_lists_form_no_cluster_and_say_so() throws Exception {
        var n1 = start("n1");
        start("n2");
        start("n3", List.of(members.get(2), members.get(0), members.get(1)), false);
        awaitReason(0, "n3 has another --cluster");
        awaitReason(2, "n1 has another --cluster");
        assertThat(n1).isNotDone();
    }

    @Test
    void a_node_that_joins_forms_no_cluster() throws Exception {
        start("n1");
        start("n2");
        start("n3", members, true);
        awaitReason(0, "n3 waits to be added");
        awaitReason(2, "no node has a cluster yet");
    }

    /** Creates the data directory of a node with what counts as a restored backup here. */
    private void restore(String node) throws IOException {
        try (DataDirectory data = directory(node)) {
            data.markRestored("5e");
            Path current = data.restoredDirectory().resolve("current");
            Files.createDirectories(current);
            Files.createFile(current.resolve("raft-meta"));
            Files.createFile(current.resolve("log_inprogress_0"));
        }
    }

    @Test
    void a_node_with_a_restored_backup_forms_a_cluster_alone_wherever_it_is_listed()
            throws Exception {
        restore("n3");
        var n1 = start("n1");
        var n2 = start("n2");
        awaitReason(0, "n3 does not respond");
        NodeIdentity formed = start("n3").get();
        assertThat(formed.members()).containsExactly(formed.self());
        awaitReason(0, "n3 has a restored backup and will admit this node");
        awaitReason(1, "n3 has a restored backup and will admit this node");
        assertThat(n1).isNotDone();
        assertThat(n2).isNotDone();
        close();
        try (DataDirectory again = directory("n3")) {
            assertThat(again.isRestored()).isTrue();
        }
    }

    @Test
    void two_nodes_with_restored_backups_wait_and_say_so() throws Exception {
        restore("n1");
        restore("n3");
        serveRestored(members.get(2), new UUID(3, 3));
        start("n1");
        start("n2");
        awaitReason(0, "n3 has a restored backup, too: restore it on one node only");
        awaitReason(1, "n1 has a restored backup", "n3 has a restored backup");
    }

    /** Lets a node of the list answer as one with a restored backup that has no cluster yet. */
    private void serveRestored(NodeAddress node, UUID dataId) throws IOException {
        NodeReport report =
                new NodeReport(
                        new NodeStatus(
                                node.name(),
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
                        dataId,
                        MemberList.NONE,
                        new NodeReport.Waiting(members, false, "5e", "waits"),
                        null);
        listen(
                node,
                new TestService((_, _) -> CompletableFuture.completedFuture(report.toBytes())));
    }

    @Test
    void a_restored_node_does_not_join_a_cluster_that_has_its_data_id() throws Exception {
        restore("n2");
        Member n2;
        try (DataDirectory data = directory("n2")) {
            n2 = new Member(members.get(1), data.dataId());
        }
        serve(members.get(0), new UUID(5, 5), new MemberList(0, -1, List.of(n2)));
        var restored = start("n2");
        awaitReason(1, "n1 has a cluster already, and this node has a restored backup");
        assertThat(restored).isNotDone();
    }

    @Test
    void a_restored_directory_is_not_the_empty_one_that_it_was() throws Exception {
        UUID before;
        try (DataDirectory data = directory("n1")) {
            before = data.dataId();
        }
        restore("n1");
        try (DataDirectory data = directory("n1")) {
            assertThat(data.dataId()).isNotEqualTo(before);
        }
    }

    @Test
    void nodes_that_have_a_cluster_are_not_taken_for_empty_ones_while_they_start()
            throws Exception {
        Member old = new Member(members.get(0), new UUID(0, 1));
        for (NodeAddress node : members.subList(1, 3)) {
            DataDirectory data = directory(node.name());
            open.add(data);
            data.recordCluster(new UUID(5, 5), List.of(old, new Member(node, data.dataId())));
            listen(
                    node,
                    new Formation(
                            config(node.name(), members, false), data, new RefusedConnections()));
        }
        var n1 = start("n1");
        awaitReason(0, "holdfast cluster replace n1 ");
        assertThat(n1).isNotDone();
        try (NodeCalls calls = administrator(members.get(1))) {
            UUID dataId = report(1).dataId();
            assertThatThrownBy(() -> calls.join(new UUID(6, 6), dataId, 60_000))
                    .hasMessageContaining("has a cluster already");
        }
    }

    @Test
    void the_suggested_command_has_the_options_that_the_node_needs() throws Exception {
        Path file = folder.resolve("pem");
        serve(
                members.get(0),
                UUID.randomUUID(),
                new MemberList(1, 4, List.of(new Member(members.get(1), new UUID(0, 2)))));
        var _ =
                start(
                        ClusterConfig.builder(members, "n2", folder.resolve("n2"))
                                .name("test")
                                .tls(new ClusterTls(file, file, file))
                                .secret(TestService.SECRET)
                                .build(),
                        true);
        awaitReason(
                1,
                "--cluster-secret-file FILE",
                "--cluster-tls-cert FILE --cluster-tls-key FILE --cluster-tls-ca FILE");
    }

    @Test
    void an_emptied_node_waits_until_it_is_admitted() throws Exception {
        UUID clusterId = UUID.randomUUID();
        Member old = new Member(members.get(1), new UUID(0, 2));
        serve(members.get(0), clusterId, new MemberList(1, 4, List.of(old)));
        var n2 = start("n2");
        awaitReason(1, "holdfast cluster replace n2 " + members.get(1) + " --cluster n1=");
        try (NodeCalls calls = administrator(members.get(1))) {
            assertThatThrownBy(() -> calls.join(clusterId, new UUID(0, 2), 60_000))
                    .hasMessageContaining("is another one now");
            assertThat(n2).isNotDone();
            calls.join(clusterId, report(1).dataId(), 60_000);
        }
        assertThat(n2.get().clusterId()).isEqualTo(clusterId);
        assertThat(n2.get().members()).isEmpty();
    }
}
