package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;

@DisplayName("A replica")
class ReplicaVersionTest {
    private static final int TRIAL = ClusterVersion.LATEST + 1;
    private static final UUID DATA = new UUID(1, 1);
    private static final long LONG = 1_000_000_000_000L;
    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(new EngineSettings(0, 0, true), KeyCountLimits.NONE, LONG, 0);

    @TempDir Path folder;

    private static Replica replica(int known) {
        Replica replica =
                new Replica(RULES, known, MemoryBudgets.UNLIMITED, _ -> null, new SilentListener());
        apply(replica, new LogEntry.CreateCluster(new UUID(5, 5), 100));
        apply(replica, new LogEntry.Announce("n1", DATA, TRIAL));
        apply(replica, new LogEntry.BeginIncarnation("n1", new UUID(0, 1)));
        return replica;
    }

    private static void apply(Replica replica, LogEntry entry) {
        replica.apply(1, EntryTime.of(0), entry);
    }

    /** Applies a batch in which a session asks for a lock. */
    private static void lock(Replica replica, long sequence) {
        long session = SessionIdEncoding.of(1, sequence);
        apply(
                replica,
                new LogEntry.Batch(
                        1,
                        sequence,
                        List.of(
                                new BatchItem.Submit(
                                        new Command.Acquire(
                                                session,
                                                sequence,
                                                ResourceKind.LOCK,
                                                Key.of("k"),
                                                1,
                                                LONG,
                                                LONG,
                                                sequence)))));
    }

    private static byte[] state(Replica replica) throws IOException {
        var bytes = new ByteArrayOutputStream();
        replica.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private Path snapshot(Replica replica) throws IOException {
        Path file = folder.resolve("snapshot");
        SnapshotFile.write(file, replica.version(), replica::write);
        return file;
    }

    private static Replica read(Path file, int known) throws IOException {
        Replica replica = replica(known);
        return SnapshotFile.read(
                file,
                known,
                (in, version) -> {
                    replica.read(in, version);
                    return replica;
                });
    }

    @Test
    void of_a_newer_build_is_the_same_as_one_of_an_older_build_until_the_version_is_raised()
            throws IOException {
        Replica older = replica(ClusterVersion.LATEST);
        Replica newer = replica(TRIAL);
        for (int i = 1; i <= 3; i++) {
            lock(older, i);
            lock(newer, i);
        }
        assertThat(state(newer)).isEqualTo(state(older));
        assertThat(read(snapshot(newer), ClusterVersion.LATEST).version())
                .isEqualTo(ClusterVersion.FIRST);
    }

    @Test
    void applies_entries_by_the_rules_of_the_version_of_the_cluster() throws IOException {
        Replica raisedBefore = replica(TRIAL);
        apply(raisedBefore, new LogEntry.RaiseVersion(TRIAL));
        lock(raisedBefore, 1);
        Replica raisedAfter = replica(TRIAL);
        lock(raisedAfter, 1);
        apply(raisedAfter, new LogEntry.RaiseVersion(TRIAL));
        assertThat(state(raisedAfter)).hasSameSizeAs(state(raisedBefore));
        assertThat(state(raisedAfter)).isNotEqualTo(state(raisedBefore));
    }

    @Test
    void applies_the_entries_of_a_batch_after_a_raise_by_the_rules_of_the_new_version()
            throws IOException {
        Replica together = replica(TRIAL);
        LogEntry.Batch heartbeat = new LogEntry.Batch(1, 1, List.of());
        apply(
                together,
                new LogEntry.EntryBatch(List.of(new LogEntry.RaiseVersion(TRIAL), heartbeat)));
        Replica apart = replica(TRIAL);
        apply(apart, new LogEntry.RaiseVersion(TRIAL));
        apply(apart, heartbeat);
        assertThat(state(together)).isEqualTo(state(apart));
    }

    @Test
    void is_read_from_a_snapshot_in_the_version_in_which_it_was_written() throws IOException {
        Replica replica = replica(TRIAL);
        lock(replica, 1);
        Replica first = read(snapshot(replica), TRIAL);
        assertThat(first.version()).isEqualTo(ClusterVersion.FIRST);
        assertThat(state(first)).isEqualTo(state(replica));
        assertThat(first.versionKnownTo(Set.of(DATA))).isEqualTo(TRIAL);

        apply(replica, new LogEntry.RaiseVersion(TRIAL));
        lock(replica, 2);
        Replica second = read(snapshot(replica), TRIAL);
        assertThat(second.version()).isEqualTo(TRIAL);
        assertThat(state(second)).isEqualTo(state(replica));
    }

    @Test
    void is_not_read_from_a_snapshot_of_a_version_that_the_node_does_not_know() throws IOException {
        Replica replica = replica(TRIAL);
        apply(replica, new LogEntry.RaiseVersion(TRIAL));
        Path file = snapshot(replica);
        assertThatThrownBy(() -> read(file, ClusterVersion.LATEST))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "the snapshot %s has the version 2, and this Holdfast knows the versions 1"
                                        .formatted(file)
                                + " to 1");
        assertThatThrownBy(() -> Replica.of(file, ClusterVersion.LATEST))
                .hasMessageContaining("has the version 2");
    }

    @Test
    void of_a_restored_backup_has_its_version_and_no_announcements() throws IOException {
        Replica replica = replica(TRIAL);
        assertThat(replica.versionKnownTo(Set.of(DATA))).isEqualTo(TRIAL);
        Replica restored = Replica.of(snapshot(replica), ClusterVersion.LATEST);
        restored.writeAsNew(new DataOutputStream(new ByteArrayOutputStream()));
        assertThat(restored.version()).isEqualTo(ClusterVersion.FIRST);
        assertThat(restored.versionKnownTo(Set.of(DATA))).isZero();
    }

    @Test
    void knows_the_lowest_of_the_versions_that_members_have_announced() {
        Replica replica = replica(TRIAL);
        UUID other = new UUID(2, 2);
        assertThat(replica.versionKnownTo(Set.of())).isZero();
        assertThat(replica.versionKnownTo(Set.of(DATA))).isEqualTo(TRIAL);
        assertThat(replica.versionKnownTo(Set.of(DATA, other))).isZero();
        apply(replica, new LogEntry.Announce("n2", other, 1));
        assertThat(replica.versionKnownTo(Set.of(DATA, other))).isEqualTo(1);
        apply(replica, new LogEntry.Announce("n2", new UUID(2, 3), 9));
        assertThat(replica.versionKnownTo(Set.of(other)))
                .as("of the data directory that the node had before")
                .isZero();
    }
}
