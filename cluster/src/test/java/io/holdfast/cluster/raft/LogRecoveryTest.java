package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterException;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;

@DisplayName("The recovery of a log")
class LogRecoveryTest {
    @TempDir private Path raft;

    /** Returns a segment file with one entry. */
    private static byte[] segment(LogEntryProto entry) throws IOException {
        var framed = new ByteArrayOutputStream();
        entry.writeDelimitedTo(framed);
        CRC32C sum = new CRC32C();
        sum.update(framed.toByteArray());
        var file = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(file);
        out.write("RaftLog1".getBytes(StandardCharsets.US_ASCII));
        out.write(framed.toByteArray());
        out.writeInt((int) sum.getValue());
        return file.toByteArray();
    }

    @Test
    void a_log_of_a_cluster_that_never_served_is_refused() throws Exception {
        UUID clusterId = new UUID(0, 1);
        Path group = raft.resolve(clusterId.toString());
        HardStateFile.create(group, HardState.NONE.withAcknowledged(0));
        Files.write(
                Files.createDirectories(group.resolve("current")).resolve("log_inprogress_0"),
                segment(
                        LogEntryProto.newBuilder()
                                .setTerm(1)
                                .setIndex(0)
                                .setConfigurationEntry(RaftConfigurationProto.getDefaultInstance())
                                .build()));
        assertThatThrownBy(() -> LogRecovery.read(raft, clusterId))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("there is nothing to recover");
    }
}
