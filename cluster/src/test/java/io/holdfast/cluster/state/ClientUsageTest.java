package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.EngineSettings;
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

@DisplayName("The usage of a client of this node")
class ClientUsageTest {
    private static final long LONG = 1_000_000_000_000L;
    private static final long SESSION = SessionIdEncoding.of(1, 1);
    private static final long OTHER = SessionIdEncoding.of(1, 2);
    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(new EngineSettings(0, 0, true), KeyCountLimits.NONE, LONG, 0);

    private final ClientUsage client = new ClientUsage();
    private final Replica replica =
            new Replica(
                    RULES,
                    ClusterVersion.LATEST,
                    MemoryBudgets.UNLIMITED,
                    _ -> client,
                    new SilentListener());

    private void lock(long session, long sequence, String key) {
        replica.apply(
                1,
                EntryTime.of(0),
                new LogEntry.Batch(
                        1,
                        sequence,
                        List.of(
                                new BatchItem.RegisterSession(session, "test", "client", true),
                                new BatchItem.Submit(
                                        new Command.Acquire(
                                                session,
                                                sequence,
                                                ResourceKind.LOCK,
                                                Key.of(key),
                                                1,
                                                LONG,
                                                LONG,
                                                sequence)))));
    }

    private byte[] snapshot() throws IOException {
        var bytes = new ByteArrayOutputStream();
        replica.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private void install(byte[] snapshot) throws IOException {
        replica.read(
                new DataInputStream(new ByteArrayInputStream(snapshot)), ClusterVersion.LATEST);
    }

    private void counts(Counted what, int number) {
        assertThat(number == 0 || client.isFull(what, number)).as("%s", what).isTrue();
        assertThat(client.isFull(what, number + 1)).as("%s", what).isFalse();
    }

    @Test
    void usage_is_that_of_the_installed_snapshot() throws Exception {
        replica.apply(1, EntryTime.of(0), new LogEntry.BeginIncarnation("n1", new UUID(0, 1)));
        byte[] empty = snapshot();
        lock(SESSION, 1, "a");
        lock(SESSION, 2, "b");
        lock(OTHER, 3, "a");
        counts(Counted.HOLD, 2);
        counts(Counted.WAIT, 1);
        counts(Counted.NAME, 2);
        byte[] all = snapshot();
        install(all);
        counts(Counted.HOLD, 2);
        counts(Counted.WAIT, 1);
        counts(Counted.NAME, 0); // a snapshot does not record the creators of keys
        lock(SESSION, 4, "c");
        counts(Counted.HOLD, 3);
        counts(Counted.NAME, 1);
        install(empty);
        counts(Counted.HOLD, 0);
        counts(Counted.WAIT, 0);
        counts(Counted.NAME, 0);
    }
}
