package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * A connection to a plain dflockd with at most one request in flight, and the holds that end with
 * it. It is pinged while idle, and ends when a response times out. Everything except dialing,
 * reading and writing runs in the serial executor of the service.
 */
final class PlainConnection {
    /** Receives the events of a connection. */
    interface PlainConnectionListener {
        /** Connected; requests may be sent. */
        void opened(PlainConnection plainConnection);

        /** The connection could not be opened. */
        void failed(PlainConnection plainConnection, ServiceException why);

        /** A response was delivered and no other request has been sent since. */
        void idle(PlainConnection plainConnection);

        /**
         * The connection ended, and not by {@link PlainConnection#close}.
         *
         * @param abruptly without an orderly close by the server: other connections may be dead as
         *     well, without an error yet
         */
        void ended(PlainConnection plainConnection, boolean abruptly);

        default void signal(String channel, String payload) {}

        /** Called while idle, about three times per read timeout. */
        default void tick(PlainConnection plainConnection) {}
    }

    private enum State {
        DIALING,
        IDLE,
        BUSY,
        ENDED
    }

    private final PlainServiceState serviceState;
    private final PlainConnectionListener plainConnectionListener;
    private final Set<PlainHold> holds = new LinkedHashSet<>();
    private State state = State.DIALING;
    private @Nullable LineSocket socket;
    private @Nullable PlainRequest current;
    private @Nullable Timer responseTimer;
    private @Nullable Timer tick;
    private long sent;
    private long lastSentNanos;
    private long lastUsedNanos;
    private boolean receivedResponse;
    private boolean hadHoldsAtEnd;

    PlainConnection(
            PlainServiceState serviceState, PlainConnectionListener plainConnectionListener) {
        this.serviceState = serviceState;
        this.plainConnectionListener = plainConnectionListener;
    }

    /** Dials in the background. */
    void dial(PlainConnector.Choice choice) {
        onThread(() -> dialAndRead(choice));
    }

    /** Takes over an open connection. */
    void adopt(LineSocket open) {
        opened(open);
        onThread(() -> read(open));
    }

    private void dialAndRead(PlainConnector.Choice choice) {
        LineSocket open;
        try {
            open = serviceState.dialer().dial(choice);
        } catch (ServiceException e) {
            serviceState.executor().execute(() -> failed(e));
            return;
        }
        serviceState.executor().execute(() -> opened(open));
        read(open);
    }

    private void read(LineSocket open) {
        try {
            while (true) {
                String line = open.readLine();
                serviceState.executor().execute(() -> arrived(line));
            }
        } catch (EOFException e) {
            serviceState
                    .executor()
                    .execute(() -> end("the server closed the connection", null, false));
        } catch (IOException e) {
            serviceState.executor().execute(() -> end("the connection failed", e, true));
        }
    }

    private void failed(ServiceException why) {
        if (state != State.ENDED) {
            state = State.ENDED;
            plainConnectionListener.failed(this, why);
        }
    }

