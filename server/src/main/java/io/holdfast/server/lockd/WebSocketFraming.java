package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.server.connection.Connection;
import io.netty.buffer.ByteBuf;

/** The frames that the server sends on a WebSocket: neither masked nor fragmented. */
record WebSocketFraming(Connection<?> connection) implements LockdFraming {
    private static final int FINAL_TEXT = 0x81;
    private static final int FINAL_CLOSE = 0x88;
    private static final int FINAL_PONG = 0x8a;

    @Override
    public ByteBuf begin() {
        return connection.context().alloc().buffer();
    }

    @Override
    public void end(ByteBuf response) {
        header(FINAL_TEXT, response.readableBytes(), connection.out());
        connection.out().writeBytes(response);
        response.release();
    }

    @Override
    public void beginLong(long length, ByteBuf out) {
        header(FINAL_TEXT, length, out);
    }

    void pong(ByteString payload) {
        header(FINAL_PONG, payload.length(), connection.out());
        connection.out().writeBytes(payload.bytes());
    }

    void close(int status) {
        header(FINAL_CLOSE, Short.BYTES, connection.out());
        connection.out().writeShort(status);
    }

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
