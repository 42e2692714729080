package io.holdfast.server.dflockd;

import static io.holdfast.server.dflockd.PushQueue.Readiness.BUSY;
import static io.holdfast.server.dflockd.PushQueue.Readiness.READY;
import static io.holdfast.server.dflockd.PushQueue.Readiness.SOCKET_FULL;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.signal.Signal;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

@DisplayName("The queue of pushed lines")
class PushQueueTest {
    private static final Key CHANNEL = key("a");

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final PushBudget budget = new PushBudget(1_000_000);
    private int wakeUps;
    private int disconnects;
    private PushQueue queue = queue(1000);

    private PushQueue queue(long maxBytes) {
        return new PushQueue(
                allocator,
                channel.eventLoop(),
                budget,
                maxBytes,
                () -> wakeUps++,
                () -> disconnects++);
    }

    private static Key key(String name) {
        return Key.of(Namespace.DEFAULT, name.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteString text(String text) {
        return ByteString.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private PushLine line(String payload, int receivers) {
        return new PushLine(allocator, CHANNEL, text(payload), receivers, budget);
    }

    /** A line has 7 more bytes: sig, a, spaces and the line feed. */
    private void deliver(int count, int bytesEach) {
        for (int i = 0; i < count; i++) {
            queue.deliver(line("x".repeat(bytesEach - 7), 1));
        }
    }

    /** The event loop polls while the socket is full. */
    private void stall() {
        channel.runPendingTasks();
        assertThat(queue.poll(SOCKET_FULL)).isNull();
    }

    private static String written(@Nullable PushLine line) {
        if (line == null) {
            return "";
        }
        ByteBuf out = Unpooled.buffer();
        line.copyTo(out);
        line.release();
        return out.toString(StandardCharsets.US_ASCII);
    }

    @AfterEach
    void nothing_is_left() {
        queue.close();
        assertThat(budget.usedBytes()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void pushed_lines_are_written_in_order() {
        queue.deliver(line("one", 1));
        queue.deliver(line("two", 1));
        assertThat(written(queue.poll(READY))).isEqualTo("sig a one\n");
        queue.deliver(line("three", 1));
        assertThat(written(queue.poll(READY))).isEqualTo("sig a two\n");
        assertThat(written(queue.poll(READY))).isEqualTo("sig a three\n");
        assertThat(queue.poll(READY)).isNull();
    }

    @Test
    void pushed_lines_wake_the_event_loop_once_until_it_has_polled_the_last() {
        deliver(3, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            written(queue.poll(READY));
        }
        deliver(1, 20); // it is still writing: the next poll returns the line
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
        written(queue.poll(READY));
        assertThat(queue.poll(READY)).isNull();
        deliver(2, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(2);
    }

    @Test
    void pushed_lines_do_not_wake_the_event_loop_while_the_socket_is_full() {
        deliver(1, 20);
        stall();
        deliver(5, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
        for (int i = 0; i < 6; i++) {
            assertThat(written(queue.poll(READY))).isNotEmpty();
        }
        assertThat(queue.poll(READY)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(2);
    }

    @Test
    void a_line_wakes_the_event_loop_if_the_queue_was_empty_when_the_socket_was_full() {
        assertThat(queue.poll(SOCKET_FULL)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
    }

    @Test
    void the_queue_is_never_full_while_the_socket_is_writable() {
        deliver(300, 100);
        assertThat(queue.isFull()).isFalse();
        channel.runPendingTasks();
        for (PushLine line = queue.poll(READY); line != null; line = queue.poll(READY)) {
            line.release();
        }
        deliver(300, 100);
        assertThat(queue.isFull()).isFalse();
    }

    @Test
    void the_queue_is_not_full_once_some_lines_are_written_though_the_iteration_ends() {
        deliver(1, 100);
        stall();
        deliver(300, 100);
        assertThat(queue.isFull()).isTrue();
        assertThat(written(queue.poll(READY))).isNotEmpty();
        queue.pause();
        assertThat(queue.isFull()).isFalse();
        deliver(1, 100); // the event loop continues by itself
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
    }

    @Test
    void the_queue_is_never_full_below_64_lines() {
        queue = queue(1);
        deliver(1, 100);
        stall();
        deliver(62, 100);
        assertThat(queue.isFull()).isFalse();
        deliver(1, 100);
        assertThat(queue.isFull()).isTrue();
        written(queue.poll(READY));
        assertThat(queue.isFull()).isFalse();
    }

    @Test
    void the_queue_is_full_beyond_its_limit_of_bytes() {
        deliver(1, 10);
        stall();
        deliver(99, 10);
        assertThat(queue.isFull()).isFalse();
        deliver(1, 10);
        assertThat(queue.isFull()).isTrue();
        written(queue.poll(READY));
        assertThat(queue.isFull()).isFalse();
    }

    @Test
    void the_queue_without_a_limit_takes_as_much_as_memory_allows() {
        queue = queue(0);
        deliver(1, 100);
        stall();
        deliver(1000, 100);
        assertThat(queue.isFull()).isFalse();
    }

    /** The write task has not run yet. */
    @Test
    void the_queue_is_not_full_while_a_response_is_written() {
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(queue.poll(BUSY)).isNull();
        deliver(500, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
        assertThat(queue.isFull()).isFalse();
        assertThat(queue.poll(SOCKET_FULL)).isNull();
        assertThat(queue.isFull()).isTrue();
    }

    @Test
    void lines_are_polled_after_a_pause_without_another_wake_up() {
        deliver(2, 20);
        channel.runPendingTasks();
        written(queue.poll(READY));
        queue.pause();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
        written(queue.poll(READY));
        written(queue.poll(READY));
        assertThat(queue.poll(READY)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(2);
    }

    @Test
    void the_slowest_listener_is_disconnected_when_memory_gets_tight() {
        queue.close();
        queue = queue(0);
        List<String> disconnected = new ArrayList<>();
        PushQueue less = named("less", disconnected);
        PushQueue slowest = named("most", disconnected);
        PushQueue inFlight = named("in flight", disconnected);
        for (PushQueue each : List.of(less, slowest)) {
            each.deliver(line("x".repeat(1000), 1));
            assertThat(each.poll(SOCKET_FULL)).isNull();
        }
        less.deliver(line("x".repeat(100_000), 1));
        slowest.deliver(line("x".repeat(120_000), 1));
        inFlight.addInFlight(110_000);
        channel.runPendingTasks();
        assertThat(disconnected).isEmpty();

        PushLine much = line("x".repeat(250_000), 1);
        PushLine more = line("x".repeat(60_000), 1);

        channel.runPendingTasks();
        assertThat(disconnected).containsExactly("most");
        assertThat(slowest.isFull()).isTrue();
        assertThat(less.isFull()).isFalse();
        slowest.close();
        PushLine evenMore = line("x".repeat(150_000), 1);
        channel.runPendingTasks();
        assertThat(disconnected).containsExactly("most", "in flight");
        inFlight.addInFlight(-110_000);
        for (PushLine line : List.of(much, more, evenMore)) {
            line.release();
        }
        less.close();
        inFlight.close();
    }

    private PushQueue named(String name, List<String> disconnected) {
        return new PushQueue(
                allocator, channel.eventLoop(), budget, 0, () -> {}, () -> disconnected.add(name));
    }

    @Test
    void a_full_queue_disconnects_its_listener_once() {
        queue.overrun();
        queue.overrun();
        assertThat(queue.isFull()).isTrue();
        channel.runPendingTasks();
        assertThat(disconnects).isEqualTo(1);
        queue.close();
        queue.overrun();
        channel.runPendingTasks();
        assertThat(disconnects).isEqualTo(1);
    }

    @Test
    void lines_are_released_when_the_connection_ends_and_no_more_are_accepted() {
        deliver(10, 100);
        channel.runPendingTasks();
        queue.close();
        assertThat(budget.usedBytes()).isZero();
        assertThat(queue.isFull()).isTrue();
        deliver(1, 100); // its recipients were chosen before
        assertThat(budget.usedBytes()).isZero();
        assertThat(queue.poll(READY)).isNull();
        channel.runPendingTasks();
        assertThat(wakeUps).isEqualTo(1);
    }

    @Test
    void a_shared_line_is_released_by_its_last_recipient() {
        PushQueue second = queue(1000);
        PushQueue closed = queue(1000);
        closed.close();
        PushLine shared = line("x".repeat(5000), 3);
        for (PushQueue each : List.of(queue, second, closed)) {
            each.deliver(shared);
        }
        assertThat(budget.usedBytes()).isBetween(5007L, 6000L);
        ByteBuf bytes = shared.share();
        assertThat(written(queue.poll(READY))).hasSize(5007);
        assertThat(budget.usedBytes()).isBetween(5007L, 6000L);
        second.close();
        assertThat(budget.usedBytes()).isZero();
        assertThat(bytes.toString(StandardCharsets.US_ASCII)).hasSize(5007).startsWith("sig a x");
        bytes.release();
    }

    /** Like the signals of another protocol's emitter. */
    @Test
    void signals_of_another_type_are_queued_too() {
        List<String> released = new ArrayList<>();
        queue.deliver(
                new Signal() {
                    @Override
                    public Key channel() {
                        return key("b");
                    }

                    @Override
                    public ByteString payload() {
                        return text("foreign");
                    }

                    @Override
                    public void release() {
                        released.add("once");
                    }
                });
        assertThat(released).containsExactly("once");
        assertThat(written(queue.poll(READY))).isEqualTo("sig b foreign\n");
    }
}
