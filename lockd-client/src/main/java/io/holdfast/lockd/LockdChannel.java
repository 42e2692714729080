package io.holdfast.lockd;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A connection and the thread that owns it. Only this thread uses the socket and checks the
 * timeouts, so that no call, interrupt or slow server can leave a response half read. A channel
 * that has ended is never used again.
 */
final class LockdChannel {
    /**
     * The maximum length of a line from the server, in bytes: enough for a lock name and a
     * registered name of 64 KiB each.
     */
    static final int LINE_LIMIT = 256 * 1024;

    private static final int READ_SIZE = 16 * 1024;
    private static final long JOIN_MILLIS = 2000;

    /** Is notified when the connection is established and when it ends. */
    interface ChannelListener {
        void connected();

        /**
         * The connection has ended, other than by {@link LockdChannel#close}.
         *
         * @param failure null if the server closed it
         */
        void ended(@Nullable LockdException failure);
    }

    /** Why the connection ended: the message, and the exception if there was one. */
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

    @GuardedBy("this")
    private @Nullable LockdExchange<?> waiting;

    @GuardedBy("this")
    private @Nullable LockdExchange<?> current;

    @GuardedBy("this")
    private @Nullable Ending ending;

    // Used by the channel's thread only.
    private final LineSplitter splitter = new LineSplitter(LINE_LIMIT);
    private final ByteBuffer in = ByteBuffer.allocateDirect(READ_SIZE);
    private ByteBuffer out = ByteBuffer.allocate(0);
    private long startedNanos;
    private long receivedNanos;

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

    /**
     * Sends the command once the connection is established. The caller ensures that there is only
     * one exchange at a time.
     */
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
     * Abandons an exchange. If its command has not been sent, it never is; otherwise the connection
     * is closed, so that the response cannot be taken for that of a later command.
     *
     * @return false if the exchange is already complete
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
        end(new Ending("Interrupted while waiting for a response", null, false));
        return true;
    }

    /** Closes the connection and waits for its thread to end. */
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

    @GuardedBy("this")
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

    /** The thread's body. All methods below are called by this thread. */
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
        } catch (RuntimeException | Error e) { // whatever the cause, no caller may be left waiting
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
        String message = cause.getMessage();
        if (message != null) {
            return message;
        }
        if (cause instanceof ClosedChannelException) {
            return "the connection was closed";
        }
        return cause instanceof IOException ? "the connection failed" : "internal error";
    }

    /** Connects; null if that failed, in which case the channel has ended. */
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
            // Read first: before timeouts are checked, since this thread may be late and not the
            // response; and before anything is sent, since what has arrived by then is no response
            // to it.
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
            // Select last: a wake-up during connecting has been consumed, and its exchange is
            // already waiting.
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
        LockdExchange<?> lockdExchange = inFlight();
        if (lockdExchange == null) {
            throw LockdProtocolException.unexpected(line);
        }
        receivedNanos = System.nanoTime();
        lockdExchange.line(line);
        if (lockdExchange.isOver()) {
            synchronized (this) {
                current = null; // drop the reference to a possibly large listing
            }
        }
    }

    private void checkTimeouts() throws LockdProtocolException {
        LockdExchange<?> lockdExchange = inFlight();
        if (lockdExchange == null) {
            return;
        }
        long now = System.nanoTime();
        if (now - receivedNanos >= readTimeoutNanos) {
            send(lockdExchange.onReadTimeout());
            receivedNanos = now;
        }
        if (now - startedNanos >= lockdExchange.maxReadTimeouts() * readTimeoutNanos) {
            throw new LockdProtocolException(
                    "The response to '" + lockdExchange.command() + "' did not end in time");
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
            throw LockdProtocolException.unexpected(splitter.rest());
        }
        startedNanos = System.nanoTime();
        receivedNanos = startedNanos;
        send(next.opening());
    }

    /** Appends the lines to what has not been written to the socket yet. */
    private void send(String lines) {
        byte[] bytes = LockdNameText.encode(lines);
        ByteBuffer both = ByteBuffer.allocate(out.remaining() + bytes.length);
        out = both.put(out).put(bytes).flip();
    }

    private @Nullable LockdExchange<?> inFlight() {
        LockdExchange<?> lockdExchange;
        synchronized (this) {
            lockdExchange = current;
        }
        return lockdExchange == null || lockdExchange.isOver() ? null : lockdExchange;
    }

    /** The time until the current exchange times out; 0, which is no timeout, if there is none. */
    private long millisToWait() {
        LockdExchange<?> lockdExchange = inFlight();
        if (lockdExchange == null) {
            return 0;
        }
        long now = System.nanoTime();
        long line = readTimeoutNanos - (now - receivedNanos);
        long whole = lockdExchange.maxReadTimeouts() * readTimeoutNanos - (now - startedNanos);
        return LockdConnector.millisUp(Math.min(line, whole));
    }
}
