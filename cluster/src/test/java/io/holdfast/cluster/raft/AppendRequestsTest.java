package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("A request to a follower")
class AppendRequestsTest {
    private static final int LIMIT = 1000;

    /** Returns an entry of about this size. */
    private static LogEntryProto entry(long index, int size) {
        return LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(index)
                .setStateMachineLogEntry(
                        StateMachineLogEntryProto.newBuilder()
                                .setLogData(ByteString.copyFrom(new byte[size])))
                .build();
    }

    private static List<Long> taken(AppendRequests.LogReader log, long first, long end)
            throws RaftLogIOException {
        return AppendRequests.take(log, first, end, LIMIT).stream()
                .map(LogEntryProto::getIndex)
                .toList();
    }

    private static AppendEntriesRequestProto.Builder request(long commit) {
        return AppendEntriesRequestProto.newBuilder().setLeaderCommit(commit);
    }

    private static long verified(AppendEntriesRequestProto.Builder request) {
        return AppendRequests.withVerifiedCommit(request.build()).getLeaderCommit();
    }

    @Test
    void entries_are_taken_up_to_the_limit() throws RaftLogIOException {
        assertThat(taken(index -> entry(index, 300), 7, 100)).containsExactly(7L, 8L, 9L);
        assertThat(taken(index -> entry(index, 300), 7, 9)).containsExactly(7L, 8L);
    }

    @Test
    void many_small_entries_fit_into_the_limit_with_their_framing() throws RaftLogIOException {
        var request =
                AppendEntriesRequestProto.newBuilder()
                        .addAllEntries(
                                AppendRequests.take(index -> entry(index, 1), 0, 1000, LIMIT))
                        .build();
        assertThat(request.getSerializedSize()).isBetween(LIMIT / 2, LIMIT);
    }

    @Test
    void an_entry_above_the_limit_is_sent_alone() throws RaftLogIOException {
        assertThat(taken(index -> entry(index, 2 * LIMIT), 7, 100)).containsExactly(7L);
        assertThat(taken(index -> entry(index, index == 8 ? 2 * LIMIT : 1), 7, 100))
                .containsExactly(7L);
    }

    @Test
    void entries_that_the_log_does_not_have_are_not_sent() throws RaftLogIOException {
        assertThat(taken(index -> index < 9 ? entry(index, 1) : null, 7, 100))
                .containsExactly(7L, 8L);
        assertThat(taken(_ -> null, 7, 100)).isEmpty();
        assertThat(taken(index -> entry(index, 1), 7, 7)).isEmpty();
    }

    @Test
    void the_commit_index_is_at_most_the_last_entry() {
        assertThat(verified(request(5).addEntries(entry(8, 1)).addEntries(entry(9, 1))))
                .isEqualTo(5);
        assertThat(verified(request(20).addEntries(entry(8, 1)).addEntries(entry(9, 1))))
                .isEqualTo(9);
        assertThat(verified(request(1).addEntries(entry(0, 1)))).isZero();
    }

    @Test
    void the_commit_index_of_a_heartbeat_is_at_most_the_previous_entry() {
        var previous = TermIndexProto.newBuilder().setTerm(1).setIndex(7);
        assertThat(verified(request(20).setPreviousLog(previous))).isEqualTo(7);
        assertThat(verified(request(6).setPreviousLog(previous))).isEqualTo(6);
        assertThat(verified(request(20))).isEqualTo(RaftLog.INVALID_LOG_INDEX);
    }
}
