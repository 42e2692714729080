package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.lockd.LockdSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** Assembles the messages of a WebSocket. One per connection. */
final class WebSocketDecoder implements RequestDecoder<WebSocketInput> {
    /** The longest message, in one frame or in several. */
    private static final int MAX_MESSAGE_BYTES = 64 * 1024;

    private static final byte[] EMPTY = {};

    private final ChannelHandlerContext ctx;
    private final LockdService service;
    private final WebSocketFrameReader webSocketFrameReader =
            new WebSocketFrameReader(MAX_MESSAGE_BYTES);

    /**
     * Buffer of a message that arrives in several frames; its first {@link #fragmentsLength} bytes
     * are used.
     */
    private byte[] fragments = EMPTY;

    private int fragmentsLength;

    /** The number of complete messages, and of other frames outside of messages. */
    private long messagesRead;

    /**
     * @param service has the budget for incomplete messages
     */
    WebSocketDecoder(ChannelHandlerContext ctx, LockdService service) {
        this.ctx = ctx;
        this.service = service;
    }

    @Override
    public long linesRead() {
        return messagesRead;
    }

    @Override
    public boolean isInsideRequest() {
        return webSocketFrameReader.isInside() || fragmentsLength > 0;
    }

    @Override
    public @Nullable WebSocketInput decode(ByteBuf in) {
        while (in.isReadable()) {
            WebSocketFrame frame;
            try {
                frame = webSocketFrameReader.next(ctx, in);
            } catch (CorruptedWebSocketFrameException e) {
                return new WebSocketInput.Violation(e.closeStatus().code());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            if (frame == null) {
                return null;
            }
            try {
                WebSocketInput input = read(frame);
                if (input != null) {
                    return input;
                }
            } finally {
                frame.release();
            }
        }
        return null;
    }

    /** The input that a frame completes; null if none. */
    private @Nullable WebSocketInput read(WebSocketFrame frame) {
        if (fragmentsLength == 0 || isEndOfMessage(frame)) {
            messagesRead++; // a frame inside a message must not restart its read timeout
        }
        return switch (frame) {
            case PingWebSocketFrame _ ->
                    new WebSocketInput.Ping(ByteString.of(ByteBufUtil.getBytes(frame.content())));
            case PongWebSocketFrame _ -> null;
            case CloseWebSocketFrame _ -> new WebSocketInput.Close();
            default -> readMessage(frame);
        };
    }

    private static boolean isEndOfMessage(WebSocketFrame frame) {
        return frame instanceof ContinuationWebSocketFrame && frame.isFinalFragment();
    }

    private @Nullable WebSocketInput readMessage(WebSocketFrame frame) {
        ByteBuf content = frame.content();
        int added = content.readableBytes();
        int length = fragmentsLength + added;
        if (length > MAX_MESSAGE_BYTES) {
            return new WebSocketInput.Violation(WebSocketCloseStatus.MESSAGE_TOO_BIG.code());
        }
        if (frame.isFinalFragment()) {
            byte[] message = Arrays.copyOf(fragments, length);
            content.readBytes(message, fragmentsLength, added);
            dropFragments();
            return new WebSocketInput.Message(LockdSyntax.parse(message));
        }
        if (!growFragments(length)) {
            return new WebSocketInput.Violation(WebSocketCloseStatus.TRY_AGAIN_LATER.code());
        }
        content.readBytes(fragments, fragmentsLength, added);
        fragmentsLength = length;
        return null;
    }

    /**
     * Doubles the buffer if necessary, as fragments may be small; false if the limit of kept input
     * is exceeded.
     */
    private boolean growFragments(int length) {
        int before = fragments.length;
        if (length <= before) {
            return true;
        }
        fragments = Arrays.copyOf(fragments, Math.max(length, 2 * before));
        return service.keepInput((long) fragments.length - before);
    }

    /** Frees the memory of an incomplete message. */
    void dropFragments() {
        service.keepInput(-fragments.length);
        fragments = EMPTY;
        fragmentsLength = 0;
    }
}
