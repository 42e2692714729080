package io.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An HTTP connection on which a test sends raw bytes. */
public final class RawHttp implements AutoCloseable {
    /** Less than the lease of a lock, so that an expiry is not taken for a release. */
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket;

    public RawHttp(TestHttp http) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), http.port());
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends bytes as they are. */
    public RawHttp send(String text) {
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
        return send(head(path, session, body.length()) + body);
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

    /** Reads the head of a response and its body. */
    public String response() {
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

    /** Reads up to a text, which is included. */
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

    /** Waits for the end of the connection; false if the server does not close it in time. */
    public boolean isEnded() {
        try {
            while (socket.getInputStream().read() >= 0) {
                // discards the rest
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