    private void opened(LineSocket open) {
        if (state == State.ENDED) {
            open.close();
            return;
        }
        socket = open;
        state = State.IDLE;
        lastSentNanos = serviceState.now();
        lastUsedNanos = lastSentNanos;
        tick = serviceState.after(thirdOfReadTimeout(), this::tick);
        plainConnectionListener.opened(this);
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    /** Whether a response has ever been received on this connection. */
    boolean hasReceivedResponse() {
        return receivedResponse;
    }

    /** The time of the connect, or of the last response to a request other than a ping. */
    long lastUsedNanos() {
        return lastUsedNanos;
    }

    /** Sends a request; must be idle. */
    void send(PlainRequest plainRequest) {
        LineSocket open = socket;
        if (state != State.IDLE || open == null) {
            throw new IllegalStateException("busy");
        }
        state = State.BUSY;
        current = plainRequest;
        long number = ++sent;
        lastSentNanos = serviceState.now();
        plainRequest.sending(lastSentNanos);
        responseTimer = serviceState.after(plainRequest.timeoutNanos(), () -> timedOut(number));
        String request = plainRequest.request();
        onThread(() -> write(open, request));
    }

    private void write(LineSocket open, String request) {
        try {
            open.write(request.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            serviceState.executor().execute(() -> end("the connection failed", e, true));
        }
    }

    private void arrived(String line) {
        if (state == State.ENDED) {
            return;
        }
        if (line.startsWith("sig ")) {
            int space = line.indexOf(' ', 4);
            if (space > 0) {
                plainConnectionListener.signal(line.substring(4, space), line.substring(space + 1));
            }
            return;
        }
        PlainRequest request = current;
        if (request == null) {
            // Such as an error that the server sends before it closes the connection.
            end("unexpected response without a request", null, false);
            return;
        }
        current = null;
        cancel(responseTimer);
        receivedResponse = true;
        state = State.IDLE;
        if (!(request instanceof Ping)) {
            lastUsedNanos = serviceState.now();
        }
        request.onResponse(this, line);
        if (state == State.IDLE) {
            plainConnectionListener.idle(this);
        }
    }

    private void timedOut(long number) {
        if (current != null && sent == number) {
            end("no response in time", null, true);
        }
    }

    private void tick() {
        if (state == State.ENDED) {
            return;
        }
        removeExpired();
        if (state == State.IDLE) {
            plainConnectionListener.tick(this);
        }
        if (state == State.ENDED) {
            return;
        }
        long third = thirdOfReadTimeout();
        long sentAgo = serviceState.now() - lastSentNanos;
        if (state == State.IDLE && sentAgo >= third) {
            send(new Ping(serviceState.readTimeoutNanos()));
            sentAgo = 0;
        }
        tick = serviceState.after(sentAgo >= third ? third : third - sentAgo, this::tick);
    }

    /**
     * Closes the connection without notifying the listener. The server ends its holds and waiters.
     */
    void close() {
        if (state == State.ENDED) {
            return;
        }
        finish();
        PlainRequest request = current;
        current = null;
        if (request != null) {
            request.lost(serviceState.failure(Kind.CLOSED, "the connection was closed", null));
        }
    }

    /**
     * Ends the connection as if it had failed, because the server is not expected to respond any
     * more.
     */
    void abort() {
        end("closed by the client: the server may be down", null, true);
    }

    private void end(String what, @Nullable Throwable cause, boolean abruptly) {
        if (state == State.ENDED) {
            return;
        }
        finish();
        List<PlainHold> gone = List.copyOf(holds);
        holds.clear();
        gone.forEach(PlainHold::connectionEnded);
        PlainRequest request = current;
        current = null;
        if (request != null) {
            request.lost(serviceState.failure(Kind.OUTCOME_UNKNOWN, what, cause));
        }
        hadHoldsAtEnd = !gone.isEmpty();
        plainConnectionListener.ended(this, abruptly);
    }

    /** Whether holds were lost when the connection ended unexpectedly. */
    boolean hadHoldsAtEnd() {
        return hadHoldsAtEnd;
    }

    private void finish() {
        state = State.ENDED;
        cancel(responseTimer);
        cancel(tick);
        LineSocket open = socket;
        if (open != null) {
            open.close();
        }
    }

    void addHold(PlainHold hold) {
        holds.add(hold);
    }

    void removeHold(PlainHold hold) {
        holds.remove(hold);
    }

    boolean hasHolds() {
        return !holds.isEmpty();
    }

    List<PlainHold> holds() {
        return List.copyOf(holds);
    }

    private void removeExpired() {
        long now = serviceState.now();
        for (PlainHold hold : List.copyOf(holds)) {
            if (hold.isExpiredAt(now)) {
                hold.expired();
            }
        }
    }

    private long thirdOfReadTimeout() {
        return Math.max(1, serviceState.readTimeoutNanos() / 3);
    }

    private void onThread(Runnable task) {
        try {
            serviceState.threads().execute(task);
        } catch (RejectedExecutionException e) {
            end("the client was closed", null, false);
        }
    }

    private static void cancel(@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    /**
     * Keeps the connection alive; an old server responds with {@code error}, which serves as well.
     */
    record Ping(long timeoutNanos) implements PlainRequest {
        @Override
        public String request() {
            return PlainRequest.lines("ping", "_", "_");
        }

        @Override
        public void onResponse(PlainConnection plainConnection, String line) {}

        @Override
        public void lost(ServiceException why) {}
    }
}
