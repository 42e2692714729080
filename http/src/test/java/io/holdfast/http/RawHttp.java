package io.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection that says exactly what it is told to, and goes when it is told to. */
public final class RawHttp implements AutoCloseable {
    /** Less than the lease of a lock: one that expires must not pass for one that was released. */
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;

    public RawHttp(TestHttp http) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), http.port());
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends bytes as they are. */
    public RawHttp say(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request with a body. */
    public RawHttp post(String path, String session, String body) {
        return say(head(path, session, body.length()) + body);
    }

    /** The head of a request with a body of some length. */
    public static String head(String path, String session, int length) {
        return "POST "
                + path
                + " HTTP/1.1\r\nHost: localhost\r\nX-Dflockd-Session: "
                + session
                + "\r\nContent-Length: "
                + length
                + "\r\n\r\n";
    }

    /** Reads a head and as many bytes of a body as it says. */
    public String answer() {
        String head = readUntil("\r\n\r\n");
        int at = head.toLowerCase(java.util.Locale.ROOT).indexOf("content-length: ");
        if (at < 0) {
            return head;
        }
        int from = at + "content-length: ".length();
        int length = Integer.parseInt(head.substring(from, head.indexOf('\r', from)));
        try {
            return head
                    + new String(
                            socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads up to and with a text. */
    public String readUntil(String end) {
        StringBuilder read = new StringBuilder();
        try {
            InputStream in = socket.getInputStream();
            while (read.indexOf(end) < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new AssertionError("ended after: " + read);
                }
                read.append((char) next);
            }
            return read.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the other side has ended the connection; waits for it. */
    public boolean isEnded() {
        try {
            while (socket.getInputStream().read() >= 0) {
                // what is left
            }
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // reset
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
