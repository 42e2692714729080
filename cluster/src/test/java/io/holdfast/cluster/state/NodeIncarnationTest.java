package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.KeyLimits;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

@DisplayName("A stint")
class NodeIncarnationTest {
    private static final UUID DATA = new UUID(1, 1);
    private static final ReplicatedSettings RULES =
            new ReplicatedSettings(new EngineSettings(0, 0, true), KeyLimits.NONE, 10, 0);

    private final List<Long> begun = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private final Replica replica = new Replica(RULES, MemoryBudgets.UNLIMITED, new Recorder());

    private void join(long nonce) {
        replica.apply(1, 0, new LogEntry.BeginIncarnation("n1", DATA, new UUID(0, nonce)));
    }

    @Test
    void begins_once_for_one_nonce() {
        join(1);
        join(1);
        assertThat(begun).containsExactly(1L, 1L);
        assertThat(ended).isEmpty();
    }

    @Test
    void tells_its_node_when_a_late_entry_puts_another_in_its_place() {
        join(1);
        join(2);
        join(1);
        assertThat(begun).containsExactly(1L, 2L, 3L);
        assertThat(ended).containsExactly(1L, 2L);
    }

    private void introduce(long stint, long sequence, long atNanos) {
        long session = SessionIdEncoding.of(stint, 1);
        replica.apply(
                1,
                atNanos,
                new LogEntry.Batch(
                        stint,
                        sequence,
                        List.of(new BatchItem.RegisterSession(session, "test", "client", false))));
    }

    private void tick(long atNanos) {
        replica.apply(1, atNanos, new LogEntry.Tick());
    }

    @Test
    void ends_when_its_node_was_silent_for_too_long() {
        join(1);
        replica.apply(1, 0, new LogEntry.BeginIncarnation("n2", DATA, new UUID(0, 2)));
        introduce(1, 1, 1);
        tick(10);
        assertThat(ended).isEmpty();
        assertThat(replica.nextDueNanos()).isEqualTo(11);
        tick(11);
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void does_not_end_by_silence_while_no_other_node_serves() {
        join(1);
        introduce(1, 1, 1);
        tick(1000);
        assertThat(ended).isEmpty();
        assertThat(replica.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
        introduce(1, 2, 1001);
        replica.apply(1, 1002, new LogEntry.BeginIncarnation("n2", DATA, new UUID(0, 2)));
        tick(1010);
        assertThat(ended).isEmpty();
        tick(1011);
        assertThat(ended).containsExactly(1L);
    }

    @Test
    void ends_when_its_process_was_followed_by_another_and_the_session_timeout_is_over() {
        join(1);
        introduce(1, 1, 1);
        join(2);
        tick(10);
        assertThat(ended).isEmpty();
        tick(11);
        assertThat(ended).containsExactly(1L);
    }

    private final class Recorder implements ReplicaListener {
        @Override
        public void onIncarnationBegun(String node, UUID nonce, long stint) {
            begun.add(stint);
        }

        @Override
        public void onIncarnationEnded(long stint) {
            ended.add(stint);
        }

        @Override
        public void onEffect(Effect effect) {}

        @Override
        public void onItemApplied(BatchItem batchItem, @Nullable Effect answer) {}

        @Override
        public void onBatchStart(long stint, long sequence) {}

        @Override
        public void onBatchApplied(long stint, long sequence) {}

        @Override
        public void onIncarnationRejected(String node, UUID nonce, String reason) {}

        @Override
        public void onSessionEnded(long session) {}

        @Override
        public void onStateReplaced() {}
    }
}
