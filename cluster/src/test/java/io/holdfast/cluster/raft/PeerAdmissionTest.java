package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.rpc.Greeting;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcRefusedException;

import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

@DisplayName("Among the nodes that connect")
class PeerAdmissionTest {
    private static final UUID OURS = new UUID(1, 1);
    private static final UUID THEIRS = new UUID(2, 2);
    private static final Member N1 = member("n1", 1);
    private static final Member N2 = member("n2", 2);
    private static final Member N3 = member("n3", 3);
    private static final Member WIPED = member("n2", 20);
    private static final TermIndex SNAPSHOT = TermIndex.valueOf(2, 60);

    private final RefusedConnections refused = new RefusedConnections();
    private RaftServer.@Nullable Division division;
    private RaftConfiguration configuration = configuration(-1, N1, N2, N3);
    private long committed = -1;
    private long term = 1;

    /** Whether only the snapshot is left of the entry with the member list. */
    private boolean isPurged;

    private int clusterVersion = 1;
    private final PeerAdmission admission =
            new PeerAdmission(
                    new NodeIdentity("test", OURS, N1, List.of(N1, N2, N3)),
                    new KnownVersions(2, 3, 4),
                    () -> clusterVersion,
                    () -> division,
                    refused);

    private static Member member(String name, long id) {
        return new Member(NodeAddress.parse(name + "=127.0.0.1:" + (7000 + id)), new UUID(0, id));
    }

    private static RaftConfiguration configuration(long index, Member... members) {
        List<RaftPeer> peers = RaftPeers.peers(Arrays.asList(members));
        return InterfaceStub.of(
                RaftConfiguration.class,
                Map.of(
                        "getCurrentPeers",
                        () -> peers,
                        "getPreviousPeers",
                        List::of,
                        "getLogEntryIndex",
                        () -> index));
    }

    /** Starts the log with a member list. */
    private void log(long index, Member... members) {
        configuration = configuration(index, members);
        RaftLog log =
                InterfaceStub.of(
                        RaftLog.class,
                        Map.of(
                                "getLastCommittedIndex",
                                () -> committed,
                                "isOpened",
                                () -> true,
                                "getTermIndex",
                                () ->
                                        isPurged
                                                ? null
                                                : TermIndex.valueOf(
                                                        term, configuration.getLogEntryIndex())));
        SnapshotInfo snapshot =
                InterfaceStub.of(
                        SnapshotInfo.class,
                        Map.of("getTermIndex", () -> SNAPSHOT, "getIndex", SNAPSHOT::getIndex));
        StateMachine stateMachine =
                InterfaceStub.of(StateMachine.class, Map.of("getLatestSnapshot", () -> snapshot));
        DivisionInfo info =
                InterfaceStub.of(DivisionInfo.class, Map.of("getCurrentTerm", () -> term));
        division =
                InterfaceStub.of(
                        RaftServer.Division.class,
                        Map.of(
                                "getRaftConf",
                                () -> configuration,
                                "getRaftLog",
                                () -> log,
                                "getInfo",
                                () -> info,
                                "getStateMachine",
                                () -> stateMachine));
    }

    private static Greeting greeting(UUID cluster, Member from, MemberList members) {
        return greeting(cluster, from, members, new KnownVersions(1, 2, 3), 1);
    }

    private static Greeting greeting(
            UUID cluster, Member from, MemberList members, KnownVersions known, int version) {
        return new Greeting(
                Greeting.Kind.NODE,
                "test",
                cluster,
                from.name(),
                from.dataId(),
                members,
                known,
                version);
    }

    private static MemberList list(long index, Member... members) {
        return list(1, index, members);
    }

    private static MemberList list(long term, long index, Member... members) {
        return new MemberList(term, index, List.of(members));
    }

    private void admits(Greeting opener) {
        assertThatCode(() -> admission.require(opener)).doesNotThrowAnyException();
    }

    private void refuses(Greeting opener, String reason) {
        long before = refused.count();
        assertThatThrownBy(() -> admission.require(opener))
                .isInstanceOf(RpcRefusedException.class)
                .hasMessageContaining(reason);
        assertThat(refused.count()).isEqualTo(before + 1);
    }

    @Test
    void a_member_is_admitted_with_any_list() {
        log(5, N1, N2, N3);
        admits(greeting(OURS, N2, list(9, N1, N2, N3)));
        admits(greeting(OURS, N2, list(-1, N1, N2)));
    }

    @Test
    void a_node_of_another_cluster_is_refused_although_its_name_and_data_id_are_known() {
        refuses(greeting(THEIRS, N2, list(9, N1, N2, N3)), "different clusters");
    }

    @Test
    void a_cluster_of_another_name_is_refused() {
        refuses(
                new Greeting(
                        Greeting.Kind.NODE,
                        "other",
                        OURS,
                        "n2",
                        N2.dataId(),
                        list(-1, N1, N2),
                        KnownVersions.CURRENT,
                        1),
                "of the cluster test, not of other");
    }

    @Test
    void a_node_with_an_emptied_directory_is_refused_by_a_list_that_is_as_new_as_its_own() {
        log(5, N1, N2, N3);
        refuses(greeting(OURS, WIPED, list(5, N1, WIPED, N3)), "is not a member");
        refuses(greeting(OURS, WIPED, MemberList.NONE), "is not a member");
    }

