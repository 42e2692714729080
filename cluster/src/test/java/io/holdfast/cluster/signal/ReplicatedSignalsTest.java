package io.holdfast.cluster.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.signal.SignalReplicas.NodeListener;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

@DisplayName("When several nodes apply the same entries,")
class ReplicatedSignalsTest {
    private final SignalReplicas signalReplicas = new SignalReplicas(3);
    private final NodeListener ann = signalReplicas.connect(0);
    private final NodeListener bob = signalReplicas.connect(1);
    private final NodeListener cid = signalReplicas.connect(2);

    @Test
    void a_signal_reaches_the_listeners_of_every_node_once() {
        signalReplicas.listen(ann, "news", "");
        signalReplicas.listen(bob, "*", "");
        signalReplicas.listen(bob, "news", "");
        signalReplicas.listen(cid, "other", "");
        assertThat(signalReplicas.emit(cid, "news", "hello")).isEqualTo(2);
        assertThat(ann.received()).containsExactly("news hello");
        assertThat(bob.received()).containsExactly("news hello");
        assertThat(cid.received()).isEmpty();
    }

    @Test
    void the_members_of_a_queue_group_get_signals_in_turn_across_nodes() {
        for (NodeListener nodeListener : signalReplicas.listeners()) {
            signalReplicas.listen(nodeListener, "jobs.>", "workers");
        }
        for (int i = 0; i < 6; i++) {
            assertThat(signalReplicas.emit(ann, "jobs.x", String.valueOf(i))).isEqualTo(1);
        }
        assertThat(ann.received()).containsExactly("jobs.x 0", "jobs.x 3");
        assertThat(bob.received()).containsExactly("jobs.x 1", "jobs.x 4");
        assertThat(cid.received()).containsExactly("jobs.x 2", "jobs.x 5");
    }

    @Test
    void a_full_listener_does_not_change_which_listeners_are_chosen() {
        signalReplicas.listen(ann, "jobs", "workers");
        signalReplicas.listen(bob, "jobs", "workers");
        ann.setFull(true);
        assertThat(signalReplicas.emit(cid, "jobs", "1")).isEqualTo(1);
        assertThat(signalReplicas.emit(cid, "jobs", "2")).isEqualTo(1);
        assertThat(ann.overruns()).isEqualTo(1);
        assertThat(ann.received()).isEmpty();
        assertThat(bob.received()).containsExactly("jobs 2");
    }

    @Test
    void a_detached_listener_counts_until_its_session_ends_in_the_log() {
        signalReplicas.listen(ann, "news", "");
        signalReplicas.state(0).detach(ann.session());
        assertThat(signalReplicas.emit(bob, "news", "1")).isEqualTo(1);
        signalReplicas.end(ann);
        assertThat(signalReplicas.emit(bob, "news", "2")).isZero();
        assertThat(ann.received()).isEmpty();
        assertThat(signalReplicas.state(1).listeners()).isZero();
    }

    @Test
    void no_signal_is_delivered_after_unlisten() {
        signalReplicas.listen(ann, "news", "");
        assertThat(signalReplicas.unlisten(ann, "news", "")).isInstanceOf(Effect.Changed.class);
        assertThat(signalReplicas.unlisten(ann, "news", "")).isInstanceOf(Effect.Changed.class);
        assertThat(signalReplicas.emit(bob, "news", "1")).isZero();
    }

    @Test
    void a_session_has_no_more_subscriptions_than_the_limit() {
        signalReplicas.limit(1);
        assertThat(signalReplicas.listen(ann, "a", "")).isInstanceOf(Effect.Changed.class);
        assertThat(signalReplicas.listen(ann, "a", "")).isInstanceOf(Effect.Changed.class);
        assertThat(signalReplicas.listen(ann, "b", ""))
                .isInstanceOfSatisfying(
                        Effect.Refused.class,
                        refused ->
                                assertThat(refused.reason()).isEqualTo(Refusal.TOO_MANY_ENTRIES));
        signalReplicas.restore(0);
        assertThat(signalReplicas.listen(ann, "b", "")).isInstanceOf(Effect.Refused.class);
        signalReplicas.limit(2);
        assertThat(signalReplicas.listen(ann, "b", "")).isInstanceOf(Effect.Changed.class);
    }

    @Test
    void the_sessions_of_an_incarnation_end_in_slices() {
        NodeListener dan = signalReplicas.connect(0);
        for (String pattern : List.of("a", "b", "c")) {
            signalReplicas.listen(ann, pattern, "");
            signalReplicas.listen(dan, pattern, "");
            signalReplicas.listen(bob, pattern, "");
        }
        ReplicatedSignals state = signalReplicas.state(2);
        long first = 1L << 32;
        long last = (2L << 32) - 1;
        assertThat(state.endSome(first, last, 4)).isTrue();
        assertThat(state.listeners()).isEqualTo(5);
        assertThat(state.endSome(first, last, 2)).isFalse();
        assertThat(state.endSome(first, last, 2)).isFalse();
        assertThat(state.listeners()).isEqualTo(3);
    }

    @Test
    void the_subscriptions_of_a_session_end_in_one_order_after_a_snapshot_too() {
        signalReplicas.listen(bob, "a", "");
        signalReplicas.listen(ann, "b", "");
        signalReplicas.listen(ann, "a", "");
        signalReplicas.restore(0);
        for (int node = 0; node < 3; node++) {
            ReplicatedSignals state = signalReplicas.state(node);
            assertThat(state.endSome(ann.session(), ann.session(), 1)).isTrue();
            assertThat(state.hash()).isEqualTo(signalReplicas.state(0).hash());
        }
    }

    @Test
    void every_node_lists_the_listeners_of_all_nodes() {
        signalReplicas.listen(ann, "a", "g");
        signalReplicas.listen(bob, "a", "g");
        assertThat(signalReplicas.state(2).list().next())
                .containsExactly(new ChannelView(Key.of("a"), ByteString.of("g"), 2));
    }

    @Test
    void attached_listeners_still_get_signals_after_a_snapshot_was_read() {
        signalReplicas.listen(ann, "news", "");
        signalReplicas.restore(0);
        signalReplicas.emit(bob, "news", "1");
        assertThat(ann.received()).containsExactly("news 1");
    }

    @Test
    void queue_groups_are_served_in_the_order_of_their_creation_after_a_snapshot_too() {
        signalReplicas.listen(ann, "c", "first"); // creates the group and leaves it later
        signalReplicas.listen(bob, "c", "second");
        signalReplicas.listen(ann, "c", "second");
        signalReplicas.listen(bob, "c", "first");
        signalReplicas.unlisten(ann, "c", "first");
        signalReplicas.restore(1);
        // Bob is the only member of the first group, so Ann must be chosen from the second.
        assertThat(signalReplicas.emit(cid, "c", "1")).isEqualTo(2);
        assertThat(bob.received()).containsExactly("c 1");
        assertThat(ann.received()).containsExactly("c 1");
    }

    @Test
    void damaged_bytes_are_refused_and_change_nothing() {
        signalReplicas.listen(ann, "news", "");
        byte[] good = signalReplicas.written();
        ReplicatedSignals state = signalReplicas.state(0);
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> read(state, cut)).isInstanceOf(IOException.class);
        }
        byte[] newer = good.clone();
        newer[3]++;
        assertThatThrownBy(() -> read(state, newer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
        assertThat(signalReplicas.written()).isEqualTo(good);
    }

    private static void read(ReplicatedSignals state, byte[] bytes) throws IOException {
        state.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
