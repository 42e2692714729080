package io.holdfast.client.internal.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Maintains a connection on its own thread: dials, reads until the connection ends, and dials
 * again.
 */
final class ReconnectingConnection {
    /** Receives the events of the connection, on its thread. */
    interface ConnectionListener {
        /** The session to resume, or null for a new one. */
        @Nullable HelloResponse resumable();

        void up(AsyncLineSocket asyncLineSocket, HelloResponse helloResponse);

        void line(AsyncLineSocket asyncLineSocket, String line);

        void down(AsyncLineSocket asyncLineSocket, IOException why);

        /** None of the addresses could be connected to; there will be another attempt. */
        void failed(ServiceException why);
    }

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Limits the backoff after a short connection: a server that accepts and drops connections is
     * retried sooner than one that is unreachable.
     */
    private static final int MAX_FAILURES_AFTER_CONNECTION = 3;

    private final ServiceConfig config;
    private final ConnectionListener connectionListener;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private final @Nullable AsyncLineSocket first;
    private int nextAddress;

    @GuardedBy("this")
    private @Nullable Socket dialed;

    private volatile @Nullable AsyncLineSocket asyncLineSocket;

    /**
     * Creates a connection that has not been started.
     *
     * @param first an open connection to begin with, or null
     */
    ReconnectingConnection(
            ServiceConfig config,
            @Nullable AsyncLineSocket first,
            ConnectionListener connectionListener) {
        this.config = config;
        this.first = first;
        this.asyncLineSocket = first;
        this.connectionListener = connectionListener;
        this.thread =
                new Thread(
                        this::run,
                        "holdfast connection " + LineSocket.text(config.addresses().get(0)));
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Ends the connection and every attempt at one; does not wait. */
    void stop() {
        stopped.countDown();
        synchronized (this) {
            closeQuietly(dialed);
        }
        AsyncLineSocket open = asyncLineSocket;
        if (open != null) {
            open.close();
        }
    }

    /**
     * Waits up to {@code timeout} for each of its threads to end, except for the calling thread.
     */
    void join(Duration timeout) throws InterruptedException {
        if (!thread.equals(Thread.currentThread())) {
            thread.join(Math.max(1, timeout.toMillis()));
        }
        AsyncLineSocket last = asyncLineSocket;
        if (last != null) {
            last.join(Math.max(1, timeout.toMillis()));
        }
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private void run() {
        int failures = 0;
        if (first != null) {
            failures = failuresAfter(readUntilEnd(first), failures);
        }
        while (!isStopped()) {
            pause(failures);
            if (!isStopped()) {
                failures = connectAndRead(failures);
            }
        }
    }

    /**
     * The number of failures that determines the backoff after a connection that lasted {@code
     * nanos}.
     */
    private static int failuresAfter(long nanos, int failures) {
        return nanos > STABLE_NANOS ? 0 : Math.min(failures + 1, MAX_FAILURES_AFTER_CONNECTION);
    }

    private int connectAndRead(int failures) {
        ServiceException failure = null;
        int addresses = config.addresses().size();
        for (int i = 0; i < addresses && !isStopped(); i++) {
            try {
                Dialed open = dial(config.addresses().get(nextAddress));
                var up = new AsyncLineSocket(open.socket());
                asyncLineSocket = up;
                if (isStopped()) { // stop() may have run before the channel was set
                    up.close();
                    return failures;
                }
                connectionListener.up(up, open.hello());
                return failuresAfter(readUntilEnd(up), failures);
            } catch (ServiceException e) {
                failure = moreSpecific(failure, e);
                nextAddress = (nextAddress + 1) % addresses;
            }
        }
        if (failure != null && !isStopped()) {
            connectionListener.failed(failure);
        }
        return failures + 1;
    }

    /** The more specific of two failures: the first one that is not just unreachable. */
    private static ServiceException moreSpecific(
            @Nullable ServiceException one, ServiceException other) {
        return one == null || one.kind() == ServiceException.Kind.UNREACHABLE ? other : one;
    }

    private record Dialed(LineSocket socket, HelloResponse hello) {}

    private Dialed dial(InetSocketAddress address) throws ServiceException {
        LineSocket socket = LineSocket.dial(config, address, this::dialing);
        boolean up = false;
        try {
            socket.readTimeout(config.connectTimeout());
            socket.authenticate(config.authToken());
            String response =
                    socket.hello(HelloResponse.argument(config, connectionListener.resumable()));
            if (!HelloResponse.isTaggedOrPlain(response, socket.address())) {
                throw new ServiceException(
                        ServiceException.Kind.UNSUPPORTED,
                        socket.address()
                                + " has no tagged mode any more: it is now a plain dflockd",
                        "",
                        null);
            }
            HelloResponse helloResponse = HelloResponse.parse(response);
            socket.readTimeout(config.readTimeout());
            up = true;
            return new Dialed(socket, helloResponse);
        } catch (IOException | RuntimeException e) { // the token's supplier may throw anything
            throw LineSocket.unreachable(socket.address(), ConnectionFailureText.reason(e), e);
        } finally {
            if (!up) {
                socket.close();
            }
        }
    }

    private synchronized void dialing(Socket socket) {
        dialed = socket;
        if (isStopped()) {
            closeQuietly(socket);
        }
    }

    /** Reads until the connection ends; returns how long it lasted in nanoseconds. */
    private long readUntilEnd(AsyncLineSocket open) {
        long since = System.nanoTime();
        try {
            while (true) {
                connectionListener.line(open, open.readLine());
            }
        } catch (IOException e) {
            open.close();
            connectionListener.down(open, e);
        }
        return System.nanoTime() - since;
    }

    private void pause(int failures) {
        if (failures == 0) {
            return;
        }
        long maxNanos = Math.min(MAX_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(10, failures - 1));
        long nanos = ThreadLocalRandom.current().nextLong(maxNanos / 2, maxNanos);
        try {
            stopped.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            stopped.countDown(); // this thread is not interrupted in normal operation: stop
        }
    }

    private static void closeQuietly(@Nullable Socket socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // The socket is closed in any case.
            }
        }
    }
}
