package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;

import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.server.RaftConfiguration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;

@DisplayName("A membership change")
class MembershipChangeTest {
    private static final Member N1 = member("n1", 1, "a:1");
    private static final Member N2 = member("n2", 2, "b:2");
    private static final Member N3 = member("n3", 3, "c:3");
    private static final Member MOVED = member("n2", 2, "x:2");

    private static Member member(String name, long id, String address) {
        return new Member(NodeAddress.parse(name + "=" + address), new UUID(0, id));
    }

    private static List<RaftPeer> peers(int priority, List<Member> members) {
        return RaftPeers.peers(members).stream()
                .map(peer -> RaftPeer.newBuilder(peer).setPriority(priority).build())
                .toList();
    }

    private static RaftConfiguration configuration(int priority, Member... members) {
        List<RaftPeer> peers = peers(priority, List.of(members));
        return (RaftConfiguration)
                Proxy.newProxyInstance(
                        RaftConfiguration.class.getClassLoader(),
                        new Class<?>[] {RaftConfiguration.class},
                        (_, method, _) ->
                                switch (method.getName()) {
                                    case "getAllPeers", "getCurrentPeers" -> peers;
                                    default ->
                                            throw new UnsupportedOperationException(
                                                    method.getName());
                                });
    }

    /** A request of an administrator, who knows nothing of priorities. */
    private static SetConfigurationRequest request(List<Member> seen, List<Member> next) {
        return new SetConfigurationRequest(
                ClientId.randomId(),
                RaftPeerId.valueOf("n1"),
                RaftGroupId.randomId(),
                1,
                SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(RaftPeers.peers(next))
                        .setServersInCurrentConf(RaftPeers.peers(seen))
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .build());
    }

    private static List<RaftPeer> result(RaftConfiguration now, List<Member> seen, Member... next)
            throws Exception {
        SetConfigurationRequest request = request(seen, List.of(next));
        SetConfigurationRequest result = MembershipChange.of(request, now);
        assertThat(result.getClientId()).isEqualTo(request.getClientId());
        assertThat(result.getCallId()).isEqualTo(request.getCallId());
        assertThat(result.getRaftGroupId()).isEqualTo(request.getRaftGroupId());
        assertThat(result.getArguments().getMode()).isEqualTo(request.getArguments().getMode());
        return result.getArguments().getServersInNewConf();
    }

    @Test
    void of_an_address_alone_changes_the_priority_of_all_and_back() throws Exception {
        assertThat(result(configuration(0, N1, N2), List.of(N1, N2), N1, MOVED))
                .extracting(RaftPeer::getAddress, RaftPeer::getPriority)
                .containsExactly(tuple("a:1", 1), tuple("x:2", 1));
        assertThat(result(configuration(1, N1, MOVED), List.of(N1, MOVED), N1, N2))
                .extracting(RaftPeer::getAddress, RaftPeer::getPriority)
                .containsExactly(tuple("a:1", 0), tuple("b:2", 0));
    }

    @Test
    void of_members_keeps_the_priority_so_that_all_have_the_same() throws Exception {
        for (int priority : new int[] {0, 1}) {
            assertThat(result(configuration(priority, N1, N2), List.of(N1, N2), N1, N2, N3))
                    .extracting(RaftPeer::getPriority)
                    .containsOnly(priority);
            assertThat(result(configuration(priority, N1, N2), List.of(N1, N2), N1))
                    .extracting(RaftPeer::getPriority)
                    .containsOnly(priority);
        }
    }

    @Test
    void that_changes_nothing_stays_none() throws Exception {
        assertThat(result(configuration(1, N1, N2), List.of(N1, N2), N1, N2))
                .extracting(RaftPeer::getPriority)
                .containsOnly(1);
    }

    @Test
    void is_refused_if_somebody_else_has_changed_an_address_meanwhile() {
        var request = request(List.of(N1, N2), List.of(N1, N2, N3));
        assertThatThrownBy(() -> MembershipChange.of(request, configuration(1, N1, MOVED)))
                .isInstanceOf(SetConfigurationException.class)
                .hasMessageContaining("by somebody else");
        assertThatThrownBy(() -> MembershipChange.of(request, configuration(0, N1, N2, N3)))
                .isInstanceOf(SetConfigurationException.class);
    }
}
