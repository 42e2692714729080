package io.holdfast.cluster.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

@DisplayName("A batch")
class BatchForwarderTest {
    private static final int KIB = 1024;

    /** The maximum length of a key, and of a value, of any protocol. */
    private static final int MAX_BYTES = 64 * KIB;

    private static final long MILLI = 1_000_000;
    private static final long INCARNATION = 1 << 20;

    private long now;
    private final List<byte[]> proposed = new ArrayList<>();
    private final BatchForwarder forwarder =
            new BatchForwarder(new RecordingLog(), () -> now, () -> {});

    private final class RecordingLog implements ReplicatedLog {
        @Override
        public void propose(byte[] entry, Consumer<Boolean> outcome) {
            proposed.add(entry);
        }

        @Override
        public void reconnectToLeader() {}

        @Override
        public Set<UUID> holdMembers() {
            return Set.of();
        }

        @Override
        public void releaseMembers() {}

        @Override
        public boolean isLeader() {
            return false;
        }

        @Override
        public boolean isAlone() {
            return false;
        }

        @Override
        public long term() {
            return 1;
        }

        @Override
        public long dueNanos() {
            return 0;
        }
    }

    private void add(BatchItem item) {
        forwarder.add(new PendingBatchItem(item, null, Long.MAX_VALUE));
    }

    private static BatchItem set(int keyBytes, int valueBytes) {
        return new BatchItem.Submit(
                new Command.Data(
                        INCARNATION,
                        1,
                        Key.of("k".repeat(keyBytes)),
                        new DataOperation.SetValue(ByteString.of(new byte[valueBytes]), 0)));
    }

    /** Proposes all items, one batch at a time. */
    private List<Integer> sizes() {
        forwarder.flush();
        for (int applied = 0; applied < proposed.size(); ) {
            forwarder.applied(INCARNATION, ++applied);
            forwarder.flush();
        }
        assertThat(forwarder.isEmpty()).isTrue();
        return proposed.stream().map(entry -> entry.length).toList();
    }

    @Test
    void the_largest_item_is_a_batch_that_fits_into_a_log_entry() {
        forwarder.begin(INCARNATION, 0);
        add(set(MAX_BYTES, MAX_BYTES));
        add(set(MAX_BYTES, MAX_BYTES));
        assertThat(sizes()).hasSize(2).allMatch(size -> size < 130 * KIB);
    }

    @Test
    void items_are_collected_up_to_the_limit() {
        forwarder.begin(INCARNATION, 0);
        for (int i = 0; i < 20; i++) {
            add(set(10 * KIB, 30 * KIB));
            add(
                    new BatchItem.Emit(
                            INCARNATION,
                            1,
                            Key.of("c".repeat(10 * KIB)),
                            ByteString.of(new byte[30 * KIB])));
            add(
                    new BatchItem.Listen(
                            INCARNATION,
                            1,
                            Key.of("p".repeat(20 * KIB)),
                            ByteString.of(new byte[20 * KIB])));
        }
        assertThat(sizes().subList(1, 20)).allMatch(size -> size > 100 * KIB && size < 128 * KIB);
    }

    @Test
    void a_batch_that_was_proposed_again_is_given_more_time() {
        forwarder.begin(INCARNATION, now);
        add(set(1, 1));
        forwarder.flush();
        now += 501 * MILLI;
        assertThat(forwarder.resendIfSilent(now)).isTrue();
        forwarder.flush();
        now += 1000 * MILLI;
        assertThat(forwarder.resendIfSilent(now)).isFalse();
        now++;
        assertThat(forwarder.resendIfSilent(now)).isTrue();
        forwarder.flush();
        assertThat(proposed).hasSize(3);
    }

    @Test
    void small_items_are_limited_in_number() {
        forwarder.begin(INCARNATION, 0);
        for (int i = 0; i < 3000; i++) {
            add(set(20, 0));
        }
        assertThat(sizes()).hasSize(3).allMatch(size -> size < 128 * KIB);
    }
}
