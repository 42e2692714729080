package io.holdfast.lockd;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Establishes the connection. The timeout starts with the construction and covers the lookup and
 * all attempts.
 */
final class LockdConnector {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RETRY_MILLIS = 10;

    private final LockdServerAddress lockdServerAddress;
    private final Duration timeout;
    private final long deadlineNanos;

    LockdConnector(LockdServerAddress lockdServerAddress, Duration timeout) {
        this.lockdServerAddress = lockdServerAddress;
        this.timeout = timeout;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    }

    /**
     * Connects a non-blocking channel to the first address that accepts it.
     *
     * @param selector used for waiting; a wake-up makes this method check {@code cancelled}
     */
    SocketChannel connect(Selector selector, BooleanSupplier cancelled) throws IOException {
        IOException failure = new ConnectException("no address");
        for (SocketAddress address : lookUp(selector, cancelled)) {
            try {
                return connect(address, selector, cancelled);
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private List<SocketAddress> lookUp(Selector selector, BooleanSupplier cancelled)
            throws IOException {
        if (!lockdServerAddress.needsLookup()) {
            return lockdServerAddress.lookUp();
        }
        var found = new CompletableFuture<List<SocketAddress>>();
        // The system's resolver has no timeout, so it runs in a thread of its own.
        var resolver =
                new Thread(
                        () -> {
                            try {
                                found.complete(lockdServerAddress.lookUp());
                            } catch (IOException | RuntimeException e) {
                                found.completeExceptionally(e);
                            }
                            selector.wakeup();
                        },
                        "holdfast-lockd lookup " + lockdServerAddress.text());
        resolver.setDaemon(true);
        resolver.start();
        while (!found.isDone()) {
            pause(selector, cancelled, Long.MAX_VALUE);
        }
        try {
            return found.join();
        } catch (CompletionException e) {
            throw new ConnectException("unknown host");
        }
    }

    private SocketChannel connect(
            SocketAddress address, Selector selector, BooleanSupplier cancelled)
            throws IOException {
        while (true) {
            SocketChannel channel =
                    lockdServerAddress.isUnix()
                            ? SocketChannel.open(StandardProtocolFamily.UNIX)
                            : SocketChannel.open();
            boolean connected = false;
            try {
                channel.configureBlocking(false);
                if (!channel.connect(address)) {
                    channel.register(selector, SelectionKey.OP_CONNECT);
                    while (!channel.finishConnect()) {
                        pause(selector, cancelled, Long.MAX_VALUE);
                    }
                }
                if (!lockdServerAddress.isUnix()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                }
                connected = true;
                return channel;
            } catch (SocketException e) {
                if (!isBacklogFull(e)) {
                    throw e;
                }
            } finally {
                if (!connected) {
                    channel.close();
                }
            }
            pause(selector, cancelled, RETRY_MILLIS);
        }
    }

    /** A Unix socket with a full backlog refuses connections with EAGAIN, where TCP would wait. */
    private boolean isBacklogFull(SocketException e) {
        return lockdServerAddress.isUnix()
                && String.valueOf(e.getMessage()).contains("temporarily unavailable");
    }

    /** Waits for the selector; throws on cancellation or timeout. */
    private void pause(Selector selector, BooleanSupplier cancelled, long maxMillis)
            throws IOException {
        if (cancelled.getAsBoolean()) {
            throw new ConnectException("closed");
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            throw new ConnectException("no response within " + timeout.toMillis() + " ms");
        }
        selector.select(unused -> {}, Math.min(maxMillis, millisUp(left)));
    }

    /** Rounded up to at least 1, since 0 means no timeout for a selector. */
    static long millisUp(long nanos) {
        return Math.max(1, (nanos + MILLI - 1) / MILLI);
    }
}
