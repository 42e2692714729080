package io.holdfast.cluster.rpc;

import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Calls one other node. Connects when there is something to send, and again after a connection has
 * closed. A call in flight then fails, and the other node may or may not have executed it.
 */
public final class NodeRpcClient implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRpcClient.class);
    private static final int CONNECT_MILLIS = 1000;

    /** The delay before the next attempt after a failed connect. */
    private static final long RETRY_NANOS = 50_000_000L;

    /** The delay before the next attempt after a refused connection. */
    private static final long REFUSED_RETRY_NANOS = 500_000_000L;

    /** The number of the last one-way messages whose rejection is still reported. */
    private static final int MAX_REJECTABLE = 8;

    private static final class Call {
        final CompletableFuture<byte[]> response = new CompletableFuture<>();
        final RpcConnection connection;
        final long timeoutNanos;

        /** When the last part of the call was sent, or it was made. */
        volatile long progressNanos = System.nanoTime();

        Call(RpcConnection rpcConnection, long timeoutNanos) {
            this.connection = rpcConnection;
            this.timeoutNanos = timeoutNanos;
        }

        void onProgress() {
            progressNanos = System.nanoTime();
        }
    }

    private static final class OneWayMessage {
        final long number;
        final byte kind;
        final byte[] body;
        final Runnable onRejected;

        OneWayMessage(long number, byte kind, byte[] body, Runnable onRejected) {
            this.number = number;
            this.kind = kind;
            this.body = body;
            this.onRejected = onRejected;
        }
    }

    private final Supplier<InetSocketAddress> address;
    private final RpcSocketFactory rpcSocketFactory;
    private final Handshake handshake;
    private final String name;
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong lastCall = new AtomicLong();

    /** Guarded by itself. */
    private final Map<Long, Runnable> rejectable =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Runnable> eldest) {
                    return size() > MAX_REJECTABLE;
                }
            };

    /** Messages that wait for a connection; guarded by {@link #rejectable}. */
    private final Deque<OneWayMessage> unsent = new ArrayDeque<>();

    private final ThreadFactory threads;
    private final AtomicBoolean connecting = new AtomicBoolean();

    /** Held while connecting, which may take long; closing a connection does not need it. */
    private final Lock connectLock = new ReentrantLock();

    private final AtomicReference<@Nullable RpcConnection> current = new AtomicReference<>();
    private volatile long lastReceivedNanos = System.nanoTime();

    /** Guarded by {@link #connectLock}. */
    private long retryAtNanos = System.nanoTime();

    private volatile boolean closed;

    /**
     * @param name the name of its threads
     * @param address read for each connection; a host name in it is resolved for each connection
     */
    public NodeRpcClient(
            String name,
            Supplier<InetSocketAddress> address,
            RpcSocketFactory rpcSocketFactory,
            Handshake handshake) {
        this(
                name,
                address,
                rpcSocketFactory,
                handshake,
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * @param threads creates a thread for each connection
     */
    NodeRpcClient(
            String name,
            Supplier<InetSocketAddress> address,
            RpcSocketFactory rpcSocketFactory,
            Handshake handshake,
            ThreadFactory threads) {
        this.name = name;
        this.address = address;
        this.rpcSocketFactory = rpcSocketFactory;
        this.handshake = handshake;
        this.threads = threads;
    }

    /**
     * Sends a call, and connects first if necessary.
     *
     * @param timeoutMillis if for this time nothing is received and no part of the call is sent,
     *     the connection is closed
     */
    public CompletableFuture<byte[]> call(byte kind, byte[] body, long timeoutMillis) {
        try {
            return call(connected(), kind, body, timeoutMillis);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Sends a call, or fails at once if there is no connection and connects in the background: the
     * caller never waits for a connect.
     */
    public CompletableFuture<byte[]> callIfConnected(byte kind, byte[] body, long timeoutMillis) {
        RpcConnection open = current.get();
        if (open == null) {
            connectInBackground();
            return CompletableFuture.failedFuture(new IOException("not connected yet"));
        }
        return call(open, kind, body, timeoutMillis);
    }

    /** Connects if there is no connection; the caller does not wait. */
    public void connectInBackground() {
        if (isConnected()) {
            return;
        }
        if (connecting.compareAndSet(false, true)) {
            Thread.startVirtualThread(
                    () -> {
                        try {
                            connected();
                        } catch (IOException e) {
                            LOG.atDebug()
                                    .setCause(e)
                                    .addKeyValue("to", name)
                                    .log("cannot connect to the peer");
                        } finally {
                            connecting.set(false);
                        }
                    });
        }
    }

    private CompletableFuture<byte[]> call(
            RpcConnection open, byte kind, byte[] body, long timeoutMillis) {
        long number = lastCall.incrementAndGet();
        Call call = new Call(open, timeoutMillis * 1_000_000L);
        calls.put(number, call);
        try {
            open.send(kind, number, body, call::onProgress);
        } catch (IOException e) {
            disconnected(open, e);
        }
        if (!open.equals(current.get())) { // it may have closed before the call was registered
            disconnected(open, new IOException("the connection was closed"));
        }
        return call.response;
    }

    /** Whether there is a connection. */
    public boolean isConnected() {
        return current.get() != null;
    }

    /**
     * Sends a message without a response if there is a connection, and drops it otherwise. Returns
     * whether there was one.
     */
    public boolean sendOneWay(byte kind, byte[] body) {
        RpcConnection open = current.get();
        if (open == null) {
            return false;
        }
        try {
            open.send(kind, 0, body);
            return true;
        } catch (IOException e) {
            disconnected(open, e);
            return false;
        }
    }

    /**
     * Sends a message that has a response only if it is rejected. The messages of one thread arrive
     * in order, if they arrive. The caller does not wait for a connection: another thread then
     * sends the message.
     *
     * @param onRejected called if the message is known to be rejected or not sent
     */
    public void sendOneWay(byte kind, byte[] body, Runnable onRejected) {
        OneWayMessage oneWayMessage =
                new OneWayMessage(lastCall.incrementAndGet(), kind, body, onRejected);
        RpcConnection open;
        synchronized (rejectable) {
            open = current.get();
            if (!unsent.isEmpty() || open == null) {
                unsent.addLast(oneWayMessage);
                if (unsent.size() == 1) {
                    Thread.startVirtualThread(this::flushUnsent);
                }
                return;
            }
        }
        write(open, oneWayMessage);
    }

    private void flushUnsent() {
        RpcConnection open = null;
        try {
            open = connected();
        } catch (IOException | RuntimeException | Error e) {
            // not rethrown: otherwise no message would ever be sent again
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("cannot connect to the peer");
        }
        while (true) {
            OneWayMessage next;
            synchronized (rejectable) {
                next = unsent.getFirst();
            }
            try {
                if (open == null) {
                    next.onRejected.run();
                } else {
                    write(open, next);
                }
            } catch (RuntimeException | Error e) {
                LOG.atWarn()
                        .setCause(e)
                        .addKeyValue("to", name)
                        .log("could not send a message to the peer");
            }
            synchronized (rejectable) { // not before: later messages must not overtake it
                unsent.removeFirst();
                if (unsent.isEmpty()) {
                    return;
                }
            }
        }
    }

    private void write(RpcConnection open, OneWayMessage oneWayMessage) {
        synchronized (rejectable) {
            rejectable.put(oneWayMessage.number, oneWayMessage.onRejected);
        }
        try {
            open.send(oneWayMessage.kind, oneWayMessage.number, oneWayMessage.body);
        } catch (IOException e) {
            disconnected(open, e);
            reject(oneWayMessage.number);
        }
    }

    private void reject(long number) {
        Runnable onRejected;
        synchronized (rejectable) {
            onRejected = rejectable.remove(number);
        }
        if (onRejected != null) {
            onRejected.run();
        }
    }

    /** Closes the connection, if there is one, so that the next message uses a new one. */
    public void reconnect() {
        RpcConnection open = current.get();
        if (open != null) {
            disconnected(open, new IOException("connection closed: reconnecting"));
        }
    }

    /** Closes the connection if a call made no progress for its timeout. Called periodically. */
    public void check() {
        long now = System.nanoTime();
        RpcConnection open = current.get();
        if (open == null) {
            return;
        }
        for (Call call : calls.values()) {
            if (call.connection.equals(open)
                    && now - call.progressNanos > call.timeoutNanos
                    && now - lastReceivedNanos > call.timeoutNanos) {
                disconnected(open, new IOException("no response in time"));
                return;
            }
        }
    }

    private RpcConnection connected() throws IOException {
        RpcConnection open = current.get();
        return open != null ? open : connect();
    }

    private RpcConnection connect() throws IOException {
        connectLock.lock();
        try {
            RpcConnection open = current.get();
            if (open != null) {
                return open;
            }
            if (closed) {
                throw new IOException("closed");
            }
            if (System.nanoTime() - retryAtNanos < 0) {
                throw new IOException("not reachable: an attempt to connect has just failed");
            }
            return open();
        } finally {
            connectLock.unlock();
        }
    }

    private RpcConnection open() throws IOException {
        try {
            return startReading(rpcSocketFactory.connect(address.get(), CONNECT_MILLIS, handshake));
        } catch (RpcRefusedException e) {
            retryAtNanos = System.nanoTime() + REFUSED_RETRY_NANOS;
            handshake.refused(String.valueOf(e.getMessage()));
            throw e;
        } catch (IOException | RuntimeException e) {
            retryAtNanos = System.nanoTime() + RETRY_NANOS;
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    private RpcConnection startReading(RpcConnection opened) throws IOException {
        lastReceivedNanos = System.nanoTime();
        current.set(opened);
        try {
            threads.newThread(() -> read(opened)).start();
        } catch (RuntimeException | Error e) {
            // a connection is useless if its responses are not read
            IOException failure =
                    new IOException(
                            "cannot start a thread that reads from the node: " + FailureText.of(e),
                            e);
            disconnected(opened, failure);
            throw failure;
        }
        if (closed) {
            disconnected(opened, new IOException("closed"));
        }
        return opened;
    }

    private void read(RpcConnection open) {
        try {
            while (true) {
                RpcFrame rpcFrame = open.read();
                lastReceivedNanos = System.nanoTime();
                Call call = calls.remove(rpcFrame.call);
                if (call == null) {
                    if (rpcFrame.kind == RpcFrame.FAILED) {
                        reject(rpcFrame.call);
                    }
                } else if (rpcFrame.kind == RpcFrame.DONE) {
                    call.response.complete(rpcFrame.body);
                } else {
                    call.response.completeExceptionally(
                            new RemoteCallFailedException(
                                    new String(rpcFrame.body, StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("connection to the peer closed");
            disconnected(open, closed(e));
        }
    }

    private static IOException closed(Throwable failure) {
        return failure instanceof EOFException
                ? new IOException("the other side closed the connection", failure)
                : new IOException("the connection was closed: " + FailureText.of(failure), failure);
    }

    private void disconnected(RpcConnection connection, IOException reason) {
        current.compareAndSet(connection, null);
        connection.close();
        calls.forEach(
                (number, call) -> {
                    if (call.connection.equals(connection) && calls.remove(number, call)) {
                        call.response.completeExceptionally(reason);
                    }
                });
    }

    @Override
    public void close() {
        closed = true;
        reconnect();
    }
}
