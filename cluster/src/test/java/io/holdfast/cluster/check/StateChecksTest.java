package io.holdfast.cluster.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.engine.hash.StateHash;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

@DisplayName("Nodes that compare the hashes of their states")
class StateChecksTest {
    private static final long SECOND = 1_000_000_000L;

    /** Nodes in one thread, whose messages arrive at once, unless one of them is away. */
    private static final class Nodes {
        final List<Member> members = new ArrayList<>();
        final Map<UUID, StateChecks> checks = new HashMap<>();
        final Map<String, Divergence> diverged = new HashMap<>();
        final Set<String> away = new HashSet<>();
        int messages;
        long now;

        Nodes(int count) {
            for (int i = 1; i <= count; i++) {
                Member member = new Member(new NodeAddress("n" + i, "h" + i, 1), new UUID(0, i));
                members.add(member);
                checks.put(member.dataId(), new StateChecks(member.dataId(), environment(member)));
            }
        }

        private StateChecks.Environment environment(Member self) {
            return new StateChecks.Environment() {
                @Override
                public List<Member> members() {
                    return members;
                }

                @Override
                public void send(Member to, StateHashMessage message) {
                    messages++;
                    if (!away.contains(to.name()) && !away.contains(self.name())) {
                        checks.get(to.dataId()).receive(self.dataId(), parsed(message));
                    }
                }

                @Override
                public void onDiverged(Divergence divergence) {
                    assertThat(diverged.put(self.name(), divergence)).isNull();
                }
            };
        }

        private static StateHashMessage parsed(StateHashMessage message) {
            try {
                return StateHashMessage.of(message.toBytes());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        StateChecks node(int number) {
            return checks.get(new UUID(0, number));
        }

        /** Applies an entry on the first nodes, with these hashes of their states. */
        void apply(long index, long... hashes) {
            for (int i = 0; i < hashes.length; i++) {
                node(i + 1).add(index, hashes[i], now);
            }
        }

        void pass(long nanos) {
            for (long end = now + nanos; now < end; now += SECOND / 10) {
                for (Member member : members) {
                    if (!away.contains(member.name())) {
                        checks.get(member.dataId()).tick(now);
                    }
                }
            }
        }
    }

    @Test
    void do_nothing_if_all_are_equal() {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 1, 1);
        nodes.pass(10 * SECOND);
        assertThat(nodes.diverged).isEmpty();
        assertThat(nodes.messages).isLessThanOrEqualTo(12);
        assertThat(nodes.node(1).applied()).isEqualTo(1);
    }

    @Test
    void find_the_one_in_the_minority_at_once() {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 2, 1);
        nodes.pass(SECOND / 2);
        assertThat(nodes.diverged).containsOnlyKeys("n2");
        Divergence found = nodes.diverged.get("n2");
        assertThat(found.index()).isEqualTo(5);
        assertThat(found.majorityHash()).isEqualTo(1);
        assertThat(found.reason())
                .contains("0000000000000002", "n1 0000000000000001", "n3 0000000000000001");
        assertThat(found.remedy("n2")).contains("holdfast cluster replace n2 n2=");
    }

