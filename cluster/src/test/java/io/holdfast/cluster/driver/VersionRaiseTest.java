package io.holdfast.cluster.driver;

import static io.holdfast.cluster.driver.ManualLog.SECOND;
import static io.holdfast.cluster.driver.ManualLog.TRIAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.LogEntry;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.UUID;

@DisplayName("The version of a cluster")
class VersionRaiseTest {
    private static final UUID OTHER = new UUID(2, 2);

    private final ManualLog log = new ManualLog();

    /** Applies the entry with which another node announces what it knows. */
    private void announce(UUID dataId, int known) {
        log.apply(new LogEntry.Announce("n2", dataId, known));
    }

    /** Lets the leader do its work, and returns the version after it. */
    private int versionAfterTick() {
        log.pass(SECOND);
        log.driver().tick();
        log.applyAll();
        return log.driver().version();
    }

    @Test
    void is_not_raised_before_every_member_has_announced_what_it_knows() {
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        announce(OTHER, ClusterVersion.LATEST);
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        announce(OTHER, TRIAL);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
    }

    @Test
    void is_not_raised_above_what_the_leader_knows() {
        announce(OTHER, TRIAL + 1);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
    }

    @Test
    void is_not_raised_by_what_the_data_directory_before_the_present_one_announced() {
        log.members = Set.of(ManualLog.DATA, new UUID(2, 3));
        announce(OTHER, TRIAL);
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        announce(new UUID(2, 3), ClusterVersion.LATEST);
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        announce(new UUID(2, 3), TRIAL);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
    }

    @Test
    void is_not_raised_after_a_node_was_started_with_an_older_build_again() {
        announce(OTHER, TRIAL);
        announce(OTHER, ClusterVersion.LATEST);
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
    }

    @Test
    void is_not_raised_while_the_member_list_changes() {
        announce(OTHER, TRIAL);
        Set<UUID> members = log.members;
        log.members = Set.of();
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        log.members = members;
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
    }

    @Test
    void is_raised_while_the_member_list_cannot_change() {
        announce(OTHER, TRIAL);
        log.pass(SECOND);
        log.driver().tick();
        assertThat(log.held).isTrue();
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
        assertThat(log.held).isFalse();
    }

    @Test
    void is_no_concern_of_a_node_that_has_ceased_to_lead() {
        announce(OTHER, TRIAL);
        log.pass(SECOND);
        log.driver().tick();
        log.leader = false;
        log.loseAll(false);
        log.driver().tick();
        assertThat(log.held).isFalse();
        assertThat(log.driver().version()).isEqualTo(ClusterVersion.FIRST);
    }

    @Test
    void is_that_of_what_a_node_writes() {
        log.driver().leave();
        assertThat(log.lastProposedVersion()).isEqualTo(ClusterVersion.FIRST);
        log.apply(new LogEntry.RaiseVersion(TRIAL));
        log.driver().leave();
        assertThat(log.lastProposedVersion()).isEqualTo(TRIAL);
    }

    @Test
    void is_known_to_a_node_that_announces_it_again_after_a_delayed_entry_of_its_earlier_start() {
        announce(OTHER, TRIAL);
        log.apply(new LogEntry.Announce("n1", ManualLog.DATA, ClusterVersion.LATEST));
        assertThat(versionAfterTick()).isEqualTo(ClusterVersion.FIRST);
        assertThat(versionAfterTick()).isEqualTo(TRIAL);
    }

    @Test
    void is_never_lowered() {
        log.apply(new LogEntry.RaiseVersion(TRIAL));
        log.apply(new LogEntry.RaiseVersion(ClusterVersion.FIRST));
        assertThat(log.driver().version()).isEqualTo(TRIAL);
    }

    @Test
    void is_refused_by_a_node_that_does_not_know_it() {
        assertThatThrownBy(() -> log.apply(new LogEntry.RaiseVersion(TRIAL + 1)))
                .hasMessage(
                        "the cluster has the version 3, and this Holdfast knows the versions 1 to"
                                + " 2");
    }
}
