package io.holdfast.client.lockd;

import io.holdfast.client.wire.ConnectionFailure;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A connection and the thread that owns it. The thread alone touches the socket and keeps the
 * times, so that no call, interrupt or slow server can leave an answer half read. Once ended, for
 * whatever reason, a wire never carries anything again.
 */
final class LockdChannel {
    /** The longest line taken from a server: a lock name and a registered name of 64 KiB fit. */
    static final int LINE_LIMIT = 256 * 1024;

    private static final int READ_SIZE = 16 * 1024;
    private static final long JOIN_MILLIS = 2000;

    /** What is told about the life of the connection. */
    interface ChannelListener {
        void connected();

        /**
         * The connection has ended, other than by {@link LockdChannel#close}.
         *
         * @param failure null if the server closed it
         */
        void ended(@Nullable LockdException failure);
    }

    /** Why the connection ended: the words, and what was thrown if anything was. */
    private record Ending(String text, @Nullable Throwable cause, boolean byServer) {
        LockdConnectionException failure() {
            return new LockdConnectionException(text, cause);
        }
    }

    private final LockdServerAddress lockdServerAddress;
    private final LockdConnector lockdConnector;
    private final long readTimeoutNanos;
    private final ChannelListener channelListener;
    private final Selector selector;
    private final Thread thread;

    // Guarded by this.
    private @Nullable LockdExchange<?> waiting;
    private @Nullable LockdExchange<?> current;
    private @Nullable Ending ending;

    // Of the thread alone.
    private final LineSplitter splitter = new LineSplitter(LINE_LIMIT);
    private final ByteBuffer in = ByteBuffer.allocateDirect(READ_SIZE);
    private ByteBuffer out = ByteBuffer.allocate(0);
    private long begunNanos;
    private long heardNanos;

    LockdChannel(
            LockdServerAddress lockdServerAddress,
            Duration connectTimeout,
            Duration readTimeout,
            ChannelListener channelListener) {
        this.lockdServerAddress = lockdServerAddress;
        this.lockdConnector = new LockdConnector(lockdServerAddress, connectTimeout);
        this.readTimeoutNanos = readTimeout.toNanos();
        this.channelListener = channelListener;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new LockdConnectionException("Cannot open a connection: " + text(e), e);
        }
        this.thread = new Thread(this::run, "holdfast-lockd " + lockdServerAddress.text());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Sends it when the connection is up. The caller sees to it that there is one at a time. */
    void submit(LockdExchange<?> lockdExchange) {
        synchronized (this) {
            if (ending != null) {
                lockdExchange.fail(
                        new LockdConnectionException(
                                "The connection to "
                                        + lockdServerAddress.text()
                                        + " is closed: "
                                        + ending.text(),
                                ending.cause()));
                return;
            }
            waiting = lockdExchange;
        }
        selector.wakeup();
    }

    /**
     * Gives an exchange up. One that was not sent never is; the answer to one that was must never
     * be read, so that is the end of the connection.
     *
     * @return false if it is too late, because the exchange is over
     */
    boolean abandon(LockdExchange<?> lockdExchange) {
        synchronized (this) {
            if (lockdExchange.equals(waiting)) {
                waiting = null;
                return true;
            }
        }
        if (lockdExchange.isOver()) {
            return false;
        }
        end(new Ending("Interrupted while waiting for an answer", null, false));
        return true;
    }

    /** Ends the connection; its thread is gone afterwards. */
    void close() {
        synchronized (this) {
            if (ending == null) {
                ending = new Ending("Closed by this client", null, false);
                failBoth(ending);
            }
        }
        selector.wakeup();
        joinThread();
    }

    @Override
    public String toString() {
        return lockdServerAddress.text();
    }

