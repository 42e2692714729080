package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.Item;
import io.holdfast.cluster.entry.Rules;
import io.holdfast.driver.Caps;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Settings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

@DisplayName("What is counted for a client of this node")
class ClientUsageTest {
    private static final long LONG = 1_000_000_000_000L;
    private static final long SESSION = SessionIds.of(1, 1);
    private static final long OTHER = SessionIds.of(1, 2);
    private static final Rules RULES = new Rules(new Settings(0, 0, true), Caps.NONE, LONG, 0);

    private final ClientUsage client = new ClientUsage();
    private final Replica replica =
            new Replica(RULES, MemoryBudgets.UNLIMITED, _ -> client, new Silent());

    private void lock(long session, long sequence, String key) {
        replica.apply(
                1,
                0,
                new Entry.Batch(
                        1,
                        sequence,
                        List.of(
                                new Item.Introduce(session, "test", "client", true),
                                new Item.Ask(
                                        new Command.Acquire(
                                                session,
                                                sequence,
                                                Kind.MUTEX,
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
        replica.read(new DataInputStream(new ByteArrayInputStream(snapshot)), SnapshotFile.VERSION);
    }

    private void counts(Counted what, int number) {
        assertThat(number == 0 || client.isFull(what, number)).as("%s", what).isTrue();
        assertThat(client.isFull(what, number + 1)).as("%s", what).isFalse();
    }

    @Test
    void is_what_the_installed_snapshot_has_and_not_what_was_there_before() throws Exception {
        replica.apply(1, 0, new Entry.Join("n1", new UUID(1, 1), new UUID(0, 1)));
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
        counts(Counted.NAME, 0); // it does not say who made them
        lock(SESSION, 4, "c");
        counts(Counted.HOLD, 3);
        counts(Counted.NAME, 1);
        install(empty);
        counts(Counted.HOLD, 0);
        counts(Counted.WAIT, 0);
        counts(Counted.NAME, 0);
    }

    private static final class Silent implements Outlet {
        @Override
        public void effect(Effect effect) {}

        @Override
        public void applied(Item item, @Nullable Effect answer) {}

        @Override
        public void batchBegins(long stint, long sequence) {}

        @Override
        public void batchApplied(long stint, long sequence) {}

        @Override
        public void joined(String node, UUID nonce, long stint) {}

        @Override
        public void turnedAway(String node, UUID nonce, String reason) {}

        @Override
        public void ended(long session) {}

        @Override
        public void stintEnded(long stint) {}

        @Override
        public void replaced() {}
    }
}
