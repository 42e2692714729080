package io.holdfast.verification.campaign;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which each request gets one line as its response. For one thread. */
final class RequestSocket implements Closeable {
    private static final int CONNECT_MILLIS = 2000;
    private static final int MAX_LINE_BYTES = 1 << 16;

    private final int node;
    private final Socket socket = new Socket();
    private final InputStream in;
    private long sent;

    /**
     * @param node the index of the node that it connects to
     */
    RequestSocket(int node, int port) throws IOException {
        this.node = node;
        try {
            socket.setTcpNoDelay(true);
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    int node() {
        return node;
    }

    /** When the last request had been written, as {@link System#nanoTime}. */
    long sent() {
        return sent;
    }

    /** Sends a request and returns the response line without its end. */
    String request(String request, int timeoutMillis) throws IOException {
        socket.setSoTimeout(timeoutMillis);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        sent = System.nanoTime();
        return readLine();
    }

    /** Whether the connection ends within a time in which no data is expected. */
    boolean endsWithin(int millis) {
        try {
            socket.setSoTimeout(Math.max(1, millis));
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the node closed the connection");
            }
            if (line.size() == MAX_LINE_BYTES) {
                throw new IOException("the response is too long");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // closed nevertheless
        }
    }
}
