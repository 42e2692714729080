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
 * Decodes frames one at a time with Netty's decoder, so that incomplete frames stay in the input
 * buffer of the connection and count in its budget.
 */
final class WebSocketFrameReader extends WebSocket13FrameDecoder {
    private final List<Object> found = new ArrayList<>(1);
    private boolean inside;

    /**
     * @param maxBytes maximum length of a payload
     */
    WebSocketFrameReader(int maxBytes) {
        super(
                WebSocketDecoderConfig.newBuilder()
                        .expectMaskedFrames(true)
                        .allowMaskMismatch(false)
                        .allowExtensions(false)
                        .maxFramePayloadLength(maxBytes)
                        .closeOnProtocolViolation(false) // throws: we send the close
                        .withUTF8Validator(false)
                        .build());
    }

    /**
     * Decodes the next frame from the buffer; null if it is not complete.
     *
     * @throws io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException if it
     *     violates the protocol
     */
    @Nullable WebSocketFrame next(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
        found.clear();
        int start = in.readerIndex();
        decode(ctx, in, found);
        inside = found.isEmpty() && (inside || in.readerIndex() > start);
        return found.isEmpty() ? null : (WebSocketFrame) found.getFirst();
    }

    /** Whether the decoder has consumed the beginning of an incomplete frame. */
    boolean isInside() {
        return inside;
    }

    /** Accepts any body of a close frame. */
    @Override
    protected void checkCloseFrameBody(ChannelHandlerContext ctx, ByteBuf buffer) {}
}
