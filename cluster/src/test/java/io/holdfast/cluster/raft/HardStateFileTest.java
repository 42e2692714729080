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
    void has_after_a_restart_what_was_recorded() throws Exception {
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
    void is_written_before_the_acknowledgement_is_sent() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            for (int i = 0; i < 5; i++) {
                file.acknowledge(i, 1);
                assertThat(reopened().acknowledged()).isEqualTo(i);
            }
        }
    }

    @Test
    void keeps_the_vote_of_the_latest_term() throws Exception {
        try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
            file.vote(4, "n2");
            file.vote(3, "n1");
            assertThat(file.state().vote()).isEqualTo("n2");
        }
    }

    @Test
    void refuses_to_acknowledge_entries_of_an_earlier_leader_that_a_later_one_has_removed()
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
    void survives_a_torn_write() throws Exception {
        for (int slot = 0; slot < 2; slot++) {
            Files.deleteIfExists(path());
            try (HardStateFile file = HardStateFile.open(group, false, failures::add)) {
                file.acknowledge(1, 1);
                file.acknowledge(2, 1);
            }
            byte[] bytes = Files.readAllBytes(path());
            bytes[slot * HardState.SLOT_BYTES + 20] ^= 1;
            Files.write(path(), bytes);
            assertThat(reopened().acknowledged()).isEqualTo(slot == 0 ? 1 : 2);
        }
    }

    @Test
    void is_refused_when_it_is_damaged() throws Exception {
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
    void acknowledges_nothing_more_after_a_write_has_failed() throws Exception {
        var last = new HardState.Numbered(7, HardState.NONE.withAcknowledged(3));
        try (var device = new RandomAccessFile("/dev/full", "rw");
                var file = new HardStateFile(path(), device, last, failures::add)) {
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

    private void refuses(String reason) throws IOException {
        assertThatThrownBy(() -> HardStateFile.open(group, true, failures::add))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(path().toString(), reason, "restore a backup");
    }
}
