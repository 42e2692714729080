package io.holdfast.protocol.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.ReadWriteMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/** Writes lines to a client. They begin with its id, except for one form of greeting. */
public final class SocketlockEncoder {
    private static final byte[] CONNECTED = ascii("CONNECTED ");
    private static final byte[] NAMED_CONNECTED = ascii(" CONNECTED\n");
    private static final byte[] PONG = ascii(" PONG\n");
    private static final byte[] READ_OFFER = ascii(" READLOCK ");
    private static final byte[] WRITE_OFFER = ascii(" WRITELOCK ");
    private static final byte[] OK = ascii(" LOCKOK ");
    private static final byte[] TIMEOUT = ascii(" LOCKTIMEOUT ");
    private static final byte[] TOKEN = ascii(" TOKEN ");
    private static final Map<SocketlockFailure, byte[]> FAILURES = failures();

    private SocketlockEncoder() {}

    /**
     * The response to a greeting.
     *
     * @param clientIdSource that of this greeting, not of the connection
     */
    public static void connected(ClientIdSource clientIdSource, ByteString client, ByteBuf out) {
        switch (clientIdSource) {
            case SERVER -> out.writeBytes(CONNECTED).writeBytes(client.bytes()).writeByte('\n');
            case CLIENT -> out.writeBytes(client.bytes()).writeBytes(NAMED_CONNECTED);
        }
    }

    public static void pong(ByteString client, ByteBuf out) {
        out.writeBytes(client.bytes()).writeBytes(PONG);
    }

    public static void offer(
            ByteString client, ReadWriteMode readWriteMode, ByteString lock, ByteBuf out) {
        aboutLock(
                client, readWriteMode == ReadWriteMode.READ ? READ_OFFER : WRITE_OFFER, lock, out);
    }

    public static void failed(ByteString client, SocketlockFailure socketlockFailure, ByteBuf out) {
        byte[] line = FAILURES.get(socketlockFailure);
        if (line == null) {
            throw new IllegalStateException("no response for " + socketlockFailure);
        }
        out.writeBytes(client.bytes()).writeBytes(line);
    }

    /** The response to {@code STATUS}. */
    public static void status(ByteString client, boolean held, ByteString lock, ByteBuf out) {
        aboutLock(client, held ? OK : TIMEOUT, lock, out);
    }

    public static void epoch(ByteString client, long epoch, ByteBuf out) {
        out.writeBytes(client.bytes());
        ByteBufUtil.writeAscii(out, " EPOCH " + epoch + "\n");
    }

    public static void token(ByteString client, ByteString lock, long fence, ByteBuf out) {
        out.writeBytes(client.bytes()).writeBytes(TOKEN).writeBytes(lock.bytes());
        ByteBufUtil.writeAscii(out, " " + fence + "\n");
    }

    private static void aboutLock(ByteString client, byte[] verb, ByteString lock, ByteBuf out) {
        out.writeBytes(client.bytes()).writeBytes(verb).writeBytes(lock.bytes()).writeByte('\n');
    }

    private static Map<SocketlockFailure, byte[]> failures() {
        Map<SocketlockFailure, byte[]> lines = new EnumMap<>(SocketlockFailure.class);
        for (SocketlockFailure socketlockFailure : SocketlockFailure.values()) {
            lines.put(socketlockFailure, ascii(" REQFAIL " + socketlockFailure.text() + "\n"));
        }
        return lines;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
