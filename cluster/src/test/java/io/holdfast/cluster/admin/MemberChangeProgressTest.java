package io.holdfast.cluster.admin;

import static io.holdfast.cluster.admin.ClusterStatusTest.list;
import static io.holdfast.cluster.admin.ClusterStatusTest.member;
import static io.holdfast.cluster.admin.MemberChangeProgress.DONE;
import static io.holdfast.cluster.admin.MemberChangeProgress.IN_PROGRESS;
import static io.holdfast.cluster.admin.MemberChangeProgress.NOT_DONE;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("A membership change without a response")
class MemberChangeProgressTest {
    private static final Member N1 = member("n1", 1);
    private static final Member N2 = member("n2", 2);
    private static final Member N3 = member("n3", 3);
    private static final Member NEW_N2 = member("n2", 20);
    private static final List<Member> BEFORE = List.of(N1, N2);

    private static MemberChangeProgress progress(
            List<Member> requested, long commitIndex, MemberList now, int peers) {
        return MemberChangeProgress.of(
                ClusterStatusTest.report(N1, "leader", 2, commitIndex, now, peers),
                BEFORE,
                requested);
    }

    @Test
    void is_done_when_the_requested_members_are_committed() {
        List<Member> requested = List.of(N1, N2, N3);
        assertThat(progress(requested, 10, list(2, 10, N3, N1, N2), 2)).isEqualTo(DONE);
        assertThat(progress(requested, 9, list(2, 10, N3, N1, N2), 2)).isEqualTo(IN_PROGRESS);
    }

    @Test
    void is_in_progress_while_a_new_member_is_sent_the_state() {
        assertThat(progress(List.of(N1, N2, N3), 9, list(1, 5, N1, N2), 2)).isEqualTo(IN_PROGRESS);
        assertThat(progress(List.of(N1, NEW_N2), 9, list(1, 5, N1, N2), 2)).isEqualTo(IN_PROGRESS);
    }

    @Test
    void is_in_progress_while_old_and_new_members_count() {
        assertThat(progress(List.of(N1, NEW_N2), 9, list(2, 8, N1, N2, NEW_N2), 2))
                .isEqualTo(IN_PROGRESS);
    }

    @Test
    void is_not_done_if_the_members_are_others_and_none_is_sent_the_state() {
        assertThat(progress(List.of(N1, N2, N3), 9, list(1, 5, N1, N2), 1)).isEqualTo(NOT_DONE);
        assertThat(progress(List.of(N1), 9, list(1, 5, N1, N2), 1)).isEqualTo(NOT_DONE);
    }
}
