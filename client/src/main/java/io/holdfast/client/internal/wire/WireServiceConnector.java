package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.TimerClock;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Connects to servers. */
public final class WireServiceConnector {
    private WireServiceConnector() {}

    /**
     * Connects, authenticates and detects whether the server has tagged mode. Blocks for at most
     * the connect timeout per address, and again for that time for each of the first responses.
     */
    public static LockService connect(
            ServiceConfig config, ServiceEvents events, TimerClock timerClock)
            throws ServiceException, InterruptedException {
        ServiceException failure = null;
        for (InetSocketAddress address : config.addresses()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                return connect(config, events, timerClock, address);
            } catch (ServiceException e) {
                if (failure == null || failure.kind() != Kind.AUTHENTICATION) {
                    failure = e;
                }
            }
        }
        throw failure == null ? LineSocket.unreachable("any server", "no address", null) : failure;
    }

    private static LockService connect(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            InetSocketAddress address)
            throws ServiceException {
        LineSocket socket = LineSocket.dial(config, address);
        boolean ready = false;
        try {
            socket.readTimeout(config.connectTimeout());
            socket.authenticate(config.authToken());
            LockService service = negotiate(config, events, timerClock, address, socket);
            ready = true;
            return service;
        } catch (IOException | RuntimeException e) { // the token's supplier may throw
            throw LineSocket.unreachable(socket.address(), ConnectionFailureText.reason(e), e);
        } finally {
            if (!ready) {
                socket.close();
            }
        }
    }

    /** Old servers respond with {@code error}, which serves as well. */
    private static String ping(LineSocket socket) throws IOException {
        socket.write("ping", "_", "_");
        return socket.readLine();
    }

    private static LockService negotiate(
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock,
            InetSocketAddress address,
            LineSocket socket)
            throws IOException, ServiceException {
        String response =
                config.plain() ? ping(socket) : socket.hello(HelloResponse.argument(config, null));
        boolean pinged = config.plain() && response.equals("ok");
        if (!pinged && HelloResponse.isTaggedOrPlain(response, socket.address())) {
            socket.readTimeout(config.readTimeout());
            return TaggedService.open(config, events, timerClock, socket, response);
        }
        socket.readTimeout(Duration.ZERO);
        return PlainService.open(config, events, timerClock, socket, address);
    }
}
