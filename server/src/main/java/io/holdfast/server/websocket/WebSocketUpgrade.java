package io.holdfast.server.websocket;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.LogThrottle;
import io.holdfast.server.connection.DrainEvent;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.OutputShutdown;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Handles the HTTP upgrade request of a WebSocket, with responses byte for byte as lockd sends
 * them, and then replaces itself in the pipeline by the handler of messages.
 */
public final class WebSocketUpgrade extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(WebSocketUpgrade.class);
    private static final LogThrottle REFUSALS = new LogThrottle();

    /** Limit of all headers of a request; browsers send cookies too. */
    private static final int MAX_HEADER_BYTES = 32 * 1024;

    private static final int MAX_LINE_BYTES = 8 * 1024;

    private static final long LINGER_MILLIS = 1000;

    /** The constant of RFC 6455 for hashing the key. */
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final OriginPolicy originPolicy;
    private final long timeoutMillis;
    private final Supplier<ChannelHandler> next;
    private @Nullable HttpRequest request;
    private @Nullable Future<?> timer;
    private boolean responded;

    /**
     * @param timeoutMillis how long a client may take for its request
     * @param next creates the handler of messages
     */
    public WebSocketUpgrade(
            OriginPolicy originPolicy, long timeoutMillis, Supplier<ChannelHandler> next) {
        this.originPolicy = originPolicy;
        this.timeoutMillis = timeoutMillis;
        this.next = next;
    }

    /**
     * Adds this handler, and those that must precede it, to a pipeline.
     *
     * @param inputBudget counts incomplete requests
     */
    public void addTo(ChannelPipeline pipeline, InputBudget inputBudget) {
        pipeline.addLast(
                new RequestHeadBuffer(MAX_LINE_BYTES + MAX_HEADER_BYTES, inputBudget),
                new HttpRequestDecoder(
                        new HttpDecoderConfig()
                                .setMaxInitialLineLength(MAX_LINE_BYTES)
                                .setMaxHeaderSize(MAX_HEADER_BYTES)),
                this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        timer = ctx.executor().schedule(() -> ctx.close(), timeoutMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest begin) {
            request = begin;
        }
        // A request that is too long or not HTTP has no end. A chunked one can have trailers, which
        // are not awaited.
        boolean complete =
                message instanceof LastHttpContent
                        || (request != null
                                && (request.decoderResult().isFailure()
                                        || HttpUtil.isTransferEncodingChunked(request)));
        ReferenceCountUtil.release(message);
        if (complete && request != null && !responded) {
            responded = true;
            respond(ctx, request);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == DrainEvent.DRAIN || event instanceof ChannelInputShutdownEvent) {
            ctx.close();
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.atDebug()
                .addKeyValue("remote", ctx.channel().remoteAddress())
                .addKeyValue("error", FailureText.of(cause))
                .log("connection failed");
        ctx.close();
    }

    private void respond(ChannelHandlerContext ctx, HttpRequest upgrade) {
        HttpHeaders headers = upgrade.headers();
        String key = headers.get(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        if (upgrade.decoderResult().isFailure()) {
            refuse(ctx, "400 Bad Request", "", "bad request");
        } else if (!upgrade.method().equals(HttpMethod.GET)) {
            refuse(ctx, "405 Method Not Allowed", "Allow: GET\r\n", "bad method");
        } else if (!headers.contains(HttpHeaderNames.UPGRADE, "websocket", true)
                || !headers.containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)) {
            refuse(ctx, "400 Bad Request", "", "not websocket protocol");
        } else if (HttpUtil.isTransferEncodingChunked(upgrade)) {
            refuse(ctx, "400 Bad Request", "", "bad request");
        } else if (key == null || key.isEmpty()) {
            refuse(ctx, "400 Bad Request", "", "mismatch challenge/response");
        } else if (!"13".equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
            refuse(
                    ctx,
                    "400 Bad Request",
                    "Sec-WebSocket-Version: 13\r\n",
                    "missing or bad WebSocket Version");
        } else if (!originPolicy.allow(
                headers.getAll(HttpHeaderNames.ORIGIN), headers.getAll(HttpHeaderNames.HOST))) {
            REFUSALS.next(LOG.atInfo())
                    .addKeyValue("remote", ctx.channel().remoteAddress())
                    .addKeyValue("origin", headers.get(HttpHeaderNames.ORIGIN))
                    .addKeyValue("host", headers.get(HttpHeaderNames.HOST))
                    .log("WebSocket rejected: origin not allowed (see --ws-allow-origin)");
            refuse(ctx, "403 Forbidden", "", "origin not allowed");
        } else {
            accept(ctx, key, headers.getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL));
        }
    }

    private void accept(ChannelHandlerContext ctx, String key, List<String> protocols) {
        StringBuilder head = new StringBuilder(192);
        head.append("HTTP/1.1 101 Switching Protocols\r\n");
        head.append("Upgrade: websocket\r\n");
        head.append("Connection: Upgrade\r\n");
        head.append("Sec-WebSocket-Accept: ").append(acceptValue(key)).append("\r\n");
        if (protocols.size() == 1) {
            String only = protocols.getFirst().strip();
            if (!only.isEmpty() && only.indexOf(',') < 0) {
                head.append("Sec-WebSocket-Protocol: ").append(only).append("\r\n");
            }
        }
        ctx.writeAndFlush(text(head.append("\r\n").toString()));
        if (!ctx.channel().isActive()) {
            return; // the client has closed before the response
        }
        ctx.pipeline().addLast(next.get());
        ctx.pipeline().remove(this);
        // Last: removing the decoder passes input after the request to the new handler.
        ctx.pipeline().remove(HttpRequestDecoder.class);
    }

    private static void refuse(
            ChannelHandlerContext ctx, String status, String headers, String reason) {
        String response =
                "HTTP/1.1 "
                        + status
                        + "\r\n"
                        + headers
                        + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: "
                        + reason.length()
                        + "\r\nConnection: close\r\n\r\n"
                        + reason;
        ctx.writeAndFlush(text(response)).addListener(_ -> linger(ctx));
    }

    /** Lets the client close first: closing with unread input would destroy the response. */
    private static void linger(ChannelHandlerContext ctx) {
        OutputShutdown.shutdown(ctx);
        ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static ByteBuf text(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String acceptValue(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1"); // required by RFC 6455
            byte[] hash = sha1.digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1));
            return Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 is not available", e);
        }
    }
}
