package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A socket that carries lines of text. One thread may read while another writes; any thread may
 * close it, which ends both at once.
 */
final class LineSocket implements AutoCloseable {
    /**
     * The maximum length of a line in bytes; responses to {@code stats} and {@code lrange} can be
     * long.
     */
    static final int MAX_LINE = 64 * 1024 * 1024;

    private static final int BUFFER = 64 * 1024;

    /** The first byte of a TLS record that rejects a handshake, and the one after it. */
    private static final byte TLS_ALERT = 21;

    private static final byte TLS_MAJOR_VERSION = 3;

    private final String address;
    private final Socket raw;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int end;
    private boolean received;

    private LineSocket(String address, Socket raw, Socket socket) throws IOException {
        this.address = address;
        this.raw = raw;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /** Connects, and performs the TLS handshake if TLS is configured. */
    static LineSocket dial(ServiceConfig config, InetSocketAddress address)
            throws ServiceException {
        return dial(config, address, unused -> {});
    }

    /**
     * The same.
     *
     * @param dialing receives each socket before it is connected: closing it ends the attempt
     */
    static LineSocket dial(
            ServiceConfig config, InetSocketAddress address, Consumer<Socket> dialing)
            throws ServiceException {
        String text = text(address);
        long deadline = System.nanoTime() + config.connectTimeout().toNanos();
        IOException failure;
        try {
            failure = new UnknownHostException("no address");
            for (InetAddress host : InetAddress.getAllByName(address.getHostString())) {
                try {
                    return dial(config, address, host, deadline, dialing);
                } catch (IOException e) {
                    failure = e;
                }
            }
        } catch (UnknownHostException e) {
            throw unreachable(text, "unknown host", e);
        }
        throw unreachable(text, ConnectionFailureText.reason(failure), failure);
    }

    private static LineSocket dial(
            ServiceConfig config,
            InetSocketAddress address,
            InetAddress host,
            long deadline,
            Consumer<Socket> dialing)
            throws IOException {
        var raw = new Socket();
        boolean up = false;
        try {
            dialing.accept(raw);
            raw.setTcpNoDelay(true);
            raw.setKeepAlive(true);
            raw.connect(new InetSocketAddress(host, address.getPort()), millisUntil(deadline));
            raw.setSoTimeout(millisUntil(deadline));
            SSLContext tls = config.tls();
            Socket socket = tls == null ? raw : handshake(tls, raw, address);
            socket.setSoTimeout(millis(config.readTimeout()));
            var line = new LineSocket(text(address), raw, socket);
            up = true;
            return line;
        } finally {
            if (!up) {
                raw.close();
            }
        }
    }

    private static Socket handshake(SSLContext tls, Socket raw, InetSocketAddress address)
            throws IOException {
        var socket =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(
                                        raw, address.getHostString(), address.getPort(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** {@code host:port}. */
    static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** {@code host:port} of the server. */
    String address() {
        return address;
    }

    /** Sets how long a read may wait for the next byte; zero means no timeout. */
    void readTimeout(Duration timeout) throws IOException {
        socket.setSoTimeout(timeout.isZero() ? 0 : millis(timeout));
    }

    /** Authenticates if there is a token, which no message contains. */
    void authenticate(@Nullable Supplier<String> token) throws ServiceException, IOException {
        if (token == null) {
            return;
        }
        write("auth", "_", token.get());
        String response = readLine();
        if (!response.equals("ok")) {
            throw new ServiceException(
                    ServiceException.Kind.AUTHENTICATION,
                    address
                            + (response.equals("error")
                                    ? " has no authentication: connect without a token"
                                    : " rejected the auth token"),
                    "",
                    null);
        }
    }

    /**
     * Requests tagged mode; a plain dflockd responds with {@code error} and keeps the connection
     * open.
     */
    String hello(String argument) throws IOException {
        write("hello", "_", argument);
        return readLine();
    }

    /** Sends one request; blocks until it has been written to the socket. */
    void write(String command, String key, String argument) throws IOException {
        write((command + "\n" + key + "\n" + argument + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    void write(byte[] bytes, int from, int length) throws IOException {
        out.write(bytes, from, length);
        out.flush();
    }

    /**
     * The next line, without its end.
     *
     * @throws SocketTimeoutException if no byte arrived within the read timeout; the part of the
     *     line that was read before is discarded
     * @throws EOFException if the server has closed the connection
     */
    String readLine() throws IOException {
        ByteArrayOutputStream partial = null;
        while (true) {
            for (int i = at; i < end; i++) {
                if (buffer[i] == '\n') {
                    String line = line(partial, i);
                    at = i + 1;
                    return line;
                }
            }
            if (at < end) {
                partial = partial == null ? new ByteArrayOutputStream() : partial;
                partial.write(buffer, at, end - at);
                if (partial.size() > MAX_LINE) {
                    throw new IOException("A line is longer than " + MAX_LINE + " bytes");
                }
            }
            fill();
        }
    }

    /**
     * Reads the next bytes. Those of a server that expects TLS are recognized if they come first.
     */
    private void fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(buffer));
        boolean isFirst = !received;
        received = true;
        if (isFirst && !(socket instanceof SSLSocket)) {
            if (end == 0) {
                throw new EOFException(
                        "the server closed the connection without a response; does it require"
                                + " TLS?");
            }
            if (end > 1 && buffer[0] == TLS_ALERT && buffer[1] == TLS_MAJOR_VERSION) {
                throw new IOException("the server requires TLS");
            }
        }
        if (end == 0) {
            throw new EOFException("closed by the server");
        }
    }

    private String line(@Nullable ByteArrayOutputStream before, int upTo) {
        if (before == null) {
            return new String(buffer, at, upTo - at, StandardCharsets.UTF_8);
        }
        before.write(buffer, at, upTo - at);
        return before.toString(StandardCharsets.UTF_8);
    }

    /**
     * Never blocks: closes without a TLS {@code close_notify}, because a writer may be stuck in a
     * write.
     */
    @Override
    public void close() {
        try {
            raw.close();
        } catch (IOException e) {
            // The socket is closed in any case.
        }
    }

    static ServiceException unreachable(String address, String why, @Nullable Throwable cause) {
        return new ServiceException(
                ServiceException.Kind.UNREACHABLE,
                "Cannot connect to " + address + ": " + why,
                "",
                cause);
    }

    private static int millisUntil(long deadline) throws SocketTimeoutException {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw new SocketTimeoutException("connect timeout");
        }
        return (int) Math.min(Integer.MAX_VALUE, left);
    }

    /** At least 1, because 0 means no timeout for sockets. */
    private static int millis(Duration span) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, span.toMillis()));
    }
}
