package io.holdfast.cli.serve;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One client of a conversation. Bytes are characters up to U+00FF. */
final class VectorClient implements Closeable {
    private final Socket socket;
    private final byte[] piece = new byte[65536];
    private String unread = "";
    private boolean ended;

    VectorClient(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setTcpNoDelay(true);
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The next line, without its end. */
    String line(Duration within) throws IOException {
        long deadline = System.nanoTime() + within.toNanos();
        int feed = unread.indexOf('\n');
        for (; feed < 0; feed = unread.indexOf('\n')) {
            if (ended) {
                throw new Mismatch("connection closed, unread " + quoted(unread));
            }
            if (!receive(deadline)) {
                throw new Mismatch("no line within " + within + ", unread " + quoted(unread));
            }
        }
        String line = unread.substring(0, feed);
        unread = unread.substring(feed + 1);
        return line;
    }

    /** The server must close the connection without another byte. */
    void expectEnd(Duration within) throws IOException {
        long deadline = System.nanoTime() + within.toNanos();
        while (!ended) {
            if (!receive(deadline)) {
                throw new Mismatch("still open after " + within);
            }
        }
        if (!unread.isEmpty()) {
            throw new Mismatch("closed, but first sent " + quoted(unread));
        }
    }

    void expectSilence(Duration span) throws IOException {
        boolean silent = unread.isEmpty() && !receive(System.nanoTime() + span.toNanos());
        if (!silent) {
            throw new Mismatch(
                    "wanted silence, got " + quoted(unread) + (ended ? " and the end" : ""));
        }
    }

    /** Waits for bytes or the end; false if neither came in time. */
    private boolean receive(long deadline) throws IOException {
        long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
        socket.setSoTimeout((int) left);
        try {
            int count = socket.getInputStream().read(piece);
            if (count < 0) {
                ended = true;
            } else {
                unread += new String(piece, 0, count, StandardCharsets.ISO_8859_1);
            }
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) { // a reset is an end too
            ended = true;
        }
        return true;
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\n", "\\n").replace("\r", "\\r") + "\"";
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
