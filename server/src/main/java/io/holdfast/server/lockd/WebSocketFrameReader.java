package io.holdfast.server.lockd;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds frames in a stream. Netty's decoder does it, but is asked frame by frame, so that what is
 * not a frame yet stays in the buffer of the connection and counts there.
 */
final class WebSocketFrameReader extends WebSocket13FrameDecoder {
    private final List<Object> found = new ArrayList<>(1);
    private boolean inside;

    /**
     * @param mostBytes the longest payload
     */
    WebSocketFrameReader(int mostBytes) {
        super(
                WebSocketDecoderConfig.newBuilder()
                        .expectMaskedFrames(true)
                        .allowMaskMismatch(false)
                        .allowExtensions(false)
                        .maxFramePayloadLength(mostBytes)
                        .closeOnProtocolViolation(false) // throws, and we say it in its turn
                        .withUTF8Validator(false)
                        .build());
    }

    /**
     * Takes the next frame out of the buffer; null if it is not complete.
     *
     * @throws io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException if it breaks
     *     the rules
     */
    @Nullable WebSocketFrame next(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
        found.clear();
        int start = in.readerIndex();
        decode(ctx, in, found);
        inside = found.isEmpty() && (inside || in.readerIndex() > start);
        return found.isEmpty() ? null : (WebSocketFrame) found.getFirst();
    }

    /** Whether the beginning of a frame was taken, but not all of it. */
    boolean isInside() {
        return inside;
    }

    /** Whatever a client says when it closes, it may close. */
    @Override
    protected void checkCloseFrameBody(ChannelHandlerContext ctx, ByteBuf buffer) {}
}
