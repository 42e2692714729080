package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What a request to a follower has in it. */
final class AppendRequests {
    /** The maximum length of what a request adds to each entry in it. */
    private static final int ENTRY_OVERHEAD = 5;

    private AppendRequests() {}

    /** Reads entries of the log. */
    interface LogReader {
        /** Returns the entry; null if the log does not have it. */
        @Nullable LogEntryProto get(long index) throws RaftLogIOException;
    }

    /**
     * Reads entries for one request: as many as the limit allows, and at least one, which may be
     * larger than the limit by itself.
     *
     * @param end the index after the last entry of the log
     * @return the entries; none if the log does not have the first
     */
    static List<LogEntryProto> take(LogReader log, long first, long end, long maxBytes)
            throws RaftLogIOException {
        List<LogEntryProto> taken = new ArrayList<>();
        long bytes = 0;
        for (long index = first; index < end; index++) {
            LogEntryProto entry = log.get(index);
            bytes += entry == null ? 0 : entry.getSerializedSize() + ENTRY_OVERHEAD;
            if (entry == null || (bytes > maxBytes && !taken.isEmpty())) {
                break;
            }
            taken.add(entry);
        }
        return taken;
    }

    /**
     * Limits the commit index of a request to what the request verifies: up to its last entry, or
     * to the entry that it names as the previous one. A follower may have entries of other leaders
     * after that. Ratis takes the first entry for verified in any case, whichever it is.
     */
    static AppendEntriesRequestProto withVerifiedCommit(AppendEntriesRequestProto request) {
        int count = request.getEntriesCount();
        long verified =
                count > 0
                        ? request.getEntries(count - 1).getIndex()
                        : request.hasPreviousLog()
                                ? request.getPreviousLog().getIndex()
                                : RaftLog.INVALID_LOG_INDEX;
        return request.getLeaderCommit() <= verified
                ? request
                : request.toBuilder().setLeaderCommit(verified).build();
    }
}
