package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.ByteReader;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

import java.nio.ByteBuffer;

/** An entry of the log: what was proposed, and the time that the leader put before it. */
record StampedEntry(EntryTime time, LogEntry entry) {
    /** Returns the data of the log entry, which {@link #decode} reads. */
    static ByteString encode(EntryTime time, ByteString entry) {
        byte[] stamp = new byte[EntryTime.BYTES];
        ByteBuffer.wrap(stamp).putLong(time.nanos()).putLong(time.dueNanos());
        return UnsafeByteOperations.unsafeWrap(stamp).concat(entry);
    }

    /**
     * @param known the highest version of the cluster that this node knows
     */
    static StampedEntry decode(ByteString data, int known) throws EncodingException {
        byte[] bytes = data.toByteArray();
        ByteBuffer stamp = ByteBuffer.wrap(bytes);
        return new StampedEntry(
                new EntryTime(stamp.getLong(), stamp.getLong()),
                LogEntryEncoding.decode(
                        new ByteReader(bytes, EntryTime.BYTES, bytes.length - EntryTime.BYTES),
                        known));
    }
}
