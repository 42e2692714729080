package io.holdfast.cluster.rpc;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A frame of the protocol between nodes: the length, the message type, the number of the call, and
 * a body. A connection starts with a {@link Greeting} of its opener, after the magic number, and
 * the answer of its acceptor: its own greeting, or why it refuses. Both have the same form in all
 * versions; that of the frames after them is {@link Greeting#frameVersion}.
 */
final class RpcFrame {
    static final byte DONE = 0;
    static final byte FAILED = 1;

    /**
     * The maximum size of a body: some times that of the entries of a request, which is the largest
     * message. All connections together need no more memory than a small heap has.
     */
    static final int MAX_BYTES = 1024 * 1024;

    private static final byte[] MAGIC = "holdfast3\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_GREETING_BYTES = 1 << 16;
    private static final int HEADER = Byte.BYTES + Long.BYTES;

    final byte kind;
    final long call;
    final byte[] body;

    private RpcFrame(byte kind, long call, byte[] body) {
        this.kind = kind;
        this.call = call;
        this.body = body;
    }

    static byte[] greeting(Greeting greeting) {
        byte[] body = greeting.toBytes();
        return ByteBuffer.allocate(MAGIC.length + Integer.BYTES + body.length)
                .put(MAGIC)
                .putInt(body.length)
                .put(body)
                .array();
    }

    static Greeting readGreeting(DataInputStream in) throws IOException {
        if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
            throw new IOException(
                    "bad greeting: not a node of a Holdfast cluster, or one from before version"
                            + " 0.1.0");
        }
        return Greeting.of(readShort(in));
    }

    static byte[] acceptance(Greeting greeting) {
        return answer(DONE, greeting.toBytes());
    }

    static byte[] refusal(String reason) {
        return answer(FAILED, reason.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] answer(byte kind, byte[] body) {
        return ByteBuffer.allocate(1 + Integer.BYTES + body.length)
                .put(kind)
                .putInt(body.length)
                .put(body)
                .array();
    }

    /**
     * Reads the answer to a greeting.
     *
     * @throws RpcRefusedException if it is a refusal
     */
    static Greeting readAnswer(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        byte[] body = readShort(in);
        if (kind != DONE) {
            throw new RpcRefusedException(new String(body, StandardCharsets.UTF_8));
        }
        return Greeting.of(body);
    }

    private static byte[] readShort(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_GREETING_BYTES) {
            throw new IOException("invalid greeting length: " + length + " bytes");
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
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
