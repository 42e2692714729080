package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Of the log before a snapshot,")
class RetainedLogTailTest {
    private final RetainedLogTail tail = new RetainedLogTail(3200);

    @Test
    void no_entry_is_kept_that_was_not_applied_here() {
        assertThat(tail.lastPurgeable(7)).isEqualTo(7);
    }

    @Test
    void all_entries_are_kept_when_they_are_within_the_limit() {
        tail.applied(5, 1000);
        tail.applied(6, 1000);
        tail.applied(9, 1000);
        assertThat(tail.lastPurgeable(10)).isEqualTo(5);
    }

    @Test
    void the_last_entries_within_the_limit_are_kept() {
        for (int index = 1; index <= 1000; index++) {
            tail.applied(index, 100);
        }
        assertThat(tail.lastPurgeable(1000)).isEqualTo(1000 - 32);
    }

    @Test
    void small_entries_share_a_mark() {
        for (int index = 1; index <= 100_000; index++) {
            tail.applied(index, 1);
        }
        assertThat(tail.lastPurgeable(100_000)).isBetween(100_000L - 3200, 100_000L - 3100);
    }

    @Test
    void an_entry_larger_than_the_limit_is_not_kept() {
        tail.applied(1, 100);
        tail.applied(2, 10_000);
        assertThat(tail.lastPurgeable(2)).isEqualTo(2);
        tail.applied(3, 100);
        assertThat(tail.lastPurgeable(3)).isEqualTo(2);
    }

    @Test
    void no_entry_is_kept_that_an_installed_snapshot_has_replaced() {
        tail.applied(1, 100);
        tail.clear();
        assertThat(tail.lastPurgeable(50)).isEqualTo(50);
        tail.applied(51, 100);
        assertThat(tail.lastPurgeable(60)).isEqualTo(51);
    }
}
