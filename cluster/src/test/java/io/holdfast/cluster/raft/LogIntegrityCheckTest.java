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
class LogIntegrityCheckTest {
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
        return log(0, entries, size);
    }

    private static byte[] log(int first, int entries, int size) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.write("RaftLog1".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < entries; i++) {
            byte[] frame = new byte[1 + ENTRY];
            Arrays.fill(frame, (byte) (i + 1));
            frame[0] = ENTRY;
            frame[1] = 0x08; // the term
            frame[2] = 1;
            frame[3] = 0x10; // the index
            frame[4] = (byte) (first + i);
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

    private void refuses(long acknowledged, String reason) {
        assertThatThrownBy(() -> LogIntegrityCheck.check(group, true, acknowledged))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("the log is damaged")
                .hasMessageContaining(reason);
    }

    private void accepts(long acknowledged) {
        assertThatCode(() -> LogIntegrityCheck.check(group, true, acknowledged))
                .doesNotThrowAnyException();
    }

    @Test
    void a_complete_log_is_accepted_unchanged() throws IOException {
        write("log_0-9", log(10, 0));
        Path last = write("log_inprogress_10", log(10, 5, 4096));
        accepts(14);
        assertThat(last).hasSize(4096);
    }

    @Test
    void a_new_empty_segment_after_others_is_accepted() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_10", new byte[4096]);
        accepts(9);
    }

    @Test
    void a_log_that_continues_after_a_snapshot_is_accepted() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_99"));
        write("log_inprogress_100", log(100, 1, 4096));
        accepts(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 4096})
    void an_empty_file_in_place_of_a_used_log_is_refused(int size) throws Exception {
        write("log_inprogress_0", Arrays.copyOf(log(0, 0), size));
        refuses(-1, "it is empty");
        LogIntegrityCheck.check(group, false, -1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HEADER, HEADER + 1, HEADER + 50, HEADER + FRAME, HEADER + 3 * FRAME})
    void a_changed_byte_is_detected(int position) throws IOException {
        byte[] bytes = log(4, 4096);
        bytes[position] ^= 0x5A;
        write("log_inprogress_0", bytes);
        refuses(3, "");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, FRAME, FRAME + 1, 3 * FRAME, 4 * FRAME})
    void a_missing_end_of_the_acknowledged_entries_is_detected(int bytes) throws IOException {
        Path last = write("log_inprogress_0", Arrays.copyOf(log(4, 0), HEADER + 4 * FRAME - bytes));
        refuses(3, "");
        assertThat(last).hasSize(HEADER + 4L * FRAME - bytes);
    }

    @Test
    void a_refused_log_is_left_unchanged() throws IOException {
        write("log_0-9", log(10, 0));
        byte[] torn = Arrays.copyOf(log(10, 3, 0), HEADER + 2 * FRAME + 7);
        Path first = write("log_inprogress_10", torn);
        write("log_inprogress_13", log(13, 1, 0));
        refuses(9, "entry 12 is not readable");
        assertThat(first).hasBinaryContent(torn);
    }

    @Test
    void the_message_has_the_last_entry_and_the_acknowledged_entry() throws IOException {
        write("log_inprogress_0", log(4, 4096));
        refuses(4, "the log ends with entry 3, and this node has acknowledged entry 4");
    }

    @Test
    void a_missing_last_segment_is_detected() throws IOException {
        write("log_0-9", log(10, 0));
        refuses(12, "the log ends with entry 9, and this node has acknowledged entry 12");
    }

    @Test
    void a_missing_newest_snapshot_is_detected() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_50"));
        refuses(99, "the log ends with entry 50, and this node has acknowledged entry 99");
    }

    @Test
    void a_truncated_segment_in_the_middle_is_detected() throws IOException {
        write("log_0-9", log(9, 0));
        write("log_inprogress_10", log(10, 1, 0));
        refuses(10, "it has no entry 9");
    }

    @Test
    void a_removal_of_entries_that_a_crash_interrupted_is_completed() throws IOException {
        write("log_0-9", log(10, 0));
        Path truncated = write("log_10-19", log(10, 6, 0));
        refuses(16, "it has no entry 16");
        accepts(15);
        assertThat(truncated).doesNotExist();
        assertThat(current.resolve("log_10-15")).hasBinaryContent(log(10, 6, 0));
        accepts(15);
    }

    @Test
    void a_segment_without_entries_is_no_interrupted_removal() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_10-19", log(10, 0, 0));
        refuses(9, "it has no entry 10");
    }

    @Test
    void a_missing_segment_is_detected() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_20", log(20, 1, 0));
        refuses(20, "the entries before it are missing");
    }

    @Test
    void a_gap_between_the_snapshot_and_the_log_is_detected() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_50"));
        write("log_inprogress_100", log(100, 1, 4096));
        refuses(100, "it begins with entry 100, and the newest snapshot ends with entry 50");
    }

    /**
     * Checks a log of ten entries, of which six were acknowledged and the rest is torn: it is
     * truncated after six.
     */
    private void assertTruncatedAfterSix(byte[] bytes) throws IOException {
        Path last = write("log_inprogress_0", bytes);
        accepts(5);
        assertThat(last).hasSize(HEADER + 6 * FRAME);
        accepts(5);
    }

    @Test
    void half_an_entry_that_ends_in_zeros_is_truncated() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME + 40, 4096, (byte) 0);
        assertTruncatedAfterSix(bytes);
    }

    @Test
    void half_an_entry_at_the_end_of_the_file_is_truncated() throws IOException {
        assertTruncatedAfterSix(Arrays.copyOf(log(10, 0), HEADER + 6 * FRAME + 7));
    }

    @Test
    void an_entry_with_a_hole_is_truncated_with_the_complete_ones_after_it() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME + 20, HEADER + 6 * FRAME + 60, (byte) 0);
        assertTruncatedAfterSix(bytes);
    }

    @Test
    void entries_with_wrong_indexes_are_truncated() throws IOException {
        byte[] bytes = log(10, 4096);
        System.arraycopy(bytes, HEADER, bytes, HEADER + 6 * FRAME, 4 * FRAME);
        refusesThatAsDamageBefore(bytes);
        assertTruncatedAfterSix(bytes);
    }

    private void refusesThatAsDamageBefore(byte[] bytes) throws IOException {
        write("log_inprogress_0", bytes);
        refuses(6, "entry 6 is not readable");
    }

    @Test
    void the_rest_of_a_batch_whose_beginning_was_not_written_is_truncated() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME, HEADER + 8 * FRAME, (byte) 0);
        assertTruncatedAfterSix(bytes);
    }

    @Test
    void a_new_segment_with_a_torn_header_is_truncated() throws IOException {
        write("log_0-9", log(10, 0));
        byte[] bytes = log(10, 1, 4096);
        bytes[2] = 0;
        Path last = write("log_inprogress_10", bytes);
        refuses(10, "it does not begin with the header of a log file");
        accepts(9);
        assertThat(last).isEmptyFile();
    }

    @Test
    void written_entries_that_were_not_acknowledged_are_kept() throws IOException {
        Path last = write("log_inprogress_0", log(10, 4096));
        accepts(5);
        assertThat(last).hasSize(4096);
    }
}
