package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.driver.DurableFile;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.zip.CRC32C;

/**
 * The files in which Ratis stores the term, the vote and the member list. They have no checksums,
 * so their content is recorded in the {@link HardState} and compared with it at a start.
 */
final class RatisMetadataFiles {
    private static final String VOTE = "raft-meta";
    private static final String MEMBERS = "raft-meta.conf";

    private RatisMetadataFiles() {}

    /**
     * Checks the files, and records changes that a crash has kept from being recorded.
     *
     * @param group the directory of the Raft group; may be missing
     * @throws ClusterException if a file is damaged, or is not the one written last
     */
    static void check(Path group, HardStateFile hardState) throws ClusterException {
        Path current = group.resolve("current");
        try {
            checkVote(current.resolve(VOTE), hardState);
            checkMembers(
                    current.resolve(MEMBERS),
                    LogIntegrityCheck.newestSnapshot(group.resolve("sm")),
                    hardState);
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException("cannot read " + current + ": " + e.getMessage(), e);
        }
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException(
                "the file " + file + " is damaged: " + why + ". " + LogIntegrityCheck.REMEDY);
    }

    /**
     * A vote is recorded before it is sent, so one that is not recorded was not sent to any node. A
     * crash can leave such a vote here, in the next term at most.
     */
    private static void checkVote(Path file, HardStateFile hardState) throws IOException {
        HardState recorded = hardState.state();
        if (!Files.exists(file)) {
            if (recorded.term() > 0) {
                throw damaged(file, "it is missing");
            }
            return;
        }
        Properties lines = new Properties();
        long term;
        try {
            lines.load(new StringReader(Files.readString(file, StandardCharsets.UTF_8)));
            term = Long.parseLong(lines.getProperty("term", ""));
        } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException e) {
            throw damaged(file, "it has no term");
        }
        String vote = lines.getProperty("votedFor");
        if (vote == null) {
            throw damaged(file, "it has no votedFor");
        }
        if (term < recorded.term() || term > recorded.highestTerm() + 1) {
            throw damaged(
                    file,
                    "it has term "
                            + term
                            + ", and the last term of this node was "
                            + recorded.term());
        }
        if (term == recorded.term()
                && !recorded.vote().isEmpty()
                && !vote.equals(recorded.vote())) {
            throw damaged(
                    file,
                    "it has a vote for '"
                            + vote
                            + "', and in term "
                            + term
                            + " this node has voted for '"
                            + recorded.vote()
                            + "'");
        }
        hardState.vote(term, vote);
    }

    /**
     * Each start applies the log after the snapshot again, and Ratis then persists each member list
     * in it again: a crash meanwhile leaves an older list.
     */
    private static void checkMembers(Path file, long snapshot, HardStateFile hardState)
            throws IOException {
        HardState recorded = hardState.state();
        if (!Files.exists(file)) {
            if (recorded.membersIndex() >= 0) {
                throw damaged(file, "it is missing");
            }
            return;
        }
        byte[] bytes = Files.readAllBytes(file);
        LogEntryProto entry;
        try {
            entry = LogEntryProto.parseFrom(bytes);
        } catch (IOException e) {
            throw damaged(file, "it is not the member list that was written");
        }
        if (!entry.hasConfigurationEntry()
                || (entry.getIndex() == recorded.membersIndex()
                        ? sum(bytes) != recorded.membersSum()
                        : entry.getIndex() < recorded.membersIndex()
                                && entry.getIndex() <= snapshot)) {
            throw damaged(file, "it is not the member list that was written");
        }
        recordMembers(entry, bytes, hardState);
    }

    /** Records the term and the vote that Ratis has persisted, if they are new. */
    static void recordVote(RaftStorage storage, HardStateFile hardState) throws IOException {
        RaftStorageMetadata persisted = storage.getMetadataFile().getMetadata();
        String vote = persisted.getVotedFor().toString();
        if (!hardState.state().includesVote(persisted.getTerm(), vote)) {
            syncDirectories(storage, hardState);
        }
        // Also if another thread has recorded it: its sync may not have ended.
        hardState.vote(persisted.getTerm(), vote);
    }

    /** Records the member list that Ratis has persisted. */
    static void recordMembers(RaftStorage storage, HardStateFile hardState) throws IOException {
        Path file = storage.getStorageDir().getCurrentDir().toPath().resolve(MEMBERS);
        if (Files.exists(file)) {
            syncDirectories(storage, hardState);
            byte[] bytes = Files.readAllBytes(file);
            recordMembers(LogEntryProto.parseFrom(bytes), bytes, hardState);
        }
    }

    private static void recordMembers(LogEntryProto entry, byte[] bytes, HardStateFile hardState) {
        HardState recorded = hardState.state();
        int sum = sum(bytes);
        if (entry.getIndex() != recorded.membersIndex() || sum != recorded.membersSum()) {
            hardState.members(entry.getIndex(), sum);
        }
    }

    /**
     * Syncs the directory of the files and the one above it. Ratis renames files and creates the
     * directory without syncing either.
     */
    private static void syncDirectories(RaftStorage storage, HardStateFile hardState)
            throws IOException {
        DurableFile.syncFolder(storage.getStorageDir().getCurrentDir().toPath());
        if (hardState.state().term() == 0) {
            DurableFile.syncFolder(storage.getStorageDir().getRoot().toPath());
        }
    }

    private static int sum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return (int) sum.getValue();
    }
}
