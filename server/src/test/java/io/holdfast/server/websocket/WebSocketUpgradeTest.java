package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.InputBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

@DisplayName("The WebSocket upgrade handler")
class WebSocketUpgradeTest {
    private static final long TIMEOUT_MILLIS = 5_000;

    private final StringBuilder taken = new StringBuilder();
    private int successors;

    /** Replaces the upgrade handler and records its input. */
    private final class Successor extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            successors++;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            taken.append(((ByteBuf) message).toString(StandardCharsets.ISO_8859_1));
            ReferenceCountUtil.release(message);
        }
    }

    private EmbeddedChannel channel() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        new WebSocketUpgrade(new OriginPolicy(Set.of()), TIMEOUT_MILLIS, Successor::new)
                .addTo(channel.pipeline(), new InputBudget(1 << 20));
        return channel;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    private static String written(EmbeddedChannel channel) {
        var text = new StringBuilder();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            text.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return text.toString();
    }

    @Test
    void the_accept_value_is_that_of_the_example_of_the_rfc() {
        assertThat(WebSocketUpgrade.acceptValue("dGhlIHNhbXBsZSBub25jZQ=="))
                .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    @Test
    void the_upgrade_handler_leaves_the_pipeline_and_passes_on_input_after_the_request() {
        EmbeddedChannel channel = channel();
        channel.writeInbound(bytes(WebSocketClient.REQUEST + "first"));
        channel.writeInbound(bytes(" second"));
        assertThat(written(channel)).isEqualTo(WebSocketClient.ACCEPTED);
        assertThat(taken.toString()).isEqualTo("first second");
        assertThat(channel.pipeline().get(WebSocketUpgrade.class)).isNull();
        assertThat(channel.pipeline().get(HttpRequestDecoder.class)).isNull();
        channel.advanceTimeBy(2 * TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).as("the timeout is cancelled").isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void the_upgrade_handler_passes_nothing_on_when_the_client_has_closed() {
        EmbeddedChannel channel = channel();
        channel.pipeline()
                .addFirst(
                        new ChannelOutboundHandlerAdapter() {
                            @Override
                            public void write(
                                    ChannelHandlerContext ctx,
                                    Object message,
                                    ChannelPromise promise) {
                                ReferenceCountUtil.release(message);
                                promise.setFailure(new IOException("reset"));
                                ctx.close();
                            }
                        });
        channel.writeInbound(bytes(WebSocketClient.REQUEST + "behind"));
        assertThat(channel.isOpen()).isFalse();
        assertThat(successors).isZero();
        assertThat(taken.toString()).isEmpty();
    }

    @Test
    void the_upgrade_handler_closes_at_its_timeout() {
        EmbeddedChannel channel = channel();
        channel.writeInbound(bytes("GET / HTTP/1.1\r\n"));
        channel.advanceTimeBy(TIMEOUT_MILLIS - 1, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.writeInbound(bytes("Host: "));
        assertThat(channel.isOpen()).isTrue();
        channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(written(channel)).isEmpty();
    }

    @Test
    void the_upgrade_handler_responds_once_whatever_follows() {
        EmbeddedChannel channel = channel();
        channel.writeInbound(bytes("GET / HTTP/1.1\r\n\r\n" + WebSocketClient.REQUEST));
        assertThat(written(channel)).containsOnlyOnce("HTTP/1.1 ").startsWith("HTTP/1.1 400 ");
        assertEndsSoon(channel);
        assertThat(successors).isZero();
    }

    @Test
    void the_upgrade_handler_keeps_little_of_an_endless_request() {
        EmbeddedChannel channel = channel();
        List<ByteBuf> pieces = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ByteBuf piece =
                    bytes(
                            i == 0
                                    ? "GET / HTTP/1.1\r\n"
                                    : "X-" + i + ": " + "y".repeat(4000) + "\n");
            channel.writeInbound(piece);
            pieces.add(piece);
        }
        assertThat(pieces).allSatisfy(piece -> assertThat(piece.refCnt()).isZero());
        assertThat(written(channel)).containsOnlyOnce("HTTP/1.1 ").startsWith("HTTP/1.1 400 ");
        assertEndsSoon(channel);
    }

    /** The client has a moment to read the response before the close. */
    private static void assertEndsSoon(EmbeddedChannel channel) {
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }
}
