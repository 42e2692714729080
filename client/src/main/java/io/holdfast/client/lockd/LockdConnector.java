package io.holdfast.client.lockd;

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

/** Makes the connection. Its time runs from its creation and bounds all it does. */
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
     * The connection, not blocking, to the first address that takes it.
     *
     * @param selector waits for it; whoever wakes it up makes this look at {@code givenUp}
     */
    SocketChannel connect(Selector selector, BooleanSupplier givenUp) throws IOException {
        IOException failure = new ConnectException("no address");
        for (SocketAddress address : lookUp(selector, givenUp)) {
            try {
                return connect(address, selector, givenUp);
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private List<SocketAddress> lookUp(Selector selector, BooleanSupplier givenUp)
            throws IOException {
        if (!lockdServerAddress.needsLookup()) {
            return lockdServerAddress.lookUp();
        }
        var found = new CompletableFuture<List<SocketAddress>>();
        // The system's resolver knows no timeout, so it gets a thread that nobody waits for.
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
            pause(selector, givenUp, Long.MAX_VALUE);
        }
        try {
            return found.join();
        } catch (CompletionException e) {
            throw new ConnectException("unknown host");
        }
    }

    private SocketChannel connect(SocketAddress address, Selector selector, BooleanSupplier givenUp)
            throws IOException {
        while (true) {
            SocketChannel channel =
                    lockdServerAddress.isUnix()
                            ? SocketChannel.open(StandardProtocolFamily.UNIX)
                            : SocketChannel.open();
            boolean up = false;
            try {
                channel.configureBlocking(false);
                if (!channel.connect(address)) {
                    channel.register(selector, SelectionKey.OP_CONNECT);
                    while (!channel.finishConnect()) {
                        pause(selector, givenUp, Long.MAX_VALUE);
                    }
                }
                if (!lockdServerAddress.isUnix()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                }
                up = true;
                return channel;
            } catch (SocketException e) {
                if (!isBacklogFull(e)) {
                    throw e;
                }
            } finally {
                if (!up) {
                    channel.close();
                }
            }
            pause(selector, givenUp, RETRY_MILLIS);
        }
    }

    /** A Unix socket whose server is slow to accept turns callers away; TCP lets them wait. */
    private boolean isBacklogFull(SocketException e) {
        return lockdServerAddress.isUnix()
                && String.valueOf(e.getMessage()).contains("temporarily unavailable");
    }

    /** Waits for the selector, and throws when it is time to stop. */
    private void pause(Selector selector, BooleanSupplier givenUp, long atMostMillis)
            throws IOException {
        if (givenUp.getAsBoolean()) {
            throw new ConnectException("closed");
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            throw new ConnectException("no answer within " + timeout.toMillis() + " ms");
        }
        selector.select(unused -> {}, Math.min(atMostMillis, millisUp(left)));
    }

    /** Never 0, which selectors take for ever. */
    static long millisUp(long nanos) {
        return Math.max(1, (nanos + MILLI - 1) / MILLI);
    }
}
