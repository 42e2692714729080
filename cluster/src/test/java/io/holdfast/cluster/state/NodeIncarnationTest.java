package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

@DisplayName("A node incarnation")
class NodeIncarnationTest {
    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(new EngineSettings(0, 0, true), KeyCountLimits.NONE, 10, 0);

    private final List<Long> begun = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private final Replica replica = new Replica(RULES, MemoryBudgets.UNLIMITED, new Recorder());

    private void begin(long nonce) {
        replica.apply(1, EntryTime.of(0), new LogEntry.BeginIncarnation("n1", new UUID(0, nonce)));
    }

    @Test
    void an_incarnation_begins_once_for_one_nonce() {
        begin(1);
        begin(1);
        assertThat(begun).containsExactly(1L, 1L);
        assertThat(ended).isEmpty();
    }

    @Test
    void a_delayed_entry_begins_another_incarnation_and_the_node_is_notified() {
        begin(1);
        begin(2);
        begin(1);
        assertThat(begun).containsExactly(1L, 2L, 3L);
        assertThat(ended).containsExactly(1L, 2L);
    }

    private void register(long incarnation, long sequence, long atNanos) {
        long session = SessionIdEncoding.of(incarnation, 1);
        replica.apply(
                1,
                EntryTime.of(atNanos),
                new LogEntry.Batch(
                        incarnation,
                        sequence,
                        List.of(new BatchItem.RegisterSession(session, "test", "client", false))));
    }

    private void tick(long atNanos) {
        replica.apply(1, EntryTime.of(atNanos), new LogEntry.Tick());
    }

    @Test
    void an_incarnation_ends_after_the_session_timeout_without_contact() {
        begin(1);
        replica.apply(1, EntryTime.of(0), new LogEntry.BeginIncarnation("n2", new UUID(0, 2)));
        register(1, 1, 1);
        tick(10);
        assertThat(ended).isEmpty();
        assertThat(replica.nextDueNanos()).isEqualTo(11);
        tick(11);
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void an_incarnation_does_not_end_while_expiries_are_held_back() {
        begin(1);
        replica.apply(1, EntryTime.of(0), new LogEntry.BeginIncarnation("n2", new UUID(0, 2)));
        register(1, 1, 1);
        replica.apply(1, new EntryTime(1000, 10), new LogEntry.Tick());
        assertThat(ended).isEmpty();
        replica.apply(1, new EntryTime(1001, 11), new LogEntry.Tick());
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void an_incarnation_does_not_time_out_while_no_other_node_serves() {
        begin(1);
        register(1, 1, 1);
        tick(1000);
        assertThat(ended).isEmpty();
        assertThat(replica.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
        register(1, 2, 1001);
        replica.apply(1, EntryTime.of(1002), new LogEntry.BeginIncarnation("n2", new UUID(0, 2)));
        tick(1010);
        assertThat(ended).isEmpty();
        tick(1011);
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void an_incarnation_of_a_replaced_process_ends_after_the_session_timeout() {
        begin(1);
        register(1, 1, 1);
        begin(2);
        tick(10);
        assertThat(ended).isEmpty();
        tick(11);
        assertThat(ended).containsExactly(1L);
    }

    private final class Recorder implements ReplicaListener {
        @Override
        public void onIncarnationBegun(String node, UUID nonce, long incarnation) {
            begun.add(incarnation);
        }

        @Override
        public void onIncarnationEnded(long incarnation) {
            ended.add(incarnation);
        }

        @Override
        public void onEffect(Effect effect) {}

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {}

        @Override
        public void onBatchStart(long incarnation, long sequence) {}

        @Override
        public void onBatchApplied(long incarnation, long sequence) {}

        @Override
        public void onSessionEnded(long session) {}

        @Override
        public void onStateReplaced() {}
    }
}
