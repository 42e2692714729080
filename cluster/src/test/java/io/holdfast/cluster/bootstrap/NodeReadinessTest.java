package io.holdfast.cluster.bootstrap;

import static io.holdfast.cluster.bootstrap.NodeReadiness.MOST_NANOS;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.bootstrap.NodeReadiness.Observation;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A node")
class NodeReadinessTest {
    private static final Observation FINE = new Observation(null, true, true, false, 10, 10, 0);
    private static final Observation NO_LEADER =
            new Observation(null, true, false, false, 10, 10, 0);

    private long now = -5 * MOST_NANOS; // clocks begin anywhere
    private final NodeReadiness nodeReadiness = new NodeReadiness(now);

    private @Nullable String look(Observation observation) {
        nodeReadiness.look(observation, now);
        return nodeReadiness.reason();
    }

    private static Observation applied(long commitIndex, long appliedIndex) {
        return new Observation(null, true, true, false, commitIndex, appliedIndex, 0);
    }

    @Test
    void is_not_ready_before_anything_is_known_of_it() {
        assertThat(nodeReadiness.reason()).contains("starting");
        assertThat(look(FINE)).isNull();
    }

    @Test
    void stays_ready_during_an_election_and_is_not_after_two_seconds_without_a_leader() {
        look(FINE);
        now += MOST_NANOS - 1;
        assertThat(look(NO_LEADER)).isNull();
        now += 1;
        assertThat(look(NO_LEADER)).isEqualTo("no leader");
        assertThat(look(FINE)).isNull();
        now += MOST_NANOS - 1;
        assertThat(look(NO_LEADER)).isNull();
    }

    @Test
    void is_not_ready_while_it_leads_a_silent_majority() {
        assertThat(look(new Observation(null, true, true, true, 10, 10, 0)))
                .contains("no majority");
    }

    @Test
    void is_not_ready_while_the_cluster_does_not_know_its_process() {
        assertThat(look(new Observation(null, false, true, false, 10, 10, 0)))
                .contains("catching up");
    }

    @Test
    void is_not_ready_when_it_does_not_apply_in_time_what_is_committed() {
        look(applied(10, 10));
        look(applied(100, 10));
        now += MOST_NANOS - 1;
        assertThat(look(applied(200, 99))).isNull();
        now += 1;
        assertThat(look(applied(300, 99))).contains("catching up").contains("201 entries behind");
        assertThat(look(applied(400, 399))).isNull();
    }

    @Test
    void is_ready_when_it_is_always_a_little_behind() {
        for (int index = 0; index < 100; index++) {
            now += MOST_NANOS / 20;
            assertThat(look(applied(100 * (index + 1), 100 * index))).isNull();
        }
    }

    @Test
    void is_not_ready_when_its_commands_are_not_answered() {
        assertThat(look(new Observation(null, true, true, false, 10, 10, MOST_NANOS - 1))).isNull();
        assertThat(look(new Observation(null, true, true, false, 10, 10, MOST_NANOS)))
                .contains("nothing is committed");
    }

    @Test
    void gives_the_reason_why_it_will_never_serve_again() {
        assertThat(look(new Observation("removed", true, false, true, 10, 1, MOST_NANOS)))
                .isEqualTo("removed");
    }
}
