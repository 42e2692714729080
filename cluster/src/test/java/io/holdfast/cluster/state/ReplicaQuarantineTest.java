package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

@DisplayName("The quarantine of a recovered replica")
class ReplicaQuarantineTest {
    private static final long LONG = 1_000_000_000_000L;
    private static final long END = 1000;
    private static final long SESSION = SessionIdEncoding.of(1, 1);

    private final Replica replica = recovered(END);

    private static Replica recovered(long nanos) {
        Replica recovered = Replica.withoutClients();
        recovered.recover(nanos, 1);
        return recovered;
    }

    private static Replica copy(Replica replica) throws IOException {
        var bytes = new ByteArrayOutputStream();
        replica.write(new DataOutputStream(bytes));
        Replica copy = Replica.withoutClients();
        copy.read(
                new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())),
                ClusterVersion.LATEST);
        return copy;
    }

    private static void acquire(Replica replica) {
        replica.apply(1, EntryTime.of(0), new LogEntry.BeginIncarnation("n1", new UUID(0, 1)));
        replica.apply(
                1,
                EntryTime.of(0),
                new LogEntry.Batch(
                        1,
                        1,
                        List.of(
                                new BatchItem.Submit(
                                        new Command.Acquire(
                                                SESSION,
                                                1,
                                                ResourceKind.LOCK,
                                                Key.of("door"),
                                                1,
                                                LONG,
                                                LONG,
                                                1)))));
    }

    private static int holds(Replica replica) {
        return replica.engine().views().usage(SESSION).holds();
    }

    private static void tick(Replica replica, long atNanos) {
        replica.apply(1, EntryTime.of(atNanos), new LogEntry.Tick());
    }

    @Test
    void a_node_that_begins_with_a_snapshot_of_it_has_the_same_state_as_one_that_wrote_it()
            throws Exception {
        Replica copy = copy(replica);
        assertThat(copy.hash()).isEqualTo(replica.hash());
        for (Replica each : List.of(replica, copy)) {
            acquire(each);
            tick(each, END - 1);
            assertThat(holds(each)).isZero();
        }
        Replica later = copy(copy);
        for (Replica each : List.of(replica, copy, later)) {
            tick(each, END);
            assertThat(holds(each)).isEqualTo(1);
        }
        assertThat(copy.hash()).isEqualTo(replica.hash());
        assertThat(later.hash()).isEqualTo(replica.hash());
        assertThat(copy(later).hash()).isEqualTo(replica.hash());
    }

    @Test
    void its_end_is_part_of_the_hash() {
        assertThat(recovered(END + 1).hash()).isNotEqualTo(replica.hash());
    }

    @Test
    void a_second_recovery_does_not_end_it_earlier() {
        replica.recover(END / 2, 1);
        acquire(replica);
        tick(replica, END - 1);
        assertThat(holds(replica)).isZero();
        tick(replica, END);
        assertThat(holds(replica)).isEqualTo(1);
    }
}
