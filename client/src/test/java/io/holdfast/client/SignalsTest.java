package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.Signals.Gap;
import io.holdfast.client.Signals.Message;
import io.holdfast.client.Signals.Signal;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

@DisplayName("Signals")
class SignalsTest {
    private final FakeHoldfast fake = new FakeHoldfast();
    private final Holdfast a = fake.client("a");
    private final Holdfast b = fake.client("b");
    private final List<Signal> got = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        fake.close();
    }

    private void settle() {
        fake.advance(Duration.ZERO);
    }

    @Test
    void reach_those_whose_pattern_matches_in_order() {
        try (var subscription = a.signals().listen("orders.*", got::add)) {
            assertThat(b.signals().send("orders.new", "1")).isEqualTo(1);
            assertThat(b.signals().send("orders.new.deep", "2")).isZero();
            assertThat(b.signals().send("orders.old", "two words")).isEqualTo(1);
            settle();
            assertThat(got)
                    .containsExactly(
                            new Message("orders.new", "1"), new Message("orders.old", "two words"));
            assertThat(subscription.pattern()).isEqualTo("orders.*");
            assertThat(subscription.dropped()).isZero();
        }
        assertThat(b.signals().send("orders.new", "3")).isZero();
    }

    @Test
    void go_to_one_of_a_group() {
        var other = new CopyOnWriteArrayList<Signal>();
        a.signals().listen("jobs.>", "workers", got::add);
        b.signals().listen("jobs.>", "workers", other::add);
        for (int i = 0; i < 4; i++) {
            assertThat(a.signals().send("jobs.x", "n" + i)).isEqualTo(1);
        }
        settle();
        assertThat(got).hasSize(2);
        assertThat(other).hasSize(2);
    }

    @Test
    void come_again_after_a_reconnect_with_a_notice_of_the_gap() {
        a.signals().listen("c", got::add);
        fake.disconnect(a);
        assertThat(b.signals().send("c", "missed")).isZero();
        fake.reconnect(a);
        b.signals().send("c", "heard");
        settle();
        assertThat(got).containsExactly(new Gap(), new Message("c", "heard"));
    }

    @Test
    void can_be_read_by_an_iterator_that_ends_when_closed() throws Exception {
        var stream = a.signals().stream("c");
        b.signals().send("c", "1");
        b.signals().send("c", "2");
        var reading =
                Background.run(
                        () -> {
                            var all = new ArrayList<Signal>();
                            for (var signal : stream) {
                                all.add(signal);
                                got.add(signal);
                            }
                            return all;
                        });
        Background.until(() -> got.size() == 2);
        stream.close();
        assertThat(reading.get()).containsExactly(new Message("c", "1"), new Message("c", "2"));
    }

    @Test
    void push_out_the_oldest_when_nobody_takes_them_and_count_those() {
        var stream = a.signals().stream("c");
        for (int i = 0; i < 1030; i++) {
            b.signals().send("c", "n" + i);
        }
        assertThat(stream.dropped()).isEqualTo(6);
        assertThat(stream.iterator().next()).isEqualTo(new Message("c", "n6"));
        stream.close();
    }

    @Test
    void that_are_handled_slowly_hold_up_nobody_else() throws Exception {
        var gate = new CountDownLatch(1);
        a.signals()
                .listen(
                        "c",
                        signal -> {
                            try {
                                gate.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        a.signals().listen("c", got::add);
        assertThat(b.signals().send("c", "1")).isEqualTo(1);
        Background.until(() -> got.size() == 1);
        gate.countDown();
    }

    @Test
    void with_bad_patterns_or_payloads_are_refused() {
        assertThatThrownBy(() -> a.signals().listen("a.>.b", got::add))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("a.>.b");
        assertThatThrownBy(() -> a.signals().send("a.*", "x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a.signals().send("a", "x\nr\nk\ntoken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payload");
        assertThatThrownBy(() -> a.signals().send("a", "  "))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
