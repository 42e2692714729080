package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterException;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

@DisplayName("The check of term, vote and members")
class RatisMetadataFilesTest {
    @TempDir private Path group;
    private Path vote;
    private Path members;
    private HardStateFile hardState;

    @BeforeEach
    void recordVote() throws IOException {
        Path current = Files.createDirectories(group.resolve("current"));
        vote = current.resolve("raft-meta");
        members = current.resolve("raft-meta.conf");
        hardState = HardStateFile.open(group, false, _ -> {});
        hardState.vote(6, "n2");
        hardState.observeTerm(8);
    }

    @AfterEach
    void close() {
        hardState.close();
    }

    private void accepts() {
        assertThatCode(() -> RatisMetadataFiles.check(group, hardState)).doesNotThrowAnyException();
    }

    private void refuses(Path file, String reason) {
        assertThatThrownBy(() -> RatisMetadataFiles.check(group, hardState))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(file.toString(), reason, "restore a backup");
    }

    private void write(long term, String votedFor) throws IOException {
        Files.writeString(vote, "#\n#date\nterm=" + term + "\nvotedFor=" + votedFor + "\n");
    }

    @Test
    void a_new_directory_is_accepted() throws IOException {
        group = Files.createDirectories(group.resolve("new"));
        hardState.close();
        hardState = HardStateFile.open(group, false, _ -> {});
        accepts();
    }

    @ParameterizedTest
    @CsvSource({"6, n2", "7, ''", "7, n1", "8, n3", "9, n1"})
    void the_recorded_vote_and_one_not_recorded_because_of_a_crash_are_accepted(
            long term, String name) throws IOException {
        write(term, name);
        accepts();
        assertThat(hardState.state().term()).isEqualTo(term);
        assertThat(hardState.state().vote()).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({"5, n2", "0, ''", "10, n2", "1000, ''"})
    void another_term_is_refused(long term, String name) throws IOException {
        write(term, name);
        refuses(vote, "it has term " + term + ", and the last term of this node was 6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n1", "", "n22"})
    void another_vote_is_refused(String name) throws IOException {
        write(6, name);
        refuses(vote, "in term 6 this node has voted for 'n2'");
    }

    @Test
    void a_missing_vote_is_refused() {
        refuses(vote, "it is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "term=\nvotedFor=n2", "term=x\nvotedFor=n2", "term=6", "\\uq"})
    void an_unreadable_vote_is_refused(String text) throws IOException {
        Files.writeString(vote, text);
        refuses(vote, "it has no ");
    }

    private static byte[] configuration(long index, String node) {
        return LogEntryProto.newBuilder()
                .setTerm(6)
                .setIndex(index)
                .setConfigurationEntry(
                        RaftConfigurationProto.newBuilder()
                                .addPeers(
                                        RaftPeerProto.newBuilder()
                                                .setId(ByteString.copyFromUtf8(node))))
                .build()
                .toByteArray();
    }

    private void recordMembers(long index) {
        CRC32C sum = new CRC32C();
        sum.update(configuration(index, "n1"));
        hardState.members(index, (int) sum.getValue());
    }

    @Test
    void the_last_written_members_and_later_ones_are_accepted() throws IOException {
        write(6, "n2");
        recordMembers(40);
        Files.write(members, configuration(40, "n1"));
        accepts();
        Files.write(members, configuration(41, "n5"));
        accepts();
        assertThat(hardState.state().membersIndex()).isEqualTo(41);
        Files.write(members, configuration(41, "n6"));
        refuses(members, "it is not the member list");
    }

    @Test
    void older_members_written_while_the_log_was_replayed_are_accepted() throws IOException {
        write(6, "n2");
        snapshot(20);
        recordMembers(40);
        Files.write(members, configuration(21, "n1"));
        accepts();
        assertThat(hardState.state().membersIndex()).isEqualTo(21);
    }

    private void snapshot(long index) throws IOException {
        Files.createFile(
                Files.createDirectories(group.resolve("sm")).resolve("snapshot.5_" + index));
    }

    @Test
    void changed_members_are_refused() throws IOException {
        write(6, "n2");
        snapshot(39);
        recordMembers(40);
        refuses(members, "it is missing");
        for (byte[] other :
                new byte[][] {
                    new byte[0],
                    {1, 2, 3, (byte) 0xff},
                    configuration(40, "n2"),
                    configuration(39, "n1"),
                    LogEntryProto.newBuilder().setIndex(40).build().toByteArray()
                }) {
            Files.write(members, other);
            refuses(members, "it is not the member list that was written");
        }
    }
}
