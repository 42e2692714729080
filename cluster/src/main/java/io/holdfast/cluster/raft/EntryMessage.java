package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

import java.util.List;

/**
 * A proposal to Ratis: the bytes of an entry, and the entry that was decoded from them. Ratis hands
 * the object on to the state machine of the leader, which need not decode the bytes again.
 */
final class EntryMessage implements Message {
    private final byte[] bytes;
    private final LogEntry entry;

    EntryMessage(byte[] bytes, LogEntry entry) {
        this.bytes = bytes;
        this.entry = entry;
    }

    /**
     * Decodes the proposal of a node.
     *
     * @param known the highest version of the cluster that this node knows
     * @throws EncodingException if the bytes are malformed, or an entry batch: no node could apply
     *     an entry batch in which they are
     */
    static EntryMessage decode(byte[] bytes, int known) throws EncodingException {
        LogEntry entry = LogEntryEncoding.decode(bytes, known);
        if (entry instanceof LogEntry.EntryBatch) {
            throw new EncodingException("a proposal is an entry batch, which only leaders write");
        }
        return new EntryMessage(bytes, entry);
    }

    /** Combines proposals into one entry. */
    static EntryMessage batchOf(List<EntryMessage> messages) {
        return messages.size() == 1
                ? messages.getFirst()
                : new EntryMessage(
                        LogEntryEncoding.batchOf(
                                messages.stream().map(message -> message.bytes).toList()),
                        new LogEntry.EntryBatch(
                                messages.stream().map(EntryMessage::entry).toList()));
    }

    LogEntry entry() {
        return entry;
    }

    /** Returns the length of the encoded entry. */
    int length() {
        return bytes.length;
    }

    @Override
    public ByteString getContent() {
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    /** Ratis logs messages that it could not send, and entries have tokens in them. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