    @Test
    void a_newer_list_of_the_opener_counts_if_the_opener_is_in_it() {
        log(5, N1, N2, N3);
        admits(greeting(OURS, WIPED, list(6, N1, WIPED, N3)));
        refuses(greeting(OURS, WIPED, list(6, N1, N2, N3)), "is not a member");
    }

    @Test
    void a_longer_list_of_a_leader_that_was_replaced_is_not_newer() {
        term = 2;
        committed = 52;
        log(52, N1, WIPED, N3);
        refuses(greeting(OURS, N2, list(1, 100, N1, N2, N3)), "is not a member");
        admits(greeting(OURS, N2, list(3, 51, N1, N2, N3)));
    }

    @Test
    void a_list_of_which_only_the_snapshot_is_left_has_the_position_of_the_snapshot() {
        isPurged = true;
        committed = 70;
        log(52, N1, WIPED, N3);
        assertThat(admission.members()).isEqualTo(list(2, 60, N1, WIPED, N3));
        refuses(greeting(OURS, N2, list(1, 100, N1, N2, N3)), "is not a member");
        admits(greeting(OURS, member("n4", 4), list(2, 75, N1, WIPED, N3, member("n4", 4))));
    }

    @Test
    void the_term_of_an_entry_that_another_leader_replaces_is_not_kept() {
        log(8, N1, N2, N3);
        assertThat(admission.members().term()).isEqualTo(1);
        term = 2;
        assertThat(admission.members().term()).isEqualTo(2);
        committed = 8;
        assertThat(admission.members().term()).isEqualTo(2);
    }

    @Test
    void a_member_under_the_name_of_another_one_is_refused() {
        log(5, N1, N2, N3);
        Member renamed = new Member(NodeAddress.parse("n3=127.0.0.1:7002"), N2.dataId());
        refuses(greeting(OURS, renamed, list(5, N1, N2, N3)), "is not a member");
        refuses(greeting(OURS, renamed, list(6, N1, N2, N3)), "is not a member");
    }

    @Test
    void a_member_is_admitted_until_the_change_that_removes_it_is_committed() {
        log(5, N1, N2, N3);
        committed = 5;
        admits(greeting(OURS, N2, list(5, N1, N2, N3)));
        configuration = configuration(8, N1, WIPED, N3);
        admits(greeting(OURS, N2, list(5, N1, N2, N3)));
        admits(greeting(OURS, WIPED, list(8, N1, WIPED, N3)));
        committed = 8;
        refuses(greeting(OURS, N2, list(5, N1, N2, N3)), "is not a member");
    }

    @Test
    void a_node_that_waits_to_be_added_admits_the_members_of_its_cluster() {
        PeerAdmission joining =
                new PeerAdmission(
                        new NodeIdentity("test", OURS, WIPED, List.of()),
                        new KnownVersions(1, 2, 3),
                        () -> 1,
                        () -> null,
                        refused);
        assertThat(joining.isMember()).isFalse();
        assertThatCode(() -> joining.require(greeting(OURS, N1, list(-1, N1, N2, N3))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> joining.require(greeting(THEIRS, N1, list(-1, N1, N2, N3))))
                .hasMessageContaining("different clusters");
    }

    @Test
    void an_administrator_is_admitted() {
        admits(
                new Greeting(
                        Greeting.Kind.ADMIN,
                        "test",
                        null,
                        "",
                        null,
                        MemberList.NONE,
                        new KnownVersions(1, 2, 1),
                        0));
    }

    @Test
    void a_node_without_a_common_version_of_the_frames_is_refused() {
        refuses(
                greeting(OURS, N2, list(9, N1, N2, N3), new KnownVersions(4, 5, 4), 1),
                "n2 and n1 have no version of the protocol between nodes in common: n2 knows 4 to"
                        + " 5, and n1 knows 2 to 3");
    }

    @Test
    void a_node_that_does_not_know_the_version_of_the_cluster_is_refused_by_either_side()
            throws Exception {
        Handshake handshake = admission.toMember(RaftPeers.id(N2));
        Greeting older = greeting(OURS, N2, list(9, N1, N2, N3));
        admits(older);
        handshake.check(older);
        clusterVersion = 4;
        String reason =
                "the cluster has the version 4, and n2 knows the versions up to 3: upgrade n2";
        refuses(older, reason);
        assertThatThrownBy(() -> handshake.check(older)).hasMessage(reason);

        Greeting newer = greeting(OURS, N2, list(9, N1, N2, N3), new KnownVersions(3, 4, 5), 5);
        reason = "the cluster has the version 5, and n1 knows the versions up to 4: upgrade n1";
        refuses(newer, reason);
        assertThatThrownBy(() -> handshake.check(newer)).hasMessage(reason);
    }

    @Test
    void another_node_than_the_expected_member_is_refused_by_the_opener() throws Exception {
        Handshake handshake = admission.toMember(RaftPeers.id(N2));
        handshake.check(greeting(OURS, N2, MemberList.NONE));
        assertThatThrownBy(() -> handshake.check(greeting(OURS, WIPED, MemberList.NONE)))
                .hasMessageContaining("has the address of the member n2");
        assertThatThrownBy(() -> handshake.check(greeting(OURS, N3, MemberList.NONE)))
                .hasMessageContaining("has the address of the member n2");
        assertThatThrownBy(() -> handshake.check(greeting(THEIRS, N2, MemberList.NONE)))
                .hasMessageContaining("different clusters");
    }
}
