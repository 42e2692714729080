package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.LocalDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.UnlimitedDriver;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.TestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("An incomplete WebSocket message")
class KeptMessageTest {
    private static final int MAX_KEPT = 1 << 20;
    private static final int LENGTH = 60_000;
    private static final int TEXT = 0x01;
    private static final int CONTINUATION = 0x00;
    private static final int FINAL = 0x80;
    private static final String TRY_AGAIN_LATER = "\u0088\u0002\u0003\u00f5";

    private final LocalDriver driver = UnlimitedDriver.open();
    private final InputBudget kept = new InputBudget(MAX_KEPT);
    private final LockdService service =
            new LockdService(
                    new TestContext(driver)
                            .inputBudget(kept)
                            .timeouts(Duration.ofSeconds(23), Duration.ofSeconds(5))
                            .build(),
                    Namespace.DEFAULT,
                    new ListingBudget(MAX_KEPT, Duration.ofSeconds(5)));

    @AfterEach
    void close() {
        driver.close();
    }

    private EmbeddedChannel connect() {
        return new EmbeddedChannel(
                LockdWebSocketHandler.connection(
                        service, new LockdOptions(Namespace.DEFAULT, false, false)));
    }

    /** A frame masked with zeros. */
    private static ByteBuf frame(int first, int length, int sent) {
        ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer();
        frame.writeByte(first);
        if (length < 126) {
            frame.writeByte(0x80 | length);
        } else {
            frame.writeByte(0x80 | 126).writeShort(length);
        }
        frame.writeInt(0);
        return frame.writeBytes("x".repeat(sent).getBytes(StandardCharsets.US_ASCII));
    }

    private static String written(EmbeddedChannel channel) {
        channel.runPendingTasks();
        var text = new StringBuilder();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            text.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return text.toString();
    }

    /** Checks that the whole input budget is free. */
    private void assertNothingKept() {
        assertThat(kept.reserve(MAX_KEPT)).isTrue();
        assertThat(kept.reserve(-MAX_KEPT)).isTrue();
    }

    private void assertSomethingKept() {
        assertThat(kept.reserve(MAX_KEPT)).isFalse();
        assertThat(kept.reserve(-MAX_KEPT)).isTrue();
    }

    @Test
    void an_incomplete_frame_counts_in_the_input_budget() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        boolean refused = false;
        for (int i = 0; i < 2 * MAX_KEPT / LENGTH && !refused; i++) {
            EmbeddedChannel channel = connect();
            channels.add(channel);
            channel.writeInbound(frame(FINAL | TEXT, LENGTH, LENGTH - 1));
            refused = !channel.isOpen();
        }
        assertThat(channels).hasSizeBetween(MAX_KEPT / LENGTH, MAX_KEPT / LENGTH + 2);
        assertThat(refused).isTrue();
        assertThat(channels.getFirst().isOpen()).as("earlier connections stay open").isTrue();
        channels.forEach(EmbeddedChannel::close);
        assertNothingKept();
    }

    @Test
    void an_incomplete_message_counts_in_the_input_budget() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        String close = "";
        while (channels.size() < 2 * MAX_KEPT / LENGTH && close.isEmpty()) {
            EmbeddedChannel channel = connect();
            channels.add(channel);
            channel.writeInbound(frame(TEXT, LENGTH, LENGTH));
            close = written(channel);
        }
        assertThat(close).isEqualTo(TRY_AGAIN_LATER);
        assertThat(channels).hasSizeBetween(MAX_KEPT / LENGTH, MAX_KEPT / LENGTH + 2);
        EmbeddedChannel first = channels.getFirst();
        first.writeInbound(frame(FINAL | CONTINUATION, 1, 1));
        assertThat(written(first)).as("earlier connections are served").isEqualTo("\u0081\0");
        channels.forEach(EmbeddedChannel::close);
        assertNothingKept();
    }

    @Test
    void an_incomplete_message_of_small_fragments_counts_in_the_input_budget() {
        EmbeddedChannel channel = connect();
        channel.writeInbound(frame(TEXT, 1, 1));
        assertSomethingKept();
        for (int i = 1; i < LENGTH; i++) {
            channel.writeInbound(frame(CONTINUATION, 1, 1));
        }
        assertThat(kept.reserve(MAX_KEPT - LENGTH + 1))
                .as("at least the received bytes count")
                .isFalse();
        assertThat(kept.reserve(LENGTH - MAX_KEPT - 1)).isTrue();
        assertThat(kept.reserve(MAX_KEPT - 3 * LENGTH)).as("not many more bytes count").isTrue();
        assertThat(kept.reserve(3 * LENGTH - MAX_KEPT)).isTrue();
        channel.writeInbound(frame(FINAL | CONTINUATION, 0, 0));
        assertThat(written(channel)).isEqualTo("\u0081\0");
        assertNothingKept();
        channel.close();
    }

    @Test
    void a_complete_message_does_not_count_in_the_input_budget() {
        EmbeddedChannel channel = connect();
        for (int i = 0; i < 100; i++) {
            channel.writeInbound(frame(TEXT, LENGTH / 2, LENGTH / 2));
            assertSomethingKept();
            channel.writeInbound(frame(CONTINUATION, LENGTH / 2, LENGTH / 2));
            channel.writeInbound(frame(FINAL | CONTINUATION, 1, 1));
            assertThat(written(channel)).isEqualTo("\u0081\0");
            assertNothingKept();
        }
        channel.close();
    }

    @Test
    void an_incomplete_message_does_not_count_after_its_connection_has_ended() {
        for (int i = 0; i < 50; i++) {
            EmbeddedChannel channel = connect();
            channel.writeInbound(frame(TEXT, LENGTH, LENGTH), frame(CONTINUATION, LENGTH, 9));
            assertSomethingKept();
            channel.close();
            assertNothingKept();
        }
    }

    @Test
    void an_overlong_message_does_not_count_in_the_input_budget() {
        EmbeddedChannel channel = connect();
        channel.writeInbound(frame(TEXT, LENGTH, LENGTH), frame(CONTINUATION, LENGTH, LENGTH));
        assertThat(written(channel)).isEqualTo("\u0088\u0002\u0003\u00f1");
        assertNothingKept();
        channel.close();
    }

    @Test
    void an_incomplete_message_does_not_retain_its_receive_buffer() {
        EmbeddedChannel channel = connect();
        ByteBuf last = Unpooled.EMPTY_BUFFER;
        channel.writeInbound(frame(FINAL | TEXT, 10, 4));
        for (int i = 0; i < 1_000; i++) {
            last = PooledByteBufAllocator.DEFAULT.directBuffer(4096);
            last.writeBytes(new byte[6]);
            for (int j = 0; j < 100; j++) {
                ByteBuf whole = frame(FINAL | TEXT, 10, 10);
                last.writeBytes(whole);
                whole.release();
            }
            ByteBuf part = frame(FINAL | TEXT, 10, 4);
            last.writeBytes(part);
            part.release();
            channel.writeInbound(last);
            assertThat(written(channel)).hasSize(101 * 2);
        }
        assertThat(last.refCnt()).as("the receive buffer is released").isZero();
        channel.close();
        assertNothingKept();
    }
}
