package io.holdfast.cluster.bootstrap;

import static io.holdfast.cluster.bootstrap.NodeReadiness.MAX_STALL_NANOS;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.bootstrap.NodeReadiness.Change;
import io.holdfast.cluster.bootstrap.NodeReadiness.Observation;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A node")
class NodeReadinessTest {
    private static final Observation FINE = new Observation(null, true, true, false, 10, 10, 0);
    private static final Observation NO_LEADER =
            new Observation(null, true, false, false, 10, 10, 0);

    private long now = -5 * MAX_STALL_NANOS; // a monotonic clock may start anywhere
    private final NodeReadiness nodeReadiness = new NodeReadiness(now);

    private @Nullable String update(Observation observation) {
        nodeReadiness.update(observation, now);
        return nodeReadiness.reason();
    }

    private static Observation applied(long commitIndex, long appliedIndex) {
        return new Observation(null, true, true, false, commitIndex, appliedIndex, 0);
    }

    @Test
    void a_node_is_not_ready_while_it_starts() {
        assertThat(nodeReadiness.reason()).contains("starting");
        assertThat(update(FINE)).isNull();
    }

    @Test
    void a_node_is_ready_during_an_election_but_not_after_two_seconds_without_a_leader() {
        update(FINE);
        now += MAX_STALL_NANOS - 1;
        assertThat(update(NO_LEADER)).isNull();
        now += 1;
        assertThat(update(NO_LEADER)).isEqualTo("no leader");
        assertThat(update(FINE)).isNull();
        now += MAX_STALL_NANOS - 1;
        assertThat(update(NO_LEADER)).isNull();
    }

    @Test
    void a_leader_without_contact_to_a_majority_is_not_ready() {
        assertThat(update(new Observation(null, true, true, true, 10, 10, 0)))
                .contains("no majority");
    }

    @Test
    void a_node_is_not_ready_before_its_incarnation_begins() {
        assertThat(update(new Observation(null, false, true, false, 10, 10, 0)))
                .contains("catching up");
    }

    @Test
    void a_node_is_not_ready_when_it_applies_committed_entries_too_late() {
        update(applied(10, 10));
        update(applied(100, 10));
        now += MAX_STALL_NANOS - 1;
        assertThat(update(applied(200, 99))).isNull();
        now += 1;
        assertThat(update(applied(300, 99))).contains("catching up").contains("201 entries behind");
        assertThat(update(applied(400, 399))).isNull();
    }

    @Test
    void a_node_that_is_always_slightly_behind_is_ready() {
        for (int index = 0; index < 100; index++) {
            now += MAX_STALL_NANOS / 20;
            assertThat(update(applied(100 * (index + 1), 100 * index))).isNull();
        }
    }

    @Test
    void a_node_is_not_ready_when_its_commands_are_not_applied() {
        assertThat(update(new Observation(null, true, true, false, 10, 10, MAX_STALL_NANOS - 1)))
                .isNull();
        assertThat(update(new Observation(null, true, true, false, 10, 10, MAX_STALL_NANOS)))
                .contains("nothing is committed");
    }

    @Test
    void each_outage_is_reported_once_when_it_begins_and_once_when_it_ends() {
        Observation silent = new Observation(null, true, true, true, 10, 10, 0);
        assertThat(nodeReadiness.update(silent, now)).isEqualTo(Change.NONE); // still starting
        assertThat(nodeReadiness.update(FINE, now)).isEqualTo(Change.NONE);
        assertThat(nodeReadiness.update(silent, now)).isEqualTo(Change.NOT_READY);
        now += MAX_STALL_NANOS;
        assertThat(nodeReadiness.update(NO_LEADER, now)).isEqualTo(Change.NONE);
        assertThat(nodeReadiness.update(FINE, now)).isEqualTo(Change.READY_AGAIN);
        assertThat(nodeReadiness.update(FINE, now)).isEqualTo(Change.NONE);
    }

    @Test
    void a_stopped_node_reports_why_it_will_never_serve_again() {
        assertThat(update(new Observation("removed", true, false, true, 10, 1, MAX_STALL_NANOS)))
                .isEqualTo("removed");
    }
}
