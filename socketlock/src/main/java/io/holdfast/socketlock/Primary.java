package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Serves the lock of a path to all processes that connect, as long as it holds the primary lock of
 * the path. All methods are called on the I/O thread.
 */
final class Primary {
    private static final int BACKLOG = 1024;
    private static final int ACCEPTS_AT_ONCE = 64;
    private static final int READ_SIZE = 16 * 1024;
    private static final long ACCEPT_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final IoThread ioThread;
    private final PrimaryLock primaryLock;
    private final LockEventDispatcher events;
    private final PrimaryContext context;
    private final Runnable lost;
    private final ServerSocketChannel listener;
    private final SelectionKey acceptKey;
    private final Set<PrimaryClientConnection> connections = new LinkedHashSet<>();
    private final Queue<PrimaryClientConnection> pendingFlush = new ArrayDeque<>();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_SIZE);
    private IoThread.@Nullable Timer deadline;
    private long deadlineNanos;
    private boolean ended;

    /**
     * Starts serving.
     *
     * @param primaryLock closed when the service ends, or if it cannot start
     * @param lost called once if the primary lock is found to be lost, after the service has ended
     */
    static Primary start(
            IoThread ioThread, PrimaryLock primaryLock, LockConfig config, Runnable lost)
            throws IOException {
        ServerSocketChannel listener = null;
        try {
            listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(UnixDomainSocketAddress.of(primaryLock.bindPath()), BACKLOG);
            return new Primary(ioThread, primaryLock, config, lost, listener);
        } catch (IOException | RuntimeException e) {
            if (listener != null) {
                listener.close();
            }
            primaryLock.stopServing();
            primaryLock.close();
            throw e;
        }
    }

    private Primary(
            IoThread ioThread,
            PrimaryLock primaryLock,
            LockConfig config,
            Runnable lost,
            ServerSocketChannel listener)
            throws IOException {
        this.ioThread = ioThread;
        this.primaryLock = primaryLock;
        this.lost = lost;
        this.listener = listener;
        this.events = new LockEventDispatcher(config.listener());
        this.context = new PrimaryContext(config, primaryLock, events, System.nanoTime());
        this.acceptKey = ioThread.register(listener, SelectionKey.OP_ACCEPT, this::accept);
        primaryLock.publish();
        ioThread.after(CHECK_INTERVAL_NANOS, this::checkPrimaryLock);
        endGrace();
    }

    /** The number of connected clients. */
    int connections() {
        return connections.size();
    }

    LockTable table() {
        return context.table();
    }

    /** Stops the service gracefully, closing all connections. Idempotent. */
    void stop() {
        if (ended) {
            return;
        }
        ended = true;
        primaryLock.stopServing(); // first, so that the holds stay listed for the next primary
        closeQuietly(listener);
        connections.forEach(PrimaryClientConnection::close);
        connections.clear();
        pendingFlush.clear();
        if (deadline != null) {
            ioThread.cancel(deadline);
        }
        primaryLock.close();
        events.end();
    }

    private void accept() {
        for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
            SocketChannel channel;
            try {
                channel = listener.accept();
            } catch (IOException e) { // most likely out of file descriptors: back off
                acceptKey.interestOps(0);
                ioThread.after(ACCEPT_BACK_OFF_NANOS, this::acceptAgain);
                return;
            }
            if (channel == null) {
                return;
            }
            add(channel);
        }
    }

    private void acceptAgain() {
        if (!ended) {
            acceptKey.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void add(SocketChannel channel) {
        var connection = new PrimaryClientConnection(channel, context, pendingFlush::add);
        try {
            connection.register(ioThread, () -> serve(connection));
            connections.add(connection);
        } catch (IOException e) {
            closeQuietly(channel);
        }
    }

    private void serve(PrimaryClientConnection connection) {
        boolean open = false;
        try {
            open = connection.serve(readBuffer);
        } catch (IOException e) {
            // The connection is broken, and is closed below.
        } finally {
            if (!open) {
                end(connection);
            }
            finish(System.nanoTime());
        }
    }

    private void end(PrimaryClientConnection connection) {
        if (connections.remove(connection)) {
            connection.close();
        }
    }

    /** Advances the table and flushes connections until no connection has pending output. */
    private void finish(long nowNanos) {
        if (ended) {
            return;
        }
        context.table().advance(nowNanos);
        while (!pendingFlush.isEmpty() && !context.isLost()) {
            flush(pendingFlush.remove());
            context.table().advance(nowNanos);
        }
        if (context.isLost()) {
            stop();
            lost.run();
        } else {
            setTimer(nowNanos);
        }
    }

    private void flush(PrimaryClientConnection connection) {
        boolean keep;
        try {
            keep = !connections.contains(connection) || connection.flush();
        } catch (IOException e) {
            keep = false;
        }
        if (!keep) {
            end(connection);
        }
    }

    /**
     * Schedules the next deadline. A timer that is too early is harmless, so it is only replaced by
     * an earlier one.
     */
    private void setTimer(long nowNanos) {
        Long next = context.table().nextDeadlineNanos();
        if (next == null || (deadline != null && next - deadlineNanos >= 0)) {
            return;
        }
        if (deadline != null) {
            ioThread.cancel(deadline);
        }
        deadlineNanos = next;
        deadline = ioThread.after(next - nowNanos, this::due);
    }

    private void due() {
        deadline = null;
        finish(System.nanoTime());
    }

    private void checkPrimaryLock() {
        if (ended) {
            return;
        }
        long now = System.nanoTime();
        context.checkPrimaryLock(now);
        ioThread.after(CHECK_INTERVAL_NANOS, this::checkPrimaryLock);
        finish(now);
    }

    private void endGrace() {
        if (ended) {
            return;
        }
        long now = System.nanoTime();
        if (!context.endGrace(now)) {
            ioThread.after(context.nextGraceCheckNanos() - now, this::endGrace);
        }
        finish(now);
    }

    private static void closeQuietly(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is closed in any case.
        }
    }
}