    private void joinThread() {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        while (thread.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(Ending why) {
        synchronized (this) {
            if (ending != null) {
                return;
            }
            ending = why;
            failBoth(why);
        }
        channelListener.ended(why.byServer() ? null : why.failure());
        selector.wakeup();
    }

    private void failBoth(Ending why) {
        if (current != null) {
            current.fail(why.failure());
            current = null;
        }
        if (waiting != null) {
            waiting.fail(why.failure());
            waiting = null;
        }
    }

    private synchronized boolean isEnded() {
        return ending != null;
    }

    /** What the thread does. All below is called from here. */
    private void run() {
        try (selector) {
            SocketChannel channel = connect();
            if (channel != null) {
                try (channel) {
                    channelListener.connected();
                    runConnection(channel);
                }
            }
        } catch (LockdProtocolException e) {
            end(new Ending(text(e), null, false));
        } catch (IOException e) {
            end(lost(e));
        } catch (RuntimeException | Error e) { // whatever it is, nobody may be left waiting
            end(lost(e));
        }
    }

    private Ending lost(Throwable cause) {
        return new Ending(
                "The connection to " + lockdServerAddress.text() + " is lost: " + text(cause),
                cause,
                false);
    }

    private static String text(Throwable cause) {
        return ConnectionFailure.reason(cause);
    }

    /** The connection, or null if there is none because the wire has ended. */
    private @Nullable SocketChannel connect() {
        try {
            return lockdConnector.connect(selector, this::isEnded);
        } catch (IOException | RuntimeException e) {
            end(
                    new Ending(
                            "Cannot connect to " + lockdServerAddress.text() + ": " + text(e),
                            e,
                            false));
            return null;
        }
    }

    private void runConnection(SocketChannel channel) throws IOException, LockdProtocolException {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        while (!isEnded()) {
            // Reading comes first: before a deadline is looked at, since a late thread is no late
            // answer; and before anything is sent, since what is here by then is no answer to it.
            if (!read(channel)) {
                end(
                        new Ending(
                                "The connection to "
                                        + lockdServerAddress.text()
                                        + " was closed by the server",
                                null,
                                true));
                return;
            }
            checkTimeouts();
            takeNext();
            if (out.hasRemaining()) {
                channel.write(out);
            }
            key.interestOps(
                    out.hasRemaining()
                            ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                            : SelectionKey.OP_READ);
            // Last, not first: a wake-up while connecting is spent, and what it was for is waiting.
            selector.select(unused -> {}, millisToWait());
        }
    }

    private boolean read(SocketChannel channel) throws IOException, LockdProtocolException {
        in.clear();
        if (channel.read(in) < 0) {
            return false;
        }
        in.flip();
        splitter.feed(in, this::line);
        return true;
    }

    private void line(String line) throws LockdProtocolException {
        LockdExchange<?> lockdExchange = underWay();
        if (lockdExchange == null) {
            throw LockdProtocolException.unasked(line);
        }
        heardNanos = System.nanoTime();
        lockdExchange.line(line);
        if (lockdExchange.isOver()) {
            synchronized (this) {
                current = null; // it may hold a large listing, which is the caller's now
            }
        }
    }

    private void checkTimeouts() throws LockdProtocolException {
        LockdExchange<?> lockdExchange = underWay();
        if (lockdExchange == null) {
            return;
        }
        long now = System.nanoTime();
        if (now - heardNanos >= readTimeoutNanos) {
            send(lockdExchange.onReadTimeout());
            heardNanos = now;
        }
        if (now - begunNanos >= lockdExchange.maxReadTimeouts() * readTimeoutNanos) {
            throw new LockdProtocolException(
                    "The answer to '" + lockdExchange.command() + "' has no end");
        }
    }

    private void takeNext() throws LockdProtocolException {
        LockdExchange<?> next;
        synchronized (this) {
            if (waiting == null || (current != null && !current.isOver())) {
                return;
            }
            next = waiting;
            current = next;
            waiting = null;
        }
        if (!splitter.rest().isEmpty()) {
            throw LockdProtocolException.unasked(splitter.rest());
        }
        begunNanos = System.nanoTime();
        heardNanos = begunNanos;
        send(next.opening());
    }

    /** Behind what the socket has not taken yet. */
    private void send(String lines) {
        byte[] bytes = LockdNameText.encode(lines);
        ByteBuffer both = ByteBuffer.allocate(out.remaining() + bytes.length);
        out = both.put(out).put(bytes).flip();
    }

    private @Nullable LockdExchange<?> underWay() {
        LockdExchange<?> lockdExchange;
        synchronized (this) {
            lockdExchange = current;
        }
        return lockdExchange == null || lockdExchange.isOver() ? null : lockdExchange;
    }

    /** Until the answer under way is overdue; 0, which is for ever, when there is none. */
    private long millisToWait() {
        LockdExchange<?> lockdExchange = underWay();
        if (lockdExchange == null) {
            return 0;
        }
        long now = System.nanoTime();
        long line = readTimeoutNanos - (now - heardNanos);
        long whole = lockdExchange.maxReadTimeouts() * readTimeoutNanos - (now - begunNanos);
        return LockdConnector.millisUp(Math.min(line, whole));
    }
}
