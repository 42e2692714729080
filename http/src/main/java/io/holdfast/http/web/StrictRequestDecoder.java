package io.holdfast.http.web;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;

import java.util.List;

/**
 * The decoder of Vert.x, but strict: it refuses folded header lines (RFC 9112, section 5.2), which
 * a proxy may interpret differently, and trailers after a chunked body. A refused request is the
 * last of its connection: input after it is discarded.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
    private boolean insideHead = true;

    /** Whether the next byte of the head begins a line other than the first. */
    private boolean lineBegins;

    private boolean folded;
    private boolean refused;

    StrictRequestDecoder(Http1ServerConfig config) {
        super(config);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        if (refused) {
            in.skipBytes(in.readableBytes());
            return;
        }
        int start = in.readerIndex();
        super.decode(ctx, in, out); // consumes whole lines of a head, and of at most one head
        if (insideHead) {
            checkLines(in, start, in.readerIndex());
        }
        for (Object part : out) {
            if (part instanceof HttpRequest request) {
                insideHead = false;
                if (folded && request.decoderResult().isSuccess()) {
                    request.setDecoderResult(
                            DecoderResult.failure(
                                    HttpProblem.badRequest(
                                            "a header line begins with a blank (folded header)")));
                    refused = true;
                }
            }
            if (part instanceof LastHttpContent last) {
                if (!last.trailingHeaders().isEmpty() && last.decoderResult().isSuccess()) {
                    last.setDecoderResult(
                            DecoderResult.failure(
                                    HttpProblem.badRequest(
                                            "trailers after a body are not supported")));
                    refused = true;
                }
                insideHead = true;
                lineBegins = false;
            }
        }
    }

    private void checkLines(ByteBuf in, int start, int end) {
        int at = start;
        while (at < end) {
            byte first = in.getByte(at);
            folded |= lineBegins && (first == ' ' || first == '\t');
            int feed = in.indexOf(at, end, (byte) '\n');
            lineBegins = feed >= 0;
            at = lineBegins ? feed + 1 : end;
        }
    }
}
