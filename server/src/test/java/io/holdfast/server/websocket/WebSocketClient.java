package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A client that sends given bytes unchanged. Every read has a deadline. */
final class WebSocketClient implements AutoCloseable {
    static final int CONTINUATION = 0x0;
    static final int TEXT = 0x1;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xa;
    static final int FINAL = 0x80;

    /** The key of the example in RFC 6455, and the accept value for it. */
    static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    static final String ACCEPTED =
            String.join(
                    "\r\n",
                    "HTTP/1.1 101 Switching Protocols",
                    "Upgrade: websocket",
                    "Connection: Upgrade",
                    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                    "",
                    "");

    /** A request that is accepted. */
    static final String REQUEST = handshakeRequest("");

    private static final int DEADLINE_MILLIS = 30_000; // as TestClient's
    private static final byte[] MASK = {0x37, (byte) 0xfa, 0x21, 0x3d};

    private final Socket socket;
    private final DataInputStream in;

    /**
     * A frame of the server.
     *
     * @param text the payload, each byte a character
     */
    record Frame(int first, String text) {
        int opcode() {
            return first & 0xf;
        }
    }

    WebSocketClient(Socket socket) {
        this.socket = socket;
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(DEADLINE_MILLIS);
            this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65536));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects and sends nothing. */
    static WebSocketClient connect(InetSocketAddress address) {
        return connect(address, 0);
    }

    /**
     * With a small receive buffer, the server soon notices that the client does not read; 0 is the
     * default size.
     */
    static WebSocketClient connect(InetSocketAddress address, int receiveBuffer) {
        try {
            Socket socket = new Socket();
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.connect(address, DEADLINE_MILLIS);
            return new WebSocketClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a WebSocket. */
    static WebSocketClient open(InetSocketAddress address) {
        return connect(address).shakeHands();
    }

    WebSocketClient shakeHands() {
        send(REQUEST);
        assertThat(head()).isEqualTo(ACCEPTED);
        return this;
    }

    /** A valid upgrade request with additional headers. */
    static String handshakeRequest(String headers) {
        return "GET / HTTP/1.1\r\n"
                + "Host: localhost\r\n"
                + "Upgrade: websocket\r\n"
                + "Connection: Upgrade\r\n"
                + "Sec-WebSocket-Key: "
                + KEY
                + "\r\nSec-WebSocket-Version: 13\r\n"
                + headers
                + "\r\n";
    }

    // ---- sending

    WebSocketClient send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    WebSocketClient send(byte[]... parts) {
        try {
            socket.getOutputStream().write(joined(parts));
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends data; false if the server has closed. */
    boolean sendIfOpen(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return true;
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
            return false;
        }
    }

    static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] message(String text) {
        return frame(FINAL | TEXT, text);
    }

    static byte[] frame(int first, String payload) {
        return frame(first, payload.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A masked frame. */
    static byte[] frame(int first, byte[] payload) {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i % 4];
        }
        return joined(header(first, 0x80, payload.length), MASK, masked);
    }

    /** The header of a frame, without the mask. */
    static byte[] header(int first, int maskBit, long length) {
        ByteBuffer head = ByteBuffer.allocate(10).put((byte) first);
        if (length < 126) {
            head.put((byte) (maskBit | (int) length));
        } else if (length < 65536) {
            head.put((byte) (maskBit | 126)).putShort((short) length);
        } else {
            head.put((byte) (maskBit | 127)).putLong(length);
        }
        byte[] bytes = new byte[head.position()];
        head.flip().get(bytes);
        return bytes;
    }

    // ---- receiving

    /** Everything up to the empty line that ends the headers. */
    String head() {
        var text = new StringBuilder();
        try {
            while (text.length() < 4 || !text.substring(text.length() - 4).equals("\r\n\r\n")) {
                text.append((char) in.readUnsignedByte());
            }
            return text.toString();
        } catch (EOFException | SocketException e) {
            throw new AssertionError("the end after: " + text, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The next frame; checks that it is final and unmasked, with the shortest form of its length.
     */
    Frame read() {
        try {
            int first = in.readUnsignedByte();
            assertThat(first & 0xf0).as("final and no reserved bits").isEqualTo(FINAL);
            int shortLength = in.readUnsignedByte();
            assertThat(shortLength).as("no mask").isLessThan(128);
            long length = shortLength;
            if (shortLength == 126) {
                length = in.readUnsignedShort();
                assertThat(length).isGreaterThanOrEqualTo(126);
            } else if (shortLength == 127) {
                length = in.readLong();
                assertThat(length).isGreaterThanOrEqualTo(65536);
            }
            byte[] payload = in.readNBytes(Math.toIntExact(length));
            assertThat(payload).hasSize((int) length);
            return new Frame(first, new String(payload, StandardCharsets.ISO_8859_1));
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no frame in time", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame, which must be a text message. */
    String text() {
        Frame frame = read();
        assertThat(frame.opcode()).isEqualTo(TEXT);
        return frame.text();
    }

    String request(String command) {
        return send(message(command)).text();
    }

    /** The line of {@code q} for this counter. */
    long counter(String name) {
        return request("q")
                .lines()
                .filter(line -> line.startsWith(name + ": "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 2)))
                .findFirst()
                .orElse(0);
    }

    /** A line without its end, on a connection that is not a WebSocket. */
    String line() {
        var text = new StringBuilder();
        try {
            for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
                text.append((char) c);
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Checks that the server sends a close frame with this status, and closes. */
    void assertClosedWith(int status) {
        Frame frame = read();
        assertThat(frame.opcode()).isEqualTo(CLOSE);
        assertThat(frame.text()).isEqualTo("" + (char) (status >> 8) + (char) (status & 0xff));
        assertEnd();
    }

    /** Checks that the server closes, or has closed, without another byte. */
    void assertEnd() {
        assertThat(rest()).isEmpty();
    }

    /** Everything up to the end of the stream. */
    String rest() {
        var all = new ByteArrayOutputStream();
        try {
            for (int c = in.read(); c >= 0; c = in.read()) {
                all.write(c);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed in time", e);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class); // reset: closed as well
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    // ---- ending

    WebSocketClient halfClose() {
        try {
            socket.shutdownOutput();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
