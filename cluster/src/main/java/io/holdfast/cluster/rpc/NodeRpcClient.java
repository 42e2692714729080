package io.holdfast.cluster.rpc;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
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
 * Calls one other node. Connects when there is something to say, and again after a connection has
 * ended; a call that was under way then fails, and the other node may have done it or not.
 */
public final class NodeRpcClient implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRpcClient.class);
    private static final int CONNECT_MILLIS = 1000;

    /** After it could not connect it does not try again for so long. */
    private static final long REST_NANOS = 50_000_000L;

    /** So many of the last tellings can still be refused. */
    private static final int REMEMBERED = 8;

    private static final class Call {
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        final RpcConnection link;
        final long sentNanos;
        final long timeoutNanos;

        Call(RpcConnection rpcConnection, long sentNanos, long patienceNanos) {
            this.link = rpcConnection;
            this.sentNanos = sentNanos;
            this.timeoutNanos = patienceNanos;
        }
    }

    private static final class OneWayMessage {
        final long number;
        final byte kind;
        final byte[] body;
        final Runnable refused;

        OneWayMessage(long number, byte kind, byte[] body, Runnable refused) {
            this.number = number;
            this.kind = kind;
            this.body = body;
            this.refused = refused;
        }
    }

    private final Supplier<InetSocketAddress> address;
    private final RpcSocketFactory rpcSocketFactory;
    private final String name;
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong lastCall = new AtomicLong();

    /** Guarded by itself. */
    private final Map<Long, Runnable> rejectable =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Runnable> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /** What waits for a connection; guarded by {@link #rejectable}. */
    private final Deque<OneWayMessage> unsent = new ArrayDeque<>();

    private final ThreadFactory threads;
    private final AtomicBoolean connecting = new AtomicBoolean();

    /** Held while a connection is made, which may take long: whatever ends one does without. */
    private final Lock making = new ReentrantLock();

    private final AtomicReference<@Nullable RpcConnection> link = new AtomicReference<>();
    private volatile long lastReceivedNanos = System.nanoTime();

    /** Guarded by {@link #making}. */
    private long failedNanos = System.nanoTime() - REST_NANOS;

    private volatile boolean closed;

    /**
     * @param name for its thread
     * @param address asked each time it connects
     */
    public NodeRpcClient(
            String name, Supplier<InetSocketAddress> address, RpcSocketFactory rpcSocketFactory) {
        this(name, address, rpcSocketFactory, Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * @param threads a thread for each connection
     */
    NodeRpcClient(
            String name,
            Supplier<InetSocketAddress> address,
            RpcSocketFactory rpcSocketFactory,
            ThreadFactory threads) {
        this.name = name;
        this.address = address;
        this.rpcSocketFactory = rpcSocketFactory;
        this.threads = threads;
    }

    /**
     * Calls, and connects first if need be.
     *
     * @param patienceMillis if nothing is heard for so long, the connection is given up
     */
    public CompletableFuture<byte[]> call(byte kind, byte[] body, long patienceMillis) {
        try {
            return call(connected(), kind, body, patienceMillis);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Calls, or fails at once and connects meanwhile: whoever calls is never held up by that. */
    public CompletableFuture<byte[]> callIfConnected(byte kind, byte[] body, long patienceMillis) {
        RpcConnection open = link.get();
        if (open == null) {
            connectSoon();
            return CompletableFuture.failedFuture(new IOException("not connected yet"));
        }
        return call(open, kind, body, patienceMillis);
    }

    private void connectSoon() {
        if (connecting.compareAndSet(false, true)) {
            Thread.startVirtualThread(
                    () -> {
                        try {
                            connected();
                        } catch (IOException e) {
                            LOG.atDebug().setCause(e).addKeyValue("to", name).log("not connected");
                        } finally {
                            connecting.set(false);
                        }
                    });
        }
    }

    private CompletableFuture<byte[]> call(
            RpcConnection open, byte kind, byte[] body, long patienceMillis) {
        long number = lastCall.incrementAndGet();
        Call call = new Call(open, System.nanoTime(), patienceMillis * 1_000_000L);
        calls.put(number, call);
        try {
            open.send(kind, number, body);
        } catch (IOException e) {
            lost(open, e);
        }
        if (!open.equals(link.get())) { // it may have ended before the call was noted
            lost(open, new IOException("the connection has ended"));
        }
        return call.answer;
    }

    /** Whether something can be said at once. */
    public boolean isConnected() {
        return link.get() != null;
    }

    /** Says something that is not answered, if it can be said at once. */
    public void sendOneWay(byte kind, byte[] body) {
        RpcConnection open = link.get();
        if (open != null) {
            try {
                open.send(kind, 0, body);
            } catch (IOException e) {
                lost(open, e);
            }
        }
    }

    /**
     * Says something that is answered only if it is refused. What one thread says arrives in order,
     * if it arrives; what cannot be said at once is said by another.
     *
     * @param refused told so, if it is known
     */
    public void sendOneWay(byte kind, byte[] body, Runnable refused) {
        OneWayMessage oneWayMessage =
                new OneWayMessage(lastCall.incrementAndGet(), kind, body, refused);
        RpcConnection open;
        synchronized (rejectable) {
            open = link.get();
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
        } catch (IOException | RuntimeException | Error e) { // else nothing is ever said again
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("not connected");
        }
        while (true) {
            OneWayMessage next;
            synchronized (rejectable) {
                next = unsent.getFirst();
            }
            try {
                if (open == null) {
                    next.refused.run();
                } else {
                    write(open, next);
                }
            } catch (RuntimeException | Error e) {
                LOG.atWarn()
                        .setCause(e)
                        .addKeyValue("to", name)
                        .log("could not deliver messages to the peer; retrying");
            }
            synchronized (rejectable) { // not before: it must not be overtaken
                unsent.removeFirst();
                if (unsent.isEmpty()) {
                    return;
                }
            }
        }
    }

    private void write(RpcConnection open, OneWayMessage oneWayMessage) {
        synchronized (rejectable) {
            rejectable.put(oneWayMessage.number, oneWayMessage.refused);
        }
        try {
            open.send(oneWayMessage.kind, oneWayMessage.number, oneWayMessage.body);
        } catch (IOException e) {
            lost(open, e);
            refused(oneWayMessage.number);
        }
    }

    private void refused(long number) {
        Runnable refused;
        synchronized (rejectable) {
            refused = rejectable.remove(number);
        }
        if (refused != null) {
            refused.run();
        }
    }

    /** Ends the connection, if there is one, so that the next word goes over another. */
    public void reconnect() {
        RpcConnection open = link.get();
        if (open != null) {
            lost(open, new IOException("connection closed: reconnecting"));
        }
    }

    /** Gives the connection up if a call has been without an answer for too long. */
    public void check() {
        long now = System.nanoTime();
        RpcConnection open = link.get();
        if (open == null) {
            return;
        }
        for (Call call : calls.values()) {
            if (call.link.equals(open)
                    && now - call.sentNanos > call.timeoutNanos
                    && now - lastReceivedNanos > call.timeoutNanos) {
                lost(open, new IOException("no response in time"));
                return;
            }
        }
    }

    private RpcConnection connected() throws IOException {
        RpcConnection open = link.get();
        return open != null ? open : connect();
    }

    private RpcConnection connect() throws IOException {
        making.lock();
        try {
            RpcConnection open = link.get();
            if (open != null) {
                return open;
            }
            if (closed) {
                throw new IOException("closed");
            }
            if (System.nanoTime() - failedNanos < REST_NANOS) {
                throw new IOException(
                        "not reachable: the last attempt failed less than a second ago");
            }
            return make();
        } finally {
            making.unlock();
        }
    }

    private RpcConnection make() throws IOException {
        try {
            return begin(rpcSocketFactory.connect(address.get(), CONNECT_MILLIS));
        } catch (IOException | RuntimeException e) {
            failedNanos = System.nanoTime();
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    private RpcConnection begin(RpcConnection made) throws IOException {
        lastReceivedNanos = System.nanoTime();
        link.set(made);
        try {
            threads.newThread(() -> read(made)).start();
        } catch (RuntimeException | Error e) { // it is of no use if its answers are not read
            IOException failure = new IOException("no thread for a connection: " + e, e);
            lost(made, failure);
            throw failure;
        }
        if (closed) {
            lost(made, new IOException("closed"));
        }
        return made;
    }

    private void read(RpcConnection open) {
        try {
            while (true) {
                RpcFrame rpcFrame = open.read();
                lastReceivedNanos = System.nanoTime();
                Call call = calls.remove(rpcFrame.call);
                if (call == null) {
                    if (rpcFrame.kind == RpcFrame.FAILED) {
                        refused(rpcFrame.call);
                    }
                } else if (rpcFrame.kind == RpcFrame.DONE) {
                    call.answer.complete(rpcFrame.body);
                } else {
                    call.answer.completeExceptionally(
                            new RpcRefusedException(
                                    new String(rpcFrame.body, StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("connection to the peer closed");
            lost(open, new IOException("the connection has ended: " + e.getMessage(), e));
        }
    }

    private void lost(RpcConnection ended, IOException why) {
        link.compareAndSet(ended, null);
        ended.close();
        calls.forEach(
                (number, call) -> {
                    if (call.link.equals(ended) && calls.remove(number, call)) {
                        call.answer.completeExceptionally(why);
                    }
                });
    }

    @Override
    public void close() {
        closed = true;
        reconnect();
    }
}
