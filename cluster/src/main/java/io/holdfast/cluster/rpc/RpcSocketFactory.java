package io.holdfast.cluster.rpc;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Creates connections: without TLS, or with mutual TLS. */
public final class RpcSocketFactory {
    private static final String PROTOCOL = "TLSv1.3";
    private static final int BACKLOG = 64;

    /** The maximum time for the TLS handshake and the greeting together. */
    static final int GREETING_MILLIS = 5000;

    /** Returns the current address of a host. */
    interface Resolver {
        InetAddress resolve(String host) throws IOException;
    }

    private final @Nullable SSLContext tls;
    private final Resolver resolver;

    /**
     * @param tls null for connections without TLS
     */
    public RpcSocketFactory(@Nullable SSLContext tls) {
        this(tls, InetAddress::getByName);
    }

    /**
     * @param resolver called for each connection
     */
    RpcSocketFactory(@Nullable SSLContext tls, Resolver resolver) {
        this.tls = tls;
        this.resolver = resolver;
    }

    public boolean isSecure() {
        return tls != null;
    }

    /**
     * Connects, and exchanges greetings.
     *
     * @throws RpcRefusedException if one side refuses the other
     */
    RpcConnection connect(InetSocketAddress address, int millis, Handshake handshake)
            throws IOException {
        InetSocketAddress resolved =
                address.isUnresolved()
                        ? new InetSocketAddress(
                                resolver.resolve(address.getHostString()), address.getPort())
                        : address;
        Socket raw = new Socket();
        try {
            RpcConnection.prepare(raw);
            raw.connect(resolved, millis);
            raw.setSoTimeout(millis);
            try (Deadline _ = new Deadline(raw, GREETING_MILLIS)) {
                RpcConnection rpcConnection = new RpcConnection(secured(raw, address), raw);
                rpcConnection.open(handshake);
                if (!isSecure()) {
                    handshake.prove(rpcConnection::exchange);
                }
                raw.setSoTimeout(0);
                return rpcConnection;
            }
        } catch (IOException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    private Socket secured(Socket raw, InetSocketAddress address) throws IOException {
        if (tls == null) {
            return raw;
        }
        SSLSocket secure =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(
                                        raw, address.getHostString(), address.getPort(), true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    ServerSocket listen(InetSocketAddress address) throws IOException {
        ServerSocket listening = new ServerSocket();
        try {
            listening.setReuseAddress(true);
            InetAddress host = InetAddress.getByName(address.getHostString());
            listening.bind(new InetSocketAddress(host, address.getPort()), BACKLOG);
            return listening;
        } catch (IOException | RuntimeException e) {
            listening.close();
            throw e;
        }
    }

    /** An accepted connection whose opener has sent its greeting. */
    record Accepted(RpcConnection connection, Greeting opener) {}

    /** Completes an accepted connection: the TLS handshake and the greeting of the opener. */
    Accepted accepted(Socket raw, int millis) throws IOException {
        RpcConnection.prepare(raw);
        try (Deadline _ = new Deadline(raw, millis)) {
            RpcConnection rpcConnection = new RpcConnection(secured(raw), raw);
            return new Accepted(rpcConnection, rpcConnection.readGreeting());
        }
    }

    private Socket secured(Socket raw) throws IOException {
        if (tls == null) {
            return raw;
        }
        SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(raw, null, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setNeedClientAuth(true);
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }
}
