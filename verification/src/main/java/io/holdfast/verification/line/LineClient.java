package io.holdfast.verification.line;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A blocking TCP connection that carries lines. For one thread at a time; any may close it. */
public final class LineClient implements Closeable {
    /** The default, in bytes: enough for the statistics of a server with a million keys. */
    private static final int MAX_LINE = 128 << 20;

    private final Socket socket;
    private final InputStream in;
    private final int maxLine;
    private long sent;

    private LineClient(Socket socket, int maxLine) throws IOException {
        this.socket = socket;
        this.maxLine = maxLine;
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects to a port of this machine. */
    public static LineClient connect(int port, Duration timeout) throws IOException {
        return connect(port, timeout, MAX_LINE);
    }

    /**
     * Connects to a port of this machine.
     *
     * @param maxLine the maximum length of a line, in bytes
     */
    public static LineClient connect(int port, Duration timeout, int maxLine) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return connect(address, timeout, null, maxLine);
    }

    /**
     * Connects.
     *
     * @param tls null for plain TCP
     */
    public static LineClient connect(
            InetSocketAddress server, Duration timeout, @Nullable SSLContext tls)
            throws IOException {
        return connect(server, timeout, tls, MAX_LINE);
    }

    private static LineClient connect(
            InetSocketAddress server, Duration timeout, @Nullable SSLContext tls, int maxLine)
            throws IOException {
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(server, millis(timeout));
            return new LineClient(
                    tls == null ? socket : handshake(tls, socket, server, timeout), maxLine);
        } catch (UnknownHostException e) {
            socket.close();
            throw new IOException("unknown host " + server.getHostString(), e);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket handshake(
            SSLContext tls, Socket plain, InetSocketAddress server, Duration timeout)
            throws IOException {
        var socket =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(
                                        plain, server.getHostString(), server.getPort(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(millis(timeout));
        socket.startHandshake();
        return socket;
    }

    public void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        sent = System.nanoTime();
    }

    /** When the last text had been written, as {@link System#nanoTime}. */
    public long sent() {
        return sent;
    }

    /**
     * Returns the next line without its end.
     *
     * @throws SocketTimeoutException if no byte arrives within the timeout
     */
    public String readLine(Duration timeout) throws IOException {
        socket.setSoTimeout(millis(timeout));
        var line = new ByteArrayOutputStream(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (line.size() == maxLine) {
                throw new IOException("the response is too long");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Sends a request and returns the line that follows. */
    public String request(String text, Duration timeout) throws IOException {
        write(text);
        return readLine(timeout);
    }

    /** Discards bytes that are not lines. */
    public void skip(long bytes) throws IOException {
        in.skipNBytes(bytes);
    }

    /** Whether the connection ends within a time in which no data is expected. */
    public boolean endsWithin(Duration time) {
        try {
            socket.setSoTimeout(millis(time));
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** At least 1, because 0 means no timeout for sockets. */
    private static int millis(Duration time) {
        return (int) Math.max(1, time.toMillis());
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
