package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import io.holdfast.cluster.ClusterException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

@DisplayName("The file of the hard state")
class HardStateFileTest {
    @TempDir private Path group;
    private final List<Throwable> failures = new ArrayList<>();

    private Path path() {
        return group.resolve("hard-state");
    }

    private HardState reopened() throws ClusterException {
        try (HardStateFile file = HardStateFile.open(group, true, failures::add)) {
            return file.state();
        }
    }

    @Test
    void the_recorded_state_is_read_after_a_restart() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            assertThat(file.state()).isEqualTo(HardState.NONE);
            file.acknowledge(17, 3);
            file.acknowledge(12, 3);
            file.observeTerm(5);
            file.vote(4, "n2");
            file.members(9, 77);
        }
        assertThat(reopened()).isEqualTo(new HardState(17, 4, "n2", 5, 9, 77));
    }

    @Test
    void the_state_is_written_before_the_acknowledgement_is_sent() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            for (int i = 0; i < 5; i++) {
                file.acknowledge(i, 1);
                assertThat(reopened().acknowledged()).isEqualTo(i);
            }
        }
    }

    @Test
    void the_vote_of_the_latest_term_is_kept() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            file.vote(4, "n2");
            file.vote(3, "n1");
            assertThat(file.state().vote()).isEqualTo("n2");
        }
    }

    @Test
    void entries_of_an_earlier_leader_that_a_later_one_has_removed_are_not_acknowledged()
            throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            file.acknowledge(100, 3);
            file.receiveEntries(5);
            file.truncate(90);
            assertThatThrownBy(() -> file.acknowledge(100, 3)).hasMessageContaining("a later term");
            assertThat(file.state().acknowledged()).isEqualTo(90);
            file.acknowledge(95, 5);
            file.acknowledgeCommitted(96);
            assertThat(file.state().acknowledged()).isEqualTo(96);
        }
    }

    @Test
    void the_synced_state_survives_when_all_later_writes_are_torn() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            for (int synced = 10; synced < 100; synced += 10) {
                file.acknowledge(synced, 1);
                file.sync();
                byte[] before = Files.readAllBytes(path());
                file.acknowledge(synced + 1, 1);
                file.acknowledge(synced + 2, 1);
                file.acknowledge(synced + 3, 1);
                byte[] after = Files.readAllBytes(path());
                assertThat(acknowledgedIn(after)).isEqualTo(synced + 3);
                assertThat(acknowledgedIn(torn(before, after))).isEqualTo(synced);
            }
        }
    }

    /** Damages every slot that was written to in between. */
    private static byte[] torn(byte[] before, byte[] after) {
        byte[] torn = after.clone();
        for (int start = 0; start < after.length; start += HardState.SLOT_BYTES) {
            int end = start + HardState.SLOT_BYTES;
            if (!Arrays.equals(before, start, end, after, start, end)) {
                torn[start + 20] ^= 1;
            }
        }
        return torn;
    }

    private long acknowledgedIn(byte[] content) throws IOException {
        Path copy = Files.createDirectories(group.resolve("copy"));
        Files.write(copy.resolve("hard-state"), content);
        try (HardStateFile file = HardStateFile.open(copy, true, failures::add)) {
            return file.state().acknowledged();
        }
    }

    @Test
    void the_older_format_with_two_slots_is_read() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            file.acknowledge(5, 1);
        }
        Files.write(path(), Arrays.copyOf(Files.readAllBytes(path()), 2 * HardState.SLOT_BYTES));
        try (HardStateFile file = HardStateFile.open(group, true, failures::add)) {
            assertThat(file.state().acknowledged()).isEqualTo(5);
            for (int i = 6; i < 10; i++) {
                file.acknowledge(i, 1);
                file.sync();
                assertThat(acknowledgedIn(Files.readAllBytes(path()))).isEqualTo(i);
            }
        }
    }

    @Test
    void a_damaged_file_is_refused() throws Exception {
        HardStateFile.open(group, false, failures::add).close();
        byte[] bytes = Files.readAllBytes(path());
        for (byte[] damaged :
                new byte[][] {new byte[0], new byte[bytes.length], Arrays.copyOf(bytes, 100)}) {
            Files.write(path(), damaged);
            refuses("its checksums do not match");
        }
        Files.delete(path());
        refuses("it is missing");
    }

    /** Every write to this device fails as on a full disk. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nothing_is_acknowledged_after_a_failed_write() throws Exception {
        var last = new HardState.Numbered(7, HardState.NONE.withAcknowledged(3));
        try (var device = new RandomAccessFile("/dev/full", "rw");
                var file = new HardStateFile(path(), device, last, 0, failures::add)) {
            file.acknowledge(3, 1);
            assertThatThrownBy(() -> file.acknowledge(4, 1)).hasMessageContaining("cannot write");
            assertThatThrownBy(() -> file.acknowledge(4, 1)).hasMessageContaining("has failed");
            assertThatThrownBy(() -> file.vote(2, "n1")).hasMessageContaining("has failed");
            assertThat(file.state().acknowledged()).isEqualTo(3);
        }
        assertThat(failures)
                .singleElement(THROWABLE)
                .hasMessage("cannot write to " + path() + ": No space left on device");
    }

    /** What is written to this device cannot be synced. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void a_new_term_is_synced_and_no_caller_gets_success_after_a_failed_sync() throws Exception {
        var last = new HardState.Numbered(7, HardState.NONE.withHighestTerm(3));
        try (var device = new RandomAccessFile("/dev/null", "rw");
                var file = new HardStateFile(path(), device, last, 0, failures::add)) {
            file.observeTerm(3);
            assertThatThrownBy(() -> file.observeTerm(5)).hasMessageContaining("cannot sync");
            assertThatThrownBy(file::sync).hasMessageContaining("has failed");
            assertThatThrownBy(() -> file.observeTerm(5)).hasMessageContaining("has failed");
        }
        assertThat(failures).hasSize(1);
    }

    private void refuses(String reason) throws IOException {
        assertThatThrownBy(() -> HardStateFile.open(group, true, failures::add))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(path().toString(), reason, "restore a backup");
    }
}
