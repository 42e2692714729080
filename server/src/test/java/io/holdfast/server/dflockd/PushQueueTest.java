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

@DisplayName("Lines on their way to a listener")
class PushQueueTest {
    private static final Key CHANNEL = key("a");

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final PushBudget budget = new PushBudget(1_000_000);
    private int told;
    private int cutOff;
    private PushQueue queue = queue(1000);

    private PushQueue queue(long mostBytes) {
        return new PushQueue(
                allocator, channel.eventLoop(), budget, mostBytes, () -> told++, () -> cutOff++);
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

    /** A line has 7 bytes more: sig, a, blanks and the line feed. */
    private void deliver(int count, int bytesEach) {
        for (int i = 0; i < count; i++) {
            queue.deliver(line("x".repeat(bytesEach - 7), 1));
        }
    }

    /** The event loop has come, and found the socket full. */
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
    void are_written_in_the_order_they_came() {
        queue.deliver(line("one", 1));
        queue.deliver(line("two", 1));
        assertThat(written(queue.poll(READY))).isEqualTo("sig a one\n");
        queue.deliver(line("three", 1));
        assertThat(written(queue.poll(READY))).isEqualTo("sig a two\n");
        assertThat(written(queue.poll(READY))).isEqualTo("sig a three\n");
        assertThat(queue.poll(READY)).isNull();
    }

    @Test
    void wake_the_event_loop_once_until_it_has_taken_the_last() {
        deliver(3, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            written(queue.poll(READY));
        }
        deliver(1, 20); // it is still at work: the next look finds it
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
        written(queue.poll(READY));
        assertThat(queue.poll(READY)).isNull();
        deliver(2, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(2);
    }

    @Test
    void do_not_wake_the_event_loop_while_the_socket_is_full() {
        deliver(1, 20);
        stall();
        deliver(5, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
        for (int i = 0; i < 6; i++) {
            assertThat(written(queue.poll(READY))).isNotEmpty();
        }
        assertThat(queue.poll(READY)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(2);
    }

    @Test
    void wake_the_event_loop_though_the_socket_was_full_when_there_was_nothing() {
        assertThat(queue.poll(SOCKET_FULL)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
    }

    @Test
    void are_never_too_many_while_the_socket_takes_them() {
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
    void are_not_too_many_once_the_socket_takes_some_though_the_turn_ends_before_the_last() {
        deliver(1, 100);
        stall();
        deliver(300, 100);
        assertThat(queue.isFull()).isTrue();
        assertThat(written(queue.poll(READY))).isNotEmpty();
        queue.pause();
        assertThat(queue.isFull()).isFalse();
        deliver(1, 100); // the event loop goes on by itself
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
    }

    @Test
    void are_never_too_many_below_64() {
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
    void are_too_many_beyond_the_bytes_that_are_allowed() {
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
    void are_as_many_as_memory_allows_without_a_limit() {
        queue = queue(0);
        deliver(1, 100);
        stall();
        deliver(1000, 100);
        assertThat(queue.isFull()).isFalse();
    }

    /** The socket was not even tried. */
    @Test
    void are_not_too_many_while_something_else_is_written() {
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(queue.poll(BUSY)).isNull();
        deliver(500, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
        assertThat(queue.isFull()).isFalse();
        assertThat(queue.poll(SOCKET_FULL)).isNull();
        assertThat(queue.isFull()).isTrue();
    }

    @Test
    void are_looked_at_again_without_being_told_after_a_pause() {
        deliver(2, 20);
        channel.runPendingTasks();
        written(queue.poll(READY));
        queue.pause();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
        written(queue.poll(READY));
        written(queue.poll(READY));
        assertThat(queue.poll(READY)).isNull();
        deliver(1, 20);
        channel.runPendingTasks();
        assertThat(told).isEqualTo(2);
    }

    @Test
    void end_the_connection_that_is_behind_the_most_when_memory_gets_tight() {
        queue.close();
        queue = queue(0);
        List<String> cut = new ArrayList<>();
        PushQueue less = named("less", cut);
        PushQueue most = named("most", cut);
        PushQueue onItsWay = named("on its way", cut);
        for (PushQueue each : List.of(less, most)) {
            each.deliver(line("x".repeat(1000), 1));
            assertThat(each.poll(SOCKET_FULL)).isNull();
        }
        less.deliver(line("x".repeat(100_000), 1));
        most.deliver(line("x".repeat(120_000), 1));
        onItsWay.addInFlight(110_000);
        channel.runPendingTasks();
        assertThat(cut).isEmpty();

        PushLine much = line("x".repeat(250_000), 1);
        PushLine more = line("x".repeat(60_000), 1);

        channel.runPendingTasks();
        assertThat(cut).containsExactly("most");
        assertThat(most.isFull()).isTrue();
        assertThat(less.isFull()).isFalse();
        most.close();
        PushLine evenMore = line("x".repeat(150_000), 1);
        channel.runPendingTasks();
        assertThat(cut).containsExactly("most", "on its way");
        onItsWay.addInFlight(-110_000);
        for (PushLine line : List.of(much, more, evenMore)) {
            line.release();
        }
        less.close();
        onItsWay.close();
    }

    private PushQueue named(String name, List<String> cut) {
        return new PushQueue(
                allocator, channel.eventLoop(), budget, 0, () -> {}, () -> cut.add(name));
    }

    @Test
    void end_the_connection_once_when_there_was_no_room() {
        queue.overrun();
        queue.overrun();
        assertThat(queue.isFull()).isTrue();
        channel.runPendingTasks();
        assertThat(cutOff).isEqualTo(1);
        queue.close();
        queue.overrun();
        channel.runPendingTasks();
        assertThat(cutOff).isEqualTo(1);
    }

    @Test
    void are_given_back_when_the_connection_ends_and_taken_no_more() {
        deliver(10, 100);
        channel.runPendingTasks();
        queue.close();
        assertThat(budget.usedBytes()).isZero();
        assertThat(queue.isFull()).isTrue();
        deliver(1, 100); // chosen a moment before
        assertThat(budget.usedBytes()).isZero();
        assertThat(queue.poll(READY)).isNull();
        channel.runPendingTasks();
        assertThat(told).isEqualTo(1);
    }

    @Test
    void are_shared_and_given_back_by_the_last_who_has_them() {
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

    /** As another protocol's emitter would bring them. */
    @Test
    void may_come_from_elsewhere() {
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
