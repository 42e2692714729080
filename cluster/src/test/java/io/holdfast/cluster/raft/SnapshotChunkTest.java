package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

@DisplayName("A chunk of a snapshot")
class SnapshotChunkTest {
    @TempDir private Path folder;

    private SnapshotChunk read(String name, long offset) throws IOException {
        byte[] encoded = SnapshotChunk.read(folder, SnapshotChunk.request(name, offset)).encode();
        assertThat(encoded.length).isLessThanOrEqualTo(SnapshotChunk.MAX_BYTES);
        return SnapshotChunk.decode(encoded);
    }

    @Test
    void the_chunks_make_up_the_newest_snapshot() throws IOException {
        byte[] bytes = new byte[600_000];
        new Random(1).nextBytes(bytes);
        Files.write(folder.resolve("snapshot.9_8"), new byte[3]);
        Files.write(folder.resolve("snapshot.2_10"), bytes);
        Files.write(folder.resolve("snapshot.2_10.md5"), new byte[3]);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        SnapshotChunk chunk = read("", 0);
        chunk.data().writeTo(all);
        while (!chunk.isLast()) {
            chunk = read(chunk.name(), all.size());
            chunk.data().writeTo(all);
        }
        assertThat(all.toByteArray()).isEqualTo(bytes);
        assertThat(chunk.name()).isEqualTo("snapshot.2_10");
    }

    @Test
    void a_snapshot_that_was_replaced_is_refused() throws IOException {
        assertThatThrownBy(() -> read("", 0)).hasMessageContaining("no snapshot");
        Files.write(folder.resolve("snapshot.2_10"), new byte[3]);
        assertThatThrownBy(() -> read("snapshot.2_9", 0)).hasMessageContaining("newer snapshot");
    }

    @Test
    void a_malformed_request_is_refused() throws IOException {
        Files.write(folder.resolve("snapshot.2_10"), new byte[3]);
        byte[] request = SnapshotChunk.request("snapshot.2_10", 0);
        for (int length = 0; length < request.length; length++) {
            byte[] part = Arrays.copyOf(request, length);
            assertThatThrownBy(() -> SnapshotChunk.read(folder, part))
                    .isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> read("snapshot.2_10", 4)).hasMessageContaining("malformed");
        assertThatThrownBy(() -> read("snapshot.2_10", -1)).hasMessageContaining("malformed");
        assertThatThrownBy(() -> read("../x", 0)).hasMessageContaining("newer snapshot");
    }
}
