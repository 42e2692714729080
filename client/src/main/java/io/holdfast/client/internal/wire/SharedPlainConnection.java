package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The shared connection for requests that do not wait at the server; reconnects when it is lost.
 * Unsent requests wait for the reconnect, up to the connect timeout unless {@link
 * ImmediateRequest#waitsForConnection} is true.
 */
final class SharedPlainConnection implements PlainConnection.PlainConnectionListener {
    /** Is notified of the loss of the connection. */
    interface SharedConnectionListener {
        /** The connection is lost; a new one will be dialed. */
        void sharedConnectionLost(boolean abruptly);
    }

    private final PlainServiceState serviceState;
    private final SharedConnectionListener sharedConnectionListener;
    private final Deque<ImmediateRequest> queue = new ArrayDeque<>();
    private final ReconnectBackoff reconnectBackoff = new ReconnectBackoff();
    private PlainConnection connection;
    private @Nullable ImmediateRequest inFlight;
    private boolean up;
    private boolean closed;

    SharedPlainConnection(
            PlainServiceState serviceState, SharedConnectionListener sharedConnectionListener) {
        this.serviceState = serviceState;
        this.sharedConnectionListener = sharedConnectionListener;
        this.connection = new PlainConnection(serviceState, this);
    }

    void adopt(LineSocket socket) {
        connection.adopt(socket);
    }

    /** The current connection; it may have ended. */
    PlainConnection connection() {
        return connection;
    }

    void submit(ImmediateRequest request) {
        if (closed) {
            request.failed(closedFailure());
            return;
        }
        queue.add(request);
        next();
        if (!up) {
            startTimeout(request);
        }
    }

    /** Drops a request that has not been sent. */
    void withdraw(ImmediateRequest request) {
        request.withdraw();
        queue.remove(request);
    }

    /** Submits a request ahead of all unsent ones. */
    void submitFirst(ImmediateRequest request) {
        queue.addFirst(request);
        next();
    }

    private void next() {
        while (up && connection.isIdle()) {
            ImmediateRequest request = queue.poll();
            if (request == null) {
                return;
            }
            if (!request.isWithdrawn()) {
                inFlight = request;
                connection.send(request);
            }
        }
    }

    private void startTimeout(ImmediateRequest request) {
        if (request.canExpire()) {
            request.expire(
                    serviceState.after(
                            serviceState.config().connectTimeout().toNanos(),
                            () -> expired(request)));
        }
    }

    private void expired(ImmediateRequest request) {
        if (queue.remove(request)) {
            request.failed(serviceState.failure(Kind.UNREACHABLE, "not connected", null));
        }
    }

    @Override
    public void opened(PlainConnection opened) {
        up = true;
        next();
    }

    @Override
    public void idle(PlainConnection idle) {
        reconnectBackoff.reset();
        inFlight = null;
        next();
    }

    @Override
    public void failed(PlainConnection failed, ServiceException why) {
        if (why.kind() == Kind.AUTHENTICATION) {
            List<ImmediateRequest> all = new ArrayList<>(queue);
            queue.clear();
            all.forEach(request -> request.failed(why));
        }
        dialLater();
    }

    @Override
    public void ended(PlainConnection ended, boolean abruptly) {
        up = false;
        ImmediateRequest request = inFlight;
        inFlight = null;
        if (request != null && request.isRepeatable() && !request.isWithdrawn()) {
            queue.addFirst(request);
        }
        queue.forEach(this::startTimeout);
        dialLater();
        sharedConnectionListener.sharedConnectionLost(abruptly);
    }

    private void dialLater() {
        if (!closed) {
            connection = new PlainConnection(serviceState, this);
            serviceState.after(reconnectBackoff.nextNanos(), this::dial);
        }
    }

    private void dial() {
        if (!closed) {
            connection.dial(PlainConnector.Choice.ANY);
        }
    }

    void close() {
        closed = true;
        up = false;
        connection.close();
        List<ImmediateRequest> all = new ArrayList<>(queue);
        queue.clear();
        ServiceException why = closedFailure();
        if (inFlight != null && inFlight.isRepeatable()) {
            inFlight.failed(why);
        }
        all.forEach(request -> request.failed(why));
    }

    private ServiceException closedFailure() {
        return serviceState.failure(Kind.CLOSED, "the client was closed", null);
    }
}
