package io.holdfast.cluster.link;

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
public final class Caller implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Caller.class);
    private static final int CONNECT_MILLIS = 1000;

    /** After it could not connect it does not try again for so long. */
    private static final long REST_NANOS = 50_000_000L;

    /** So many of the last tellings can still be refused. */
    private static final int REMEMBERED = 8;

    private static final class Call {
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        final Link link;
        final long sentNanos;
        final long patienceNanos;

        Call(Link link, long sentNanos, long patienceNanos) {
            this.link = link;
            this.sentNanos = sentNanos;
            this.patienceNanos = patienceNanos;
        }
    }

    private static final class Telling {
        final long number;
        final byte kind;
        final byte[] body;
        final Runnable refused;

        Telling(long number, byte kind, byte[] body, Runnable refused) {
            this.number = number;
            this.kind = kind;
            this.body = body;
            this.refused = refused;
        }
    }

    private final Supplier<InetSocketAddress> address;
    private final Sockets sockets;
    private final String name;
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong lastCall = new AtomicLong();

    /** Guarded by itself. */
    private final Map<Long, Runnable> tellings =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Runnable> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /** What waits for a connection; guarded by {@link #tellings}. */
    private final Deque<Telling> unsaid = new ArrayDeque<>();

    private final ThreadFactory threads;
    private final AtomicBoolean connecting = new AtomicBoolean();

    /** Held while a connection is made, which may take long: whatever ends one does without. */
    private final Lock making = new ReentrantLock();

    private final AtomicReference<@Nullable Link> link = new AtomicReference<>();
    private volatile long heardNanos = System.nanoTime();

    /** Guarded by {@link #making}. */
    private long failedNanos = System.nanoTime() - REST_NANOS;

    private volatile boolean closed;

    /**
     * @param name for its thread
     * @param address asked each time it connects
     */
    public Caller(String name, Supplier<InetSocketAddress> address, Sockets sockets) {
        this(name, address, sockets, Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * @param threads a thread for each connection
     */
    Caller(
            String name,
            Supplier<InetSocketAddress> address,
            Sockets sockets,
            ThreadFactory threads) {
        this.name = name;
        this.address = address;
        this.sockets = sockets;
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
        Link open = link.get();
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

    private CompletableFuture<byte[]> call(Link open, byte kind, byte[] body, long patienceMillis) {
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
    public void tell(byte kind, byte[] body) {
        Link open = link.get();
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
    public void tell(byte kind, byte[] body, Runnable refused) {
        Telling telling = new Telling(lastCall.incrementAndGet(), kind, body, refused);
        Link open;
        synchronized (tellings) {
            open = link.get();
            if (!unsaid.isEmpty() || open == null) {
                unsaid.addLast(telling);
                if (unsaid.size() == 1) {
                    Thread.startVirtualThread(this::sayAll);
                }
                return;
            }
        }
        say(open, telling);
    }

    private void sayAll() {
        Link open = null;
        try {
            open = connected();
        } catch (IOException | RuntimeException | Error e) { // else nothing is ever said again
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("not connected");
        }
        while (true) {
            Telling next;
            synchronized (tellings) {
                next = unsaid.getFirst();
            }
            try {
                if (open == null) {
                    next.refused.run();
                } else {
                    say(open, next);
                }
            } catch (RuntimeException | Error e) {
                LOG.atWarn().setCause(e).addKeyValue("to", name).log("something was not said");
            }
            synchronized (tellings) { // not before: it must not be overtaken
                unsaid.removeFirst();
                if (unsaid.isEmpty()) {
                    return;
                }
            }
        }
    }

    private void say(Link open, Telling telling) {
        synchronized (tellings) {
            tellings.put(telling.number, telling.refused);
        }
        try {
            open.send(telling.kind, telling.number, telling.body);
        } catch (IOException e) {
            lost(open, e);
            refused(telling.number);
        }
    }

    private void refused(long number) {
        Runnable refused;
        synchronized (tellings) {
            refused = tellings.remove(number);
        }
        if (refused != null) {
            refused.run();
        }
    }

    /** Ends the connection, if there is one, so that the next word goes over another. */
    public void reconnect() {
        Link open = link.get();
        if (open != null) {
            lost(open, new IOException("the connection was given up"));
        }
    }

    /** Gives the connection up if a call has been without an answer for too long. */
    public void check() {
        long now = System.nanoTime();
        Link open = link.get();
        if (open == null) {
            return;
        }
        for (Call call : calls.values()) {
            if (call.link.equals(open)
                    && now - call.sentNanos > call.patienceNanos
                    && now - heardNanos > call.patienceNanos) {
                lost(open, new IOException("nothing was heard for too long"));
                return;
            }
        }
    }

    private Link connected() throws IOException {
        Link open = link.get();
        return open != null ? open : connect();
    }

    private Link connect() throws IOException {
        making.lock();
        try {
            Link open = link.get();
            if (open != null) {
                return open;
            }
            if (closed) {
                throw new IOException("closed");
            }
            if (System.nanoTime() - failedNanos < REST_NANOS) {
                throw new IOException("it could not be reached a moment ago");
            }
            return make();
        } finally {
            making.unlock();
        }
    }

    private Link make() throws IOException {
        try {
            return begin(sockets.connect(address.get(), CONNECT_MILLIS));
        } catch (IOException | RuntimeException e) {
            failedNanos = System.nanoTime();
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    private Link begin(Link made) throws IOException {
        heardNanos = System.nanoTime();
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

    private void read(Link open) {
        try {
            while (true) {
                Frame frame = open.read();
                heardNanos = System.nanoTime();
                Call call = calls.remove(frame.call);
                if (call == null) {
                    if (frame.kind == Frame.FAILED) {
                        refused(frame.call);
                    }
                } else if (frame.kind == Frame.DONE) {
                    call.answer.complete(frame.body);
                } else {
                    call.answer.completeExceptionally(
                            new RefusedException(new String(frame.body, StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.atDebug().setCause(e).addKeyValue("to", name).log("a connection ended");
            lost(open, new IOException("the connection has ended: " + e.getMessage(), e));
        }
    }

    private void lost(Link ended, IOException why) {
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
