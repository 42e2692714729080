package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Opens authenticated connections to a plain dflockd. Closing it aborts dialing at once. */
final class PlainConnector implements AutoCloseable {
    /** Which address to dial. */
    enum Choice {
        /** Any address, the current one first. */
        ANY,
        /** The current address only: servers do not share their holds. */
        SAME
    }

    private final ServiceConfig config;
    private final Set<Socket> dialing = ConcurrentHashMap.newKeySet();
    private volatile InetSocketAddress current;
    private volatile boolean closed;

    PlainConnector(ServiceConfig config, InetSocketAddress current) {
        this.config = config;
        this.current = current;
    }

    /** The current server, for messages. */
    String name() {
        return LineSocket.text(current);
    }

    LineSocket dial(Choice choice) throws ServiceException {
        InetSocketAddress first = current;
        if (choice == Choice.SAME) {
            return dial(first);
        }
        List<InetSocketAddress> all = config.addresses();
        int start = Math.max(0, all.indexOf(first));
        ServiceException failure = null;
        for (int i = 0; i < all.size(); i++) {
            InetSocketAddress address = all.get((start + i) % all.size());
            try {
                LineSocket socket = dial(address);
                current = address;
                return socket;
            } catch (ServiceException e) {
                failure = moreSpecific(failure, e);
            }
        }
        throw failure == null ? LineSocket.unreachable("any server", "no address", null) : failure;
    }

    private static ServiceException moreSpecific(@Nullable ServiceException a, ServiceException b) {
        return a != null && a.kind() == Kind.AUTHENTICATION ? a : b;
    }

    private LineSocket dial(InetSocketAddress address) throws ServiceException {
        Socket[] last = new Socket[1];
        try {
            LineSocket socket =
                    open(
                            config,
                            address,
                            raw -> {
                                if (last[0] != null) {
                                    dialing.remove(last[0]);
                                }
                                last[0] = raw;
                                dialing.add(raw);
                                if (closed) {
                                    closeQuietly(raw);
                                }
                            });
            if (closed) {
                socket.close();
                throw new ServiceException(
                        Kind.CLOSED,
                        LineSocket.text(address) + ": the client was closed",
                        "",
                        null);
            }
            return socket;
        } finally {
            if (last[0] != null) {
                dialing.remove(last[0]);
            }
        }
    }

    /** Connects and authenticates; the connection has no read timeout. */
    static LineSocket open(
            ServiceConfig config, InetSocketAddress address, Consumer<Socket> dialing)
            throws ServiceException {
        LineSocket socket = LineSocket.dial(config, address, dialing);
        boolean ready = false;
        try {
            socket.authenticate(config.authToken());
            socket.readTimeout(Duration.ZERO);
            ready = true;
            return socket;
        } catch (IOException | RuntimeException e) { // the token's supplier may throw
            throw LineSocket.unreachable(socket.address(), ConnectionFailureText.reason(e), e);
        } finally {
            if (!ready) {
                socket.close();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        dialing.forEach(PlainConnector::closeQuietly);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed in any case.
        }
    }
}
