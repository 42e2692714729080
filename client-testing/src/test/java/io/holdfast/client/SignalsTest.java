package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.Signals.Gap;
import io.holdfast.client.Signals.Message;
import io.holdfast.client.Signals.Signal;
import io.holdfast.client.testing.FakeHoldfast;

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
    private final List<Signal> received = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        fake.close();
    }

    private void deliverAll() {
        fake.advance(Duration.ZERO);
    }

    @Test
    void signals_reach_listeners_with_a_matching_pattern_in_order() {
        try (var subscription = a.signals().listen("orders.*", received::add)) {
            assertThat(b.signals().send("orders.new", "1")).isEqualTo(1);
            assertThat(b.signals().send("orders.new.deep", "2")).isZero();
            assertThat(b.signals().send("orders.old", "two words")).isEqualTo(1);
            deliverAll();
            assertThat(received)
                    .containsExactly(
                            new Message("orders.new", "1"), new Message("orders.old", "two words"));
            assertThat(subscription.pattern()).isEqualTo("orders.*");
            assertThat(subscription.dropped()).isZero();
        }
        assertThat(b.signals().send("orders.new", "3")).isZero();
    }

    @Test
    void a_signal_goes_to_one_member_of_a_queue_group() {
        var other = new CopyOnWriteArrayList<Signal>();
        a.signals().listen("jobs.>", "workers", received::add);
        b.signals().listen("jobs.>", "workers", other::add);
        for (int i = 0; i < 4; i++) {
            assertThat(a.signals().send("jobs.x", "n" + i)).isEqualTo(1);
        }
        deliverAll();
        assertThat(received).hasSize(2);
        assertThat(other).hasSize(2);
    }

    @Test
    void signals_resume_after_a_reconnect_with_a_gap_notice() {
        a.signals().listen("c", received::add);
        fake.disconnect(a);
        assertThat(b.signals().send("c", "missed")).isZero();
        fake.reconnect(a);
        b.signals().send("c", "heard");
        deliverAll();
        assertThat(received).containsExactly(new Gap(), new Message("c", "heard"));
    }

    @Test
    void a_signal_stream_can_be_iterated_until_it_is_closed() throws Exception {
        var stream = a.signals().stream("c");
        b.signals().send("c", "1");
        b.signals().send("c", "2");
        var reading =
                Background.run(
                        () -> {
                            var all = new ArrayList<Signal>();
                            for (var signal : stream) {
                                all.add(signal);
                                received.add(signal);
                            }
                            return all;
                        });
        Background.until(() -> received.size() == 2);
        stream.close();
        assertThat(reading.get()).containsExactly(new Message("c", "1"), new Message("c", "2"));
    }

    @Test
    void a_full_stream_drops_the_oldest_signals_and_counts_them() {
        var stream = a.signals().stream("c");
        for (int i = 0; i < 1030; i++) {
            b.signals().send("c", "n" + i);
        }
        assertThat(stream.dropped()).isEqualTo(6);
        assertThat(stream.iterator().next()).isEqualTo(new Message("c", "n6"));
        stream.close();
    }

    @Test
    void a_slow_listener_does_not_delay_others() throws Exception {
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
        a.signals().listen("c", received::add);
        assertThat(b.signals().send("c", "1")).isEqualTo(1);
        Background.until(() -> received.size() == 1);
        gate.countDown();
    }

    @Test
    void invalid_patterns_channels_and_payloads_are_rejected() {
        assertThatThrownBy(() -> a.signals().listen("a.>.b", received::add))
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
