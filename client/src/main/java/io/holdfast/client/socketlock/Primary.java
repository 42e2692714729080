package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.PrimaryLock;

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
 * Serves the lock of a path to every process that connects, for as long as the seat is its own. All
 * methods are called on the thread of the loop.
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
    private final PrimaryContext desk;
    private final Runnable lost;
    private final ServerSocketChannel listener;
    private final SelectionKey acceptKey;
    private final Set<PrimaryConnection> connections = new LinkedHashSet<>();
    private final Queue<PrimaryConnection> touched = new ArrayDeque<>();
    private final ByteBuffer piece = ByteBuffer.allocateDirect(READ_SIZE);
    private IoThread.@Nullable Timer deadline;
    private long deadlineNanos;
    private boolean ended;

    /**
     * Begins to serve.
     *
     * @param primaryLock closed when this ends, and also if it cannot begin
     * @param lost called once if the path turns out to be somebody else's; by then this has ended
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
        this.desk = new PrimaryContext(config, primaryLock, events, System.nanoTime());
        this.acceptKey = ioThread.register(listener, SelectionKey.OP_ACCEPT, this::accept);
        primaryLock.publish();
        ioThread.after(CHECK_INTERVAL_NANOS, this::checkPrimaryLock);
        endGrace();
    }

    /** How many clients are connected. */
    int connections() {
        return connections.size();
    }

    LockTable table() {
        return desk.table();
    }

    /** Ends the service in an orderly way, whoever is connected. Nothing happens a second time. */
    void stop() {
        if (ended) {
            return;
        }
        ended = true;
        primaryLock.stopServing(); // first: what is held stays listed for the next one
        closeQuietly(listener);
        connections.forEach(PrimaryConnection::close);
        connections.clear();
        touched.clear();
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
            } catch (IOException e) { // no more file descriptors, most likely: not so fast
                acceptKey.interestOps(0);
                ioThread.after(ACCEPT_BACK_OFF_NANOS, this::acceptAgain);
                return;
            }
            if (channel == null) {
                return;
            }
            welcome(channel);
        }
    }

    private void acceptAgain() {
        if (!ended) {
            acceptKey.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void welcome(SocketChannel channel) {
        var connection = new PrimaryConnection(channel, desk, touched::add);
        try {
            connection.register(ioThread, () -> work(connection));
            connections.add(connection);
        } catch (IOException e) {
            closeQuietly(channel);
        }
    }

    private void work(PrimaryConnection connection) {
        boolean goOn = false;
        try {
            goOn = connection.work(piece);
        } catch (IOException e) {
            // This was all it had to say.
        } finally {
            if (!goOn) {
                end(connection);
            }
            finish(System.nanoTime());
        }
    }

    private void end(PrimaryConnection connection) {
        if (connections.remove(connection)) {
            connection.close();
        }
    }

    /** Does what follows from what was done, until there is nothing more. */
    private void finish(long nowNanos) {
        if (ended) {
            return;
        }
        desk.table().advance(nowNanos);
        while (!touched.isEmpty() && !desk.isLost()) {
            flush(touched.remove());
            desk.table().advance(nowNanos);
        }
        if (desk.isLost()) {
            stop();
            lost.run();
        } else {
            setTimer(nowNanos);
        }
    }

    private void flush(PrimaryConnection connection) {
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

    /** A timer that comes too early does no harm, so it is only ever moved forward. */
    private void setTimer(long nowNanos) {
        Long next = desk.table().nextDeadlineNanos();
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
        desk.checkPrimaryLock(now);
        ioThread.after(CHECK_INTERVAL_NANOS, this::checkPrimaryLock);
        finish(now);
    }

    private void endGrace() {
        if (ended) {
            return;
        }
        long now = System.nanoTime();
        if (!desk.endGrace(now)) {
            ioThread.after(desk.nextGraceLookNanos() - now, this::endGrace);
        }
        finish(now);
    }

    private static void closeQuietly(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }
}
