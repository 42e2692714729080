package io.holdfast.cluster.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The durable part of a node's Raft state: what it has acknowledged to clients and other nodes, and
 * how it has voted.
 *
 * @param acknowledged the index of the last log entry that it has acknowledged; -1 if none
 * @param term the last term that it has persisted with its vote
 * @param vote the node that it voted for in that term; empty if none
 * @param highestTerm the highest term that another node has sent
 * @param membersIndex the index of the log entry with the member list that it has persisted last;
 *     -1 if none
 * @param membersSum the checksum of the file with that list
 */
record HardState(
        long acknowledged,
        long term,
        String vote,
        long highestTerm,
        long membersIndex,
        int membersSum) {
    static final HardState NONE = new HardState(-1, 0, "", 0, -1, 0);

    /** The size of a slot in the file: a page, so that a torn write damages no other slot. */
    static final int SLOT_BYTES = 4096;

    private static final long MAGIC = 0x484F4C4446535401L; // "HOLDFST", format 1
    private static final int FIXED_BYTES = 6 * Long.BYTES + 3 * Integer.BYTES;
    private static final int MAX_VOTE_BYTES = 1024;

    HardState withAcknowledged(long index) {
        return new HardState(index, term, vote, highestTerm, membersIndex, membersSum);
    }

    HardState withVote(long newTerm, String newVote) {
        return new HardState(
                acknowledged,
                newTerm,
                newVote,
                Math.max(highestTerm, newTerm),
                membersIndex,
                membersSum);
    }

    HardState withHighestTerm(long newHighestTerm) {
        return new HardState(acknowledged, term, vote, newHighestTerm, membersIndex, membersSum);
    }

    HardState withMembers(long index, int sum) {
        return new HardState(acknowledged, term, vote, highestTerm, index, sum);
    }

    /** Whether a term and a vote are the persisted ones, or older. */
    boolean includesVote(long otherTerm, String otherVote) {
        return otherTerm < term || (otherTerm == term && otherVote.equals(vote));
    }

    /**
     * Encodes the content of a slot, with a checksum.
     *
     * @param sequence grows with each write
     */
    byte[] encode(long sequence) {
        byte[] name = vote.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_VOTE_BYTES) {
            throw new IllegalArgumentException("the name of a node is too long: " + vote);
        }
        ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + name.length);
        bytes.putLong(MAGIC)
                .putLong(sequence)
                .putLong(acknowledged)
                .putLong(term)
                .putLong(highestTerm)
                .putLong(membersIndex)
                .putInt(membersSum)
                .putInt(name.length)
                .put(name);
        bytes.putInt(sum(bytes.array(), bytes.position()));
        return bytes.array();
    }

    /** Decodes a slot of the file; empty if the slot is damaged. */
    static Optional<Numbered> decode(byte[] slot) {
        ByteBuffer bytes = ByteBuffer.wrap(slot);
        if (slot.length < SLOT_BYTES || bytes.getLong() != MAGIC) {
            return Optional.empty();
        }
        long sequence = bytes.getLong();
        long acknowledged = bytes.getLong();
        long term = bytes.getLong();
        long highestTerm = bytes.getLong();
        long membersIndex = bytes.getLong();
        int membersSum = bytes.getInt();
        int length = bytes.getInt();
        if (length < 0 || length > MAX_VOTE_BYTES) {
            return Optional.empty();
        }
        String vote = new String(slot, bytes.position(), length, StandardCharsets.UTF_8);
        int end = bytes.position() + length;
        if (bytes.getInt(end) != sum(slot, end)) {
            return Optional.empty();
        }
        return Optional.of(
                new Numbered(
                        sequence,
                        new HardState(
                                acknowledged, term, vote, highestTerm, membersIndex, membersSum)));
    }

    /** A state with its sequence number; the higher number is the later state. */
    record Numbered(long sequence, HardState state) {}

    private static int sum(byte[] bytes, int end) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, end);
        return (int) sum.getValue();
    }
}
