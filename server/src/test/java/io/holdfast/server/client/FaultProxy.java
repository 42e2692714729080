package io.holdfast.server.client;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A proxy between clients and a server that simulates network faults. Faults affect the connections
 * that are open when they begin; later ones have no faults, unless they are refused.
 */
final class FaultProxy implements AutoCloseable {
    /** A direction of a connection. */
    enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<ProxiedConnection> connections = new ArrayList<>();
    private int accepted;
    private long droppedBytes;
    private boolean refusing;

    FaultProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** The address of the proxy in the form that clients accept. */
    String address() {
        return "127.0.0.1:" + port();
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The number of connections forwarded so far. */
    int accepted() {
        lock.lock();
        try {
            return accepted;
        } finally {
            lock.unlock();
        }
    }

    /** The number of bytes dropped so far. */
    long droppedBytes() {
        lock.lock();
        try {
            return droppedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Drops bytes in this direction; healing closes connections that lost bytes. */
    void drop(Direction direction) {
        change(proxiedConnection -> proxiedConnection.flow(direction).dropping = true);
    }

    /** Delays bytes in this direction. */
    void delay(Direction direction, Duration duration) {
        change(
                proxiedConnection ->
                        proxiedConnection.flow(direction).delayNanos = duration.toNanos());
    }

    /** Holds back bytes and the close in this direction until healed; neither side notices. */
    void stall(Direction direction) {
        change(proxiedConnection -> proxiedConnection.flow(direction).stalled = true);
    }

    /** Closes connections in the normal way. */
    void cut() {
        change(proxiedConnection -> proxiedConnection.close(false));
    }

    /** Resets connections. */
    void reset() {
        change(proxiedConnection -> proxiedConnection.close(true));
    }

    /** Closes connections at the server, while the client does not notice, until healed. */
    void orphan() {
        change(
                proxiedConnection -> {
                    proxiedConnection.toClient.stalled = true;
                    end(proxiedConnection.onward, false);
                });
    }

    /** Closes new connections at once. */
    void refuse() {
        lock.lock();
        try {
            refusing = true;
        } finally {
            lock.unlock();
        }
    }

    void heal() {
        lock.lock();
        try {
            refusing = false;
        } finally {
            lock.unlock();
        }
        change(ProxiedConnection::heal);
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        refuse();
        cut();
    }

    private interface Change {
        void to(ProxiedConnection proxiedConnection);
    }

    private void change(Change change) {
        lock.lock();
        try {
            connections.removeIf(proxiedConnection -> proxiedConnection.closed);
            connections.forEach(change::to);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                if (!forward(client)) {
                    end(client, false);
                }
            }
        } catch (IOException e) {
            // closed: no further connections
        }
    }

    private boolean forward(Socket client) throws IOException {
        lock.lock();
        try {
            if (refusing) {
                return false;
            }
            Socket onward = new Socket();
            try {
                onward.connect(server);
            } catch (IOException e) {
                return false; // the server is not reachable
            }
            client.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            ProxiedConnection proxiedConnection = new ProxiedConnection(client, onward);
            connections.add(proxiedConnection);
            accepted++;
            Thread.ofVirtual()
                    .start(
                            () ->
                                    pump(
                                            proxiedConnection,
                                            proxiedConnection.toServer,
                                            client,
                                            onward));
            Thread.ofVirtual()
                    .start(
                            () ->
                                    pump(
                                            proxiedConnection,
                                            proxiedConnection.toClient,
                                            onward,
                                            client));
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void pump(ProxiedConnection proxiedConnection, Flow flow, Socket from, Socket to) {
        byte[] piece = new byte[16 * 1024];
        try {
            while (true) {
                int length = from.getInputStream().read(piece);
                if (!passes(proxiedConnection, flow, length)) {
                    continue;
                }
                if (length < 0) {
                    to.shutdownOutput();
                    return;
                }
                to.getOutputStream().write(piece, 0, length);
            }
        } catch (IOException e) {
            endBoth(proxiedConnection, flow);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits as long as the fault requires; false if it drops this. */
    private boolean passes(ProxiedConnection proxiedConnection, Flow flow, int length)
            throws InterruptedException, IOException {
        lock.lock();
        try {
            long left = flow.delayNanos;
            while (!proxiedConnection.closed && (flow.stalled || left > 0)) {
                if (flow.stalled) {
                    changed.await();
                } else {
                    left = Math.min(changed.awaitNanos(left), flow.delayNanos);
                }
            }
            if (proxiedConnection.closed) {
                throw new IOException("the connection was cut");
            }
            if (flow.dropping && length > 0) {
                flow.missing = true;
                droppedBytes += length;
                return false;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Closes both sides of a broken connection, but not before a stall is over. */
    private void endBoth(ProxiedConnection proxiedConnection, Flow flow) {
        lock.lock();
        try {
            while (!proxiedConnection.closed && flow.stalled) {
                changed.awaitUninterruptibly();
            }
            proxiedConnection.close(true);
        } finally {
            lock.unlock();
        }
    }

    private static void end(Socket socket, boolean abruptly) {
        try {
            if (abruptly) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException e) {
            // already closed
        }
    }

    /** The faults of one direction of a connection; guarded by the lock. */
    private static final class Flow {
        private boolean stalled;
        private boolean dropping;
        private boolean missing;
        private long delayNanos;
    }

    /** A connection; guarded by the lock. */
    private static final class ProxiedConnection {
        private final Flow toServer = new Flow();
        private final Flow toClient = new Flow();
        private final Socket client;
        private final Socket onward;
        private boolean closed;

        ProxiedConnection(Socket client, Socket onward) {
            this.client = requireNonNull(client);
            this.onward = requireNonNull(onward);
        }

        Flow flow(Direction direction) {
            return direction == Direction.TO_SERVER ? toServer : toClient;
        }

        void heal() {
            if (toServer.missing || toClient.missing) {
                close(true);
                return;
            }
            for (Flow flow : List.of(toServer, toClient)) {
                flow.stalled = false;
                flow.dropping = false;
                flow.delayNanos = 0;
            }
        }

        void close(boolean abruptly) {
            closed = true;
            end(client, abruptly);
            end(onward, abruptly);
        }
    }
}
