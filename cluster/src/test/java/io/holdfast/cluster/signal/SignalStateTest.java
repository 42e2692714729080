package io.holdfast.cluster.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.signal.Nodes.Person;
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

@DisplayName("When several nodes are told the same,")
class SignalStateTest {
    private final Nodes nodes = new Nodes(3);
    private final Person ann = nodes.connect(0);
    private final Person bob = nodes.connect(1);
    private final Person cid = nodes.connect(2);

    @Test
    void a_signal_reaches_those_who_listen_on_every_node_once() {
        nodes.listen(ann, "news", "");
        nodes.listen(bob, "*", "");
        nodes.listen(bob, "news", "");
        nodes.listen(cid, "other", "");
        assertThat(nodes.emit(cid, "news", "hello")).isEqualTo(2);
        assertThat(ann.heard()).containsExactly("news hello");
        assertThat(bob.heard()).containsExactly("news hello");
        assertThat(cid.heard()).isEmpty();
    }

    @Test
    void one_of_a_group_hears_it_in_turn_whichever_node_it_is_on() {
        for (Person person : nodes.people()) {
            nodes.listen(person, "jobs.>", "workers");
        }
        for (int i = 0; i < 6; i++) {
            assertThat(nodes.emit(ann, "jobs.x", String.valueOf(i))).isEqualTo(1);
        }
        assertThat(ann.heard()).containsExactly("jobs.x 0", "jobs.x 3");
        assertThat(bob.heard()).containsExactly("jobs.x 1", "jobs.x 4");
        assertThat(cid.heard()).containsExactly("jobs.x 2", "jobs.x 5");
    }

    @Test
    void room_does_not_change_who_is_chosen() {
        nodes.listen(ann, "jobs", "workers");
        nodes.listen(bob, "jobs", "workers");
        ann.setFull(true);
        assertThat(nodes.emit(cid, "jobs", "1")).isEqualTo(1);
        assertThat(nodes.emit(cid, "jobs", "2")).isEqualTo(1);
        assertThat(ann.overruns()).isEqualTo(1);
        assertThat(ann.heard()).isEmpty();
        assertThat(bob.heard()).containsExactly("jobs 2");
    }

    @Test
    void who_is_no_longer_here_is_counted_until_the_log_says_so() {
        nodes.listen(ann, "news", "");
        nodes.state(0).detach(ann.session());
        assertThat(nodes.emit(bob, "news", "1")).isEqualTo(1);
        nodes.end(ann);
        assertThat(nodes.emit(bob, "news", "2")).isZero();
        assertThat(ann.heard()).isEmpty();
        assertThat(nodes.state(1).listeners()).isZero();
    }

    @Test
    void what_is_no_longer_listened_to_is_not_heard() {
        nodes.listen(ann, "news", "");
        assertThat(nodes.unlisten(ann, "news", "")).isInstanceOf(Effect.Changed.class);
        assertThat(nodes.unlisten(ann, "news", "")).isInstanceOf(Effect.Changed.class);
        assertThat(nodes.emit(bob, "news", "1")).isZero();
    }

    @Test
    void a_session_has_as_many_registrations_as_the_rules_allow() {
        nodes.limit(1);
        assertThat(nodes.listen(ann, "a", "")).isInstanceOf(Effect.Changed.class);
        assertThat(nodes.listen(ann, "a", "")).isInstanceOf(Effect.Changed.class);
        assertThat(nodes.listen(ann, "b", ""))
                .isInstanceOfSatisfying(
                        Effect.Refused.class,
                        refused ->
                                assertThat(refused.reason()).isEqualTo(Refusal.TOO_MANY_ENTRIES));
        nodes.restore(0);
        assertThat(nodes.listen(ann, "b", "")).isInstanceOf(Effect.Refused.class);
        nodes.limit(2);
        assertThat(nodes.listen(ann, "b", "")).isInstanceOf(Effect.Changed.class);
    }

    @Test
    void the_sessions_of_a_stint_end_in_slices() {
        Person dan = nodes.connect(0);
        for (String pattern : List.of("a", "b", "c")) {
            nodes.listen(ann, pattern, "");
            nodes.listen(dan, pattern, "");
            nodes.listen(bob, pattern, "");
        }
        SignalState state = nodes.state(2);
        long first = 1L << 32;
        long last = (2L << 32) - 1;
        assertThat(state.endSome(first, last, 4)).isTrue();
        assertThat(state.listeners()).isEqualTo(5);
        assertThat(state.endSome(first, last, 2)).isFalse();
        assertThat(state.endSome(first, last, 2)).isFalse();
        assertThat(state.listeners()).isEqualTo(3);
    }

    @Test
    void every_node_lists_all_who_listen() {
        nodes.listen(ann, "a", "g");
        nodes.listen(bob, "a", "g");
        assertThat(nodes.state(2).list().next())
                .containsExactly(new ChannelView(Key.of("a"), ByteString.of("g"), 2));
    }

    @Test
    void those_who_are_here_still_hear_after_a_snapshot_was_read() {
        nodes.listen(ann, "news", "");
        nodes.restore(0);
        nodes.emit(bob, "news", "1");
        assertThat(ann.heard()).containsExactly("news 1");
    }

    @Test
    void groups_are_asked_in_the_order_they_were_formed_after_a_snapshot_too() {
        nodes.listen(ann, "c", "first"); // forms it, and leaves it
        nodes.listen(bob, "c", "second");
        nodes.listen(ann, "c", "second");
        nodes.listen(bob, "c", "first");
        nodes.unlisten(ann, "c", "first");
        nodes.restore(1);
        // Bob is the only one of the first group, so ann has to be the one of the second.
        assertThat(nodes.emit(cid, "c", "1")).isEqualTo(2);
        assertThat(bob.heard()).containsExactly("c 1");
        assertThat(ann.heard()).containsExactly("c 1");
    }

    @Test
    void damaged_bytes_are_refused_and_change_nothing() {
        nodes.listen(ann, "news", "");
        byte[] good = nodes.written();
        SignalState state = nodes.state(0);
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> read(state, cut)).isInstanceOf(IOException.class);
        }
        byte[] newer = good.clone();
        newer[3]++;
        assertThatThrownBy(() -> read(state, newer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
        assertThat(nodes.written()).isEqualTo(good);
    }

    private static void read(SignalState state, byte[] bytes) throws IOException {
        state.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
