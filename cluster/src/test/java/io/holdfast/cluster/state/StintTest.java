package io.holdfast.cluster.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.Item;
import io.holdfast.cluster.entry.Rules;
import io.holdfast.driver.Caps;
import io.holdfast.driver.MemoryBudgets;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Settings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

@DisplayName("A stint")
class StintTest {
    private static final UUID DATA = new UUID(1, 1);
    private static final Rules RULES = new Rules(new Settings(0, 0, true), Caps.NONE, 10, 0);

    private final List<Long> begun = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private final Replica replica = new Replica(RULES, MemoryBudgets.UNLIMITED, new Recorder());

    private void join(long nonce) {
        replica.apply(1, 0, new Entry.Join("n1", DATA, new UUID(0, nonce)));
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
        long session = SessionIds.of(stint, 1);
        replica.apply(
                1,
                atNanos,
                new Entry.Batch(
                        stint,
                        sequence,
                        List.of(new Item.Introduce(session, "test", "client", false))));
    }

    private void tick(long atNanos) {
        replica.apply(1, atNanos, new Entry.Tick());
    }

    @Test
    void ends_when_its_node_was_silent_for_too_long() {
        join(1);
        replica.apply(1, 0, new Entry.Join("n2", DATA, new UUID(0, 2)));
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
        replica.apply(1, 1002, new Entry.Join("n2", DATA, new UUID(0, 2)));
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

    private final class Recorder implements Outlet {
        @Override
        public void joined(String node, UUID nonce, long stint) {
            begun.add(stint);
        }

        @Override
        public void stintEnded(long stint) {
            ended.add(stint);
        }

        @Override
        public void effect(Effect effect) {}

        @Override
        public void applied(Item item, @Nullable Effect answer) {}

        @Override
        public void batchBegins(long stint, long sequence) {}

        @Override
        public void batchApplied(long stint, long sequence) {}

        @Override
        public void turnedAway(String node, UUID nonce, String reason) {}

        @Override
        public void ended(long session) {}

        @Override
        public void replaced() {}
    }
}
