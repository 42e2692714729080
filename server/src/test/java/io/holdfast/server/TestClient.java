package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A client that sends given bytes unchanged. Every read has a deadline. */
public final class TestClient implements AutoCloseable {
    /** Less than the lease of a lock: an expired lock must not be taken for a released one. */
    static final int DEADLINE_MILLIS = 30_000;

    private final Socket socket;
    private final InputStream in;

    public TestClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(DEADLINE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
    }

    public static TestClient connect(InetSocketAddress address) {
        return connect(address, 0);
    }

    /**
     * With a small receive buffer, the server soon notices that the client does not read; 0 is the
     * default size.
     */
    public static TestClient connect(InetSocketAddress address, int receiveBuffer) {
        try {
            Socket socket = new Socket();
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.connect(address, DEADLINE_MILLIS);
            return new TestClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Socket socket() {
        return socket;
    }

    public InetSocketAddress localAddress() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** Sends a request without waiting for its response. */
    public TestClient send(String command, String key, String argument) {
        return sendRaw(command + "\n" + key + "\n" + argument + "\n");
    }

    public TestClient sendRaw(String text) {
        return sendRaw(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public TestClient sendRaw(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends data; the server may have closed already. */
    public void sendIfOpen(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
        }
    }

    public String request(String command, String key, String argument) {
        return send(command, key, argument).line();
    }

    /** Acquires a free lock and returns its token. */
    public String acquire(String key) {
        return acquire(key, 60);
    }

    public String acquire(String key, int leaseSeconds) {
        return token(request("l", key, "0 " + leaseSeconds));
    }

    /** Subscribes to a pattern without a group. */
    public TestClient listen(String pattern) {
        return listen(pattern, "");
    }

    public TestClient listen(String pattern, String group) {
        assertThat(request("listen", pattern, group)).isEqualTo("ok");
        return this;
    }

    /** The token in a line that reports a grant. */
    public static String token(String line) {
        assertThat(line).matches("(ok|acquired) [0-9a-f]{32} \\d+");
        return line.substring(line.indexOf(' ') + 1, line.lastIndexOf(' '));
    }

    /** The next line; end of stream and silence are failures. */
    public String line() {
        return readLine().toString(StandardCharsets.UTF_8);
    }

    /** The next line with each byte a character, whether it is UTF-8 or not. */
    public String rawLine() {
        return readLine().toString(StandardCharsets.ISO_8859_1);
    }

    private ByteArrayOutputStream readLine() {
        try {
            var text = new ByteArrayOutputStream();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    String begin = text.toString(StandardCharsets.UTF_8);
                    throw new AssertionError(
                            "end of stream after "
                                    + text.size()
                                    + " bytes of a line: "
                                    + begin.substring(0, Math.min(80, begin.length())));
                }
                text.write(c);
            }
            return text;
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no line in time", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything up to the end of the stream. */
    public String rest() {
        return new String(restBytes(), StandardCharsets.UTF_8);
    }

    /** The next bytes, fewer at the end of the stream. */
    public String rest(int max) {
        try {
            return new String(in.readNBytes(max), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("neither bytes nor end in time", e);
        } catch (IOException e) {
            return ""; // a reset is an end too
        }
    }

    public byte[] restBytes() {
        try {
            return in.readAllBytes();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed in time", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Checks that the server closes, or has closed, without another byte. */
    public void assertClosed() {
        try {
            assertThat(in.read()).as("the byte read at the end").isEqualTo(-1);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed in time", e);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class); // reset: closed as well
        }
    }

    /** Reads until the server closes or resets, and returns the number of bytes. */
    public long skipToEnd() {
        byte[] piece = new byte[64 * 1024];
        long skipped = 0;
        try {
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                skipped += n;
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed in time", e);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class); // reset: closed as well
        }
        return skipped;
    }

    /** Checks that the connection is open and has no unread responses. */
    public void assertServed() {
        assertThat(request("ping", "", "")).isEqualTo("ok");
    }

    /** The number of bytes that can be read without waiting. */
    public int available() {
        try {
            return in.available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Shuts down the output. */
    public TestClient halfClose() {
        try {
            socket.shutdownOutput();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes with a reset, as after the crash of a machine. */
    public void reset() {
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
