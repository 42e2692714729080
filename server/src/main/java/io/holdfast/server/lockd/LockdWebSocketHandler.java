package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.lockd.LockdInput;
import io.holdfast.protocol.lockd.LockdSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A lockd connection on a WebSocket: each message is a command, and its response is one message.
 */
public final class LockdWebSocketHandler extends LockdConnection<WebSocketInput> {
    /** The longest message, in one frame or in several. */
    private static final int MAX_MESSAGE_BYTES = 64 * 1024;

    private static final int FINAL_TEXT = 0x81;
    private static final int FINAL_CLOSE = 0x88;
    private static final int FINAL_PONG = 0x8a;
    private static final byte[] EMPTY = {};

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
    private long commandsRead;

    private boolean closeSent;

    public LockdWebSocketHandler(LockdService service, LockdAccess access) {
        super(service, access);
        this.service = service;
    }

    // ---- input

    @Override
    protected @Nullable WebSocketInput decode(ByteBuf bytes) {
        while (bytes.isReadable()) {
            WebSocketFrame frame;
            try {
                frame = webSocketFrameReader.next(context(), bytes);
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
            commandsRead++; // a frame inside a message must not restart its read timeout
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

    @Override
    boolean isInsideCommand() {
        return webSocketFrameReader.isInside() || fragmentsLength > 0;
    }

    @Override
    long commandsRead() {
        return commandsRead;
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

    private void dropFragments() {
        service.keepInput(-fragments.length);
        fragments = EMPTY;
        fragmentsLength = 0;
    }

    @Override
    protected void handle(WebSocketInput next) {
        switch (next) {
            case WebSocketInput.Message(LockdInput.Command command) -> serve(command);
            case WebSocketInput.Message _ -> serveInvalid();
            case WebSocketInput.Ping(ByteString payload) -> {
                header(FINAL_PONG, payload.length(), output());
                output().writeBytes(payload.bytes());
            }
            case WebSocketInput.Close() -> close(WebSocketCloseStatus.NORMAL_CLOSURE.code());
            case WebSocketInput.Violation(int status) -> close(status);
        }
    }

    private void close(int status) {
        sendClose(status);
        finish();
    }

    private void sendClose(int status) {
        closeSent = true;
        header(FINAL_CLOSE, Short.BYTES, output());
        output().writeShort(status);
    }

    /** Sends a close frame, unless one has been sent. */
    @Override
    protected void finishing() {
        if (!closeSent) {
            sendClose(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE.code());
        }
    }

    @Override
    protected void ended() {
        super.ended();
        dropFragments();
    }

    // ---- responses

    @Override
    ByteBuf beginResponse() {
        return context().alloc().buffer();
    }

    @Override
    void endResponse(ByteBuf response) {
        header(FINAL_TEXT, response.readableBytes(), output());
        output().writeBytes(response);
        response.release();
    }

    @Override
    void beginLongResponse(long length, ByteBuf out) {
        header(FINAL_TEXT, length, out);
    }

    /** Writes a frame header: the server's frames are neither masked nor fragmented. */
    private static void header(int first, long length, ByteBuf out) {
        out.writeByte(first);
        if (length < 126) {
            out.writeByte((int) length);
        } else if (length <= 0xffff) {
            out.writeByte(126).writeShort((int) length);
        } else {
            out.writeByte(127).writeLong(length);
        }
    }
}
