package io.holdfast.cluster.rpc;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A frame of the protocol between nodes: the length, the message type, the number of the call, and
 * a body. A connection starts with a greeting of the node that opened it.
 */
final class RpcFrame {
    static final byte DONE = 0;
    static final byte FAILED = 1;

    /** The maximum size of a body; Ratis sends up to 4 MiB of the log at once. */
    static final int MAX_BYTES = 8 * 1024 * 1024;

    private static final byte[] GREETING = "holdfast1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = Byte.BYTES + Long.BYTES;

    final byte kind;
    final long call;
    final byte[] body;

    private RpcFrame(byte kind, long call, byte[] body) {
        this.kind = kind;
        this.call = call;
        this.body = body;
    }

    static byte[] greeting() {
        return GREETING.clone();
    }

    static void requireGreeting(InputStream in) throws IOException {
        if (!Arrays.equals(in.readNBytes(GREETING.length), GREETING)) {
            throw new IOException(
                    "bad greeting: not a node of a Holdfast cluster, or one of an incompatible"
                            + " version");
        }
    }

    static byte[] encode(byte kind, long call, byte[] body) throws IOException {
        if (body.length > MAX_BYTES) {
            throw new IOException(
                    "a message of " + body.length + " bytes exceeds the limit of " + MAX_BYTES);
        }
        return ByteBuffer.allocate(Integer.BYTES + HEADER + body.length)
                .putInt(HEADER + body.length)
                .put(kind)
                .putLong(call)
                .put(body)
                .array();
    }

    static RpcFrame read(DataInputStream in) throws IOException {
        int length = in.readInt() - HEADER;
        if (length < 0 || length > MAX_BYTES) {
            throw new IOException("invalid frame length: " + length + " bytes");
        }
        byte kind = in.readByte();
        long call = in.readLong();
        byte[] body = in.readNBytes(length); // allocates memory only for bytes that arrive
        if (body.length < length) {
            throw new EOFException();
        }
        return new RpcFrame(kind, call, body);
    }
}
