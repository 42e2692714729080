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
    void takes_a_log_that_is_whole_as_it_is() throws IOException {
        write("log_0-9", log(10, 0));
        Path last = write("log_inprogress_10", log(10, 5, 4096));
        accepts(14);
        assertThat(last).hasSize(4096);
    }

    @Test
    void takes_a_new_file_after_others() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_10", new byte[4096]);
        accepts(9);
    }

    @Test
    void takes_a_log_that_goes_on_after_a_snapshot() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_99"));
        write("log_inprogress_100", log(100, 1, 4096));
        accepts(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 4096})
    void does_not_take_an_empty_file_for_a_log_that_was_used(int size) throws Exception {
        write("log_inprogress_0", Arrays.copyOf(log(0, 0), size));
        refuses(-1, "it is empty");
        LogIntegrityCheck.check(group, false, -1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HEADER, HEADER + 1, HEADER + 50, HEADER + FRAME, HEADER + 3 * FRAME})
    void finds_a_byte_that_is_not_what_was_written(int position) throws IOException {
        byte[] bytes = log(4, 4096);
        bytes[position] ^= 0x5A;
        write("log_inprogress_0", bytes);
        refuses(3, "");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, FRAME, FRAME + 1, 3 * FRAME, 4 * FRAME})
    void finds_that_the_end_of_what_was_acknowledged_is_missing(int bytes) throws IOException {
        Path last = write("log_inprogress_0", Arrays.copyOf(log(4, 0), HEADER + 4 * FRAME - bytes));
        refuses(3, "");
        assertThat(last).hasSize(HEADER + 4L * FRAME - bytes);
    }

    @Test
    void changes_nothing_when_the_log_is_refused() throws IOException {
        write("log_0-9", log(10, 0));
        byte[] torn = Arrays.copyOf(log(10, 3, 0), HEADER + 2 * FRAME + 7);
        Path first = write("log_inprogress_10", torn);
        write("log_inprogress_13", log(13, 1, 0));
        refuses(9, "entry 12 is not what was written");
        assertThat(first).hasBinaryContent(torn);
    }

    @Test
    void says_how_far_the_log_goes_and_how_far_it_was_acknowledged() throws IOException {
        write("log_inprogress_0", log(4, 4096));
        refuses(4, "the log ends with entry 3, and this node has acknowledged entry 4");
    }

    @Test
    void finds_that_the_last_file_is_missing() throws IOException {
        write("log_0-9", log(10, 0));
        refuses(12, "the log ends with entry 9, and this node has acknowledged entry 12");
    }

    @Test
    void finds_that_the_newest_snapshot_is_missing() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_50"));
        refuses(99, "the log ends with entry 50, and this node has acknowledged entry 99");
    }

    @Test
    void finds_that_a_file_in_the_middle_is_short() throws IOException {
        write("log_0-9", log(9, 0));
        write("log_inprogress_10", log(10, 1, 0));
        refuses(10, "it has no entry 9");
    }

    @Test
    void completes_a_removal_of_entries_that_a_crash_has_interrupted() throws IOException {
        write("log_0-9", log(10, 0));
        Path truncated = write("log_10-19", log(10, 6, 0));
        refuses(16, "it has no entry 16");
        accepts(15);
        assertThat(truncated).doesNotExist();
        assertThat(current.resolve("log_10-15")).hasBinaryContent(log(10, 6, 0));
        accepts(15);
    }

    @Test
    void takes_a_file_without_any_entry_for_no_interrupted_removal() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_10-19", log(10, 0, 0));
        refuses(9, "it has no entry 10");
    }

    @Test
    void finds_that_a_file_is_missing() throws IOException {
        write("log_0-9", log(10, 0));
        write("log_inprogress_20", log(20, 1, 0));
        refuses(20, "what comes before it is missing");
    }

    @Test
    void finds_that_a_log_begins_after_the_end_of_the_snapshot() throws IOException {
        Files.createFile(group.resolve("sm").resolve("snapshot.3_50"));
        write("log_inprogress_100", log(100, 1, 4096));
        refuses(100, "it begins with entry 100, and the newest snapshot ends with entry 50");
    }

    /** The last batch of a log of ten entries, whose first six were acknowledged, is torn. */
    private void cutsOffAfterSix(byte[] bytes) throws IOException {
        Path last = write("log_inprogress_0", bytes);
        accepts(5);
        assertThat(last).hasSize(HEADER + 6 * FRAME);
        accepts(5);
    }

    @Test
    void cuts_off_half_an_entry_that_ends_in_zeros() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME + 40, 4096, (byte) 0);
        cutsOffAfterSix(bytes);
    }

    @Test
    void cuts_off_half_an_entry_that_ends_where_the_file_does() throws IOException {
        cutsOffAfterSix(Arrays.copyOf(log(10, 0), HEADER + 6 * FRAME + 7));
    }

    @Test
    void cuts_off_an_entry_with_a_hole_and_complete_ones_after_it() throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME + 20, HEADER + 6 * FRAME + 60, (byte) 0);
        cutsOffAfterSix(bytes);
    }

    @Test
    void cuts_off_entries_of_another_index() throws IOException {
        byte[] bytes = log(10, 4096);
        System.arraycopy(bytes, HEADER, bytes, HEADER + 6 * FRAME, 4 * FRAME);
        refusesThatAsDamageBefore(bytes);
        cutsOffAfterSix(bytes);
    }

    private void refusesThatAsDamageBefore(byte[] bytes) throws IOException {
        write("log_inprogress_0", bytes);
        refuses(6, "entry 6 is not what was written");
    }

    @Test
    void cuts_off_what_is_left_of_a_batch_whose_beginning_never_got_to_the_disk()
            throws IOException {
        byte[] bytes = log(10, 4096);
        Arrays.fill(bytes, HEADER + 6 * FRAME, HEADER + 8 * FRAME, (byte) 0);
        cutsOffAfterSix(bytes);
    }

    @Test
    void cuts_off_a_new_file_whose_header_is_torn() throws IOException {
        write("log_0-9", log(10, 0));
        byte[] bytes = log(10, 1, 4096);
        bytes[2] = 0;
        Path last = write("log_inprogress_10", bytes);
        refuses(10, "it does not begin as a log does");
        accepts(9);
        assertThat(last).isEmptyFile();
    }

    @Test
    void keeps_entries_that_were_written_and_not_acknowledged() throws IOException {
        Path last = write("log_inprogress_0", log(10, 4096));
        accepts(5);
        assertThat(last).hasSize(4096);
    }
}