    @Test
    void stop_all_that_differ_if_no_majority_agrees() {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 2, 3);
        nodes.pass(SECOND / 2);
        assertThat(nodes.diverged).containsOnlyKeys("n1", "n2", "n3");
        assertThat(nodes.diverged.get("n1").majorityHash()).isNull();
        assertThat(nodes.diverged.get("n1").remedy("n1")).contains("cluster recover");
    }

    @Test
    void wait_some_seconds_for_the_others_before_two_that_differ_stop() {
        Nodes nodes = new Nodes(3);
        nodes.away.add("n3");
        nodes.apply(5, 1, 2);
        nodes.pass(2 * SECOND);
        assertThat(nodes.diverged).isEmpty();
        nodes.pass(2 * SECOND);
        assertThat(nodes.diverged).containsOnlyKeys("n1", "n2");
    }

    @Test
    void let_one_that_is_late_decide() {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 2);
        nodes.pass(SECOND);
        nodes.node(3).add(5, 2, nodes.now);
        nodes.pass(SECOND / 2);
        assertThat(nodes.diverged).containsOnlyKeys("n1");
    }

    @Test
    void do_not_take_a_missing_hash_for_a_difference() {
        Nodes nodes = new Nodes(3);
        nodes.away.add("n3");
        nodes.apply(5, 1, 1, 2);
        nodes.pass(20 * SECOND);
        assertThat(nodes.diverged).isEmpty();
        nodes.away.clear();
        nodes.pass(2 * SECOND);
        assertThat(nodes.diverged).containsOnlyKeys("n3");
    }

    @Test
    void need_a_majority_of_all_members_and_not_of_those_that_are_there() {
        Nodes nodes = new Nodes(5);
        nodes.away.addAll(List.of("n4", "n5"));
        nodes.apply(5, 1, 1, 2);
        nodes.pass(5 * SECOND);
        assertThat(nodes.diverged).containsOnlyKeys("n1", "n2", "n3");
    }

    @Test
    void do_not_compare_hashes_of_other_versions_or_of_strangers() {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 1);
        nodes.node(1)
                .receive(new UUID(0, 3), new StateHashMessage(5, StateHash.VERSION + 1, 2, false));
        nodes.node(1).receive(new UUID(9, 9), new StateHashMessage(5, StateHash.VERSION, 3, false));
        nodes.pass(5 * SECOND);
        assertThat(nodes.diverged).isEmpty();
    }

    @Test
    void respond_with_the_hashes_of_the_next_entry() throws Exception {
        Nodes nodes = new Nodes(3);
        nodes.apply(5, 1, 1, 1);
        nodes.pass(SECOND);
        var response = nodes.node(2).request(nodes.now);
        nodes.pass(SECOND);
        assertThat(response).isNotDone();
        nodes.apply(6, 4, 4, 7);
        nodes.pass(SECOND / 2);
        StateCheckReport report = StateCheckReport.of(response.join().toBytes());
        assertThat(report).isEqualTo(response.join());
        assertThat(report.index()).isEqualTo(6);
        assertThat(report.nodes())
                .containsExactly(
                        new StateCheckReport.Node("n1", 4L, false),
                        new StateCheckReport.Node("n2", 4L, false),
                        new StateCheckReport.Node("n3", 7L, true));
        assertThat(report.isDiverged()).isTrue();
    }

    @Test
    void respond_without_the_hashes_of_those_that_are_away() {
        Nodes nodes = new Nodes(3);
        nodes.away.add("n3");
        var response = nodes.node(1).request(nodes.now);
        nodes.apply(6, 4, 4);
        nodes.pass(6 * SECOND);
        assertThat(response.join().nodes())
                .extracting(StateCheckReport.Node::hash)
                .containsExactly(4L, 4L, null);
    }

    @Test
    void fail_a_request_if_no_entry_is_committed() {
        Nodes nodes = new Nodes(3);
        var response = nodes.node(1).request(nodes.now);
        nodes.pass(6 * SECOND);
        assertThat(response).isCompletedExceptionally();
    }

    @Test
    void ignore_a_node_that_is_not_a_member() {
        Nodes nodes = new Nodes(3);
        nodes.members.removeLast();
        var response = nodes.node(3).request(nodes.now);
        nodes.apply(5, 1, 1, 2);
        for (int i = 0; i < 100; i++) {
            nodes.pass(SECOND / 10);
            nodes.node(3).tick(nodes.now);
        }
        assertThat(nodes.diverged).isEmpty();
        assertThat(response).isCompletedExceptionally();
    }

    @Test
    void keep_the_hashes_of_few_entries() {
        Nodes nodes = new Nodes(3);
        for (long index = 1; index <= 100; index++) {
            nodes.node(1).receive(new UUID(0, 2), message(index));
        }
        nodes.apply(200, 1);
        nodes.node(1).receive(new UUID(0, 2), message(200));
        nodes.node(1).receive(new UUID(0, 3), message(200));
        nodes.pass(SECOND);
        assertThat(nodes.diverged).containsOnlyKeys("n1");
    }

    private static StateHashMessage message(long index) {
        return new StateHashMessage(index, StateHash.VERSION, 2, false);
    }
}
