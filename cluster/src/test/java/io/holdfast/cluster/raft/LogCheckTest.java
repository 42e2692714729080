package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

@DisplayName("The check of a log")
class LogCheckTest {
    private static final int HEADER = 8;
    private static final int ENTRY = 100;

    /** Length, data and checksum. */
    private static final int FRAME = 1 + ENTRY + 4;

    @TempDir private Path group;
    private Path current;

    @BeforeEach
    void makeFolders() throws IOException {
        current = Files.createDirectories(group.resolve("current"));
        Files.createDirectories(group.resolve("sm"));
    }

    private static byte[] log(int entries, int size) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.write("RaftLog1".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < entries; i++) {
            byte[] frame = new byte[1 + ENTRY];
            Arrays.fill(frame, (byte) (i + 1));
            frame[0] = ENTRY;
            frame[1] = 0x08;
            CRC32C sum = new CRC32C();
            sum.update(frame);
            out.write(frame);
            out.writeInt((int) sum.getValue());
        }
        return Arrays.copyOf(bytes.toByteArray(), Math.max(size, bytes.size()));
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(current.resolve(name), bytes);
    }

    private void refuses(String reason) {
        assertThatThrownBy(() -> LogCheck.check(group, true))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("the log is damaged")
                .hasMessageContaining(reason);
    }

    private void accepts() {
        assertThatCode(() -> LogCheck.check(group, true)).doesNotThrowAnyException();
    }

    @Test
    void takes_a_log_that_is_whole_as_it_is() throws IOException {
        write("log_0-9", log(10, 0));
        Path last = write("log_inprogress_10", log(5, 4096));
        accepts();
        assertThat(last).hasSize(4096);
    }

    @Test
    void takes_a_new_file_after_others() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_10", new byte[4096]);
        accepts();
    }

    @Test
    void takes_a_log_that_goes_on_after_a_snapshot() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_99"));
        write("log_inprogress_100", log(1, 4096));
        accepts();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 4096})
    void does_not_take_an_empty_file_for_a_log_that_was_used(int size) throws Exception {
        write("log_inprogress_0", Arrays.copyOf(log(0, 0), size));
        refuses("it is empty");
        LogCheck.check(group, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HEADER, HEADER + 1, HEADER + 50, HEADER + FRAME, HEADER + 3 * FRAME})
    void finds_a_byte_that_is_not_what_was_written(int position) throws IOException {
        byte[] bytes = log(4, 4096);
        bytes[position] ^= 0x5A;
        write("log_inprogress_0", bytes);
        refuses("");
    }

    @Test
    void finds_bytes_after_the_end() throws IOException {
        byte[] bytes = log(4, 4096);
        bytes[3000] = 1;
        write("log_inprogress_0", bytes);
        refuses("entry 4 is not what was written");
    }

    @Test
    void finds_that_a_file_in_the_middle_is_short() throws IOException {
        write("log_0-9", log(9, 0));
        write("log_inprogress_10", log(1, 0));
        refuses("it has no entry 9");
    }

    @Test
    void finds_that_a_file_is_missing() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_20", log(1, 0));
        refuses("what comes before it is missing");
    }

    @Test
    void finds_that_a_log_begins_after_the_end_of_the_snapshot() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_50"));
        write("log_inprogress_100", log(1, 4096));
        refuses("it begins with entry 100, and the newest snapshot ends with entry 50");
    }

    @Test
    void cuts_off_an_entry_that_ends_in_zeros_where_a_sector_does() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, 512, 4096, (byte) 0); // in the middle of the fifth
        Path last = write("log_inprogress_0", bytes);
        accepts();
        assertThat(last).hasSize(HEADER + 4 * FRAME);
        accepts();
    }

    @Test
    void cuts_off_an_entry_that_ends_where_the_file_does() throws IOException {
        Path last = write("log_inprogress_0", Arrays.copyOf(log(3, 0), HEADER + 2 * FRAME + 7));
        accepts();
        assertThat(last).hasSize(HEADER + 2 * FRAME);
    }

    @Test
    void does_not_cut_off_zeros_that_nobody_can_have_left_there() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, 600, 4096, (byte) 0);
        write("log_inprogress_0", bytes);
        refuses("entry 5 is not what was written");
    }
}
