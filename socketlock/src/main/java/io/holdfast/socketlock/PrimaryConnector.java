package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;
import io.holdfast.socketlock.internal.primary.ProcessIdentity;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a connection to the current primary of a path, and becomes the primary if there is none.
 * Used on the I/O thread only.
 */
final class PrimaryConnector implements Connection.Listener {
    /** Is notified of the connection's events and of received lines. */
    interface ConnectorListener {
        /** Connected: holds are re-asserted here, before anything else is sent. */
        void greeted();

        /** A line about locks was received: its verb, and the text after it. */
        void line(String verb, String rest);

        /** The connection has ended; the connector reconnects. */
        void down();

        /** There has been no primary for a while, or none is possible; the connector retries. */
        void unreachable(SocketLockUnavailableException reason);

        /** Whether a response is awaited. */
        boolean isWaiting();

        /** Whether a lock depends on the connection. */
        boolean isHolding();
    }

    /**
     * How long a primary may take to respond to a greeting, and how long there may be no primary.
     */
    static final long RESPONSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long MIN_HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SHORT_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_WATCH_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PATH_CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int MIN_RETRY_DELAY_MILLIS = 2;
    private static final int MAX_RETRY_DELAY_MILLIS = 20;
    private static final long RETRY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** How long a process that cannot become the primary waits for another one to become it. */
    private static final long OTHER_PRIMARY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        /** No connection. */
        DOWN,
        /** Connected, without a response to the greeting yet. */
        GREETING,
        UP,
        /** EOL has been sent. */
        LEAVING,
        CLOSED
    }

    private final IoThread ioThread;
    private final Path path;
    private final LockConfig config;
    private final String ownId;
    private final ConnectorListener connectorListener;
    private final long heartbeatNanos;
    private State state = State.DOWN;
    private @Nullable Connection connection;

    /** Read by other threads too. */
    private volatile @Nullable Primary primary;

    private IoThread.@Nullable Timer timer;
    private IoThread.@Nullable Timer heartbeat;
    private IoThread.@Nullable Timer closeWatchTimer;
    private Runnable whenClosed = () -> {};

    /** The id of this client at the primary. */
    private String id;

    /** The epoch of the primary; 0 if it has none, as an original socketlock. */
    private long epoch;

    /** Whether a primary has ever responded. */
    private boolean wasUp;

    /**
     * Whether the last primary had no epoch: it may have ended without a trace in the lock file.
     */
    private boolean afterForeignPrimary;

    /** The identity of the socket file when the connection was made. */
    private @Nullable Object connectedTo;

    private long downSinceNanos = System.nanoTime();
    private long upSinceNanos;
    private long lastTrafficNanos;

    /** When the PING was sent after which nothing has been received; 0 if there is none. */
    private long pingNanos;

    PrimaryConnector(
            IoThread ioThread,
            Path path,
            LockConfig config,
            String ownId,
            ConnectorListener connectorListener) {
        this.ioThread = ioThread;
        this.path = path;
        this.config = config;
        this.ownId = ownId;
        this.id = ownId;
        this.connectorListener = connectorListener;
        this.heartbeatNanos = ClientState.nanos(config.heartbeat());
        ClientIdRegistry.enter(ownId);
    }

    long epoch() {
        return epoch;
    }

    boolean isUp() {
        return state == State.UP;
    }

    boolean isPrimary() {
        return primary != null;
    }

    // ---- connecting

    /** Connects, or becomes the primary and then connects. */
    void connect() {
        if (state != State.DOWN) {
            return;
        }
        try {
            connectedTo =
                    PrimaryLock.identityOrNull(
                            path); // before connecting, so that a replacement is detected
            connection = Connection.open(ioThread, path, this);
            state = State.GREETING;
            setTimer(RESPONSE_TIMEOUT_NANOS, this::greetingTimedOut);
            connection.send(ownId + " HELLO\nHELLO\n");
        } catch (ConnectException e) {
            tryBecomePrimary();
        } catch (BindException e) { // thrown by the JDK when the socket's mode forbids it
            connectorListener.unreachable(
                    unavailable(
                            "no permission to connect to "
                                    + path
                                    + ": check the mode of the socket",
                            e));
            setTimer(RETRY_DELAY_NANOS, this::connect);
        } catch (IOException e) {
            if (Files.notExists(path)) { // tryBecomePrimary examines the path
                tryBecomePrimary();
            } else {
                retry(
                        "cannot connect to " + path + ": " + reason(e),
                        e); // not a sign that there is no primary
            }
        }
    }

    /** Called when no process listens at the path. */
    private void tryBecomePrimary() {
        try {
            PrimaryLock.Attempt attempt = PrimaryLock.tryTake(path, afterForeignPrimary);
            if (attempt instanceof PrimaryLock.Attempt.Taken taken) {
                serve(taken.primaryLock());
            } else {
                retry(
                        "another process has the primary lock of "
                                + path
                                + ", but does not serve it",
                        null);
            }
        } catch (IOException e) {
            if (wasUp && System.nanoTime() - downSinceNanos < OTHER_PRIMARY_NANOS) {
                connectSoon();
            } else {
                connectorListener.unreachable(unavailable(reason(e), e));
                setTimer(RETRY_DELAY_NANOS, this::connect);
            }
        }
    }

    private void serve(PrimaryLock primaryLock) throws IOException {
        try {
            primary = Primary.start(ioThread, primaryLock, config, this::primaryIsLost);
        } finally {
            if (primary == null) {
                primaryLock.close();
            }
        }
        connect();
    }

    private void retry(String problem, @Nullable IOException cause) {
        if (System.nanoTime() - downSinceNanos >= RESPONSE_TIMEOUT_NANOS) {
            downSinceNanos = System.nanoTime();
            connectorListener.unreachable(unavailable(problem, cause));
        }
        connectSoon();
    }

    private void connectSoon() {
        setTimer(
                TimeUnit.MILLISECONDS.toNanos(
                        ThreadLocalRandom.current()
                                .nextInt(MIN_RETRY_DELAY_MILLIS, MAX_RETRY_DELAY_MILLIS)),
                this::connect);
    }

    private void primaryIsLost() {
        primary = null;
    }

    private void greetingTimedOut() {
        connectorListener.unreachable(
                unavailable("the primary at " + path + " does not respond", null));
        downSinceNanos = System.nanoTime();
        drop();
    }

    private static SocketLockUnavailableException unavailable(
            String reason, @Nullable IOException cause) {
        return new SocketLockUnavailableException(reason, cause);
    }

    private static String reason(IOException e) {
        return e instanceof FileSystemException file
                ? file.getFile() + ": " + SocketFailure.reason(e)
                : SocketFailure.reason(e);
    }

    // ---- connected

    /** Sends a line to the primary; no effect without a connection. */
    void send(String fields) {
        if (connection != null && state == State.UP) {
            connection.send(id + " " + fields + "\n");
            lastTrafficNanos = System.nanoTime();
        }
    }

    @Override
    public void line(String line) {
        String[] fields = line.strip().split("[ \t\r\u000b\f]+", 3);
        lastTrafficNanos = System.nanoTime();
        pingNanos = 0;
        if (isEndOfLine(fields)) {
            hangUp();
        } else if (state == State.GREETING) {
            greetingResponse(fields);
        } else if (state == State.UP && fields.length >= 2 && fields[0].equals(id)) {
            String rest = fields.length > 2 ? fields[2] : "";
            switch (fields[1]) {
                case "EPOCH" -> epoch = number(rest);
                case "PONG", "CONNECTED" -> {}
                default -> connectorListener.line(fields[1], rest);
            }
        }
    }

    private static boolean isEndOfLine(String[] fields) {
        return fields[0].equals("EOL") || (fields.length > 1 && fields[1].equals("EOL"));
    }

    private void greetingResponse(String[] fields) {
        if (fields.length != 2) {
            return;
        }
        if (fields[0].equals("CONNECTED")) {
            id = fields[1];
        } else if (fields[1].equals("CONNECTED") && fields[0].equals(ownId)) {
            id = ownId;
        } else {
            return;
        }
        state = State.UP;
        upSinceNanos = System.nanoTime();
        epoch = 0;
        clearTimer();
        scheduleHeartbeat();
        send("PROCESS " + ProcessIdentity.own());
        send("EPOCH");
        connectorListener.greeted();
        checkPathLater();
        if (ClientIdRegistry.isAlone(ownId)) { // SETTLED applies to all clients with this id
            send("SETTLED");
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Schedules the heartbeat, which checks that the primary still responds. */
    private void scheduleHeartbeat() {
        if (heartbeat != null) {
            ioThread.cancel(heartbeat);
        }
        heartbeat =
                ioThread.after(
                        Math.max(MIN_HEARTBEAT_NANOS, heartbeatNanos / 2),
                        () -> {
                            if (state == State.UP) {
                                sendHeartbeat();
                            }
                            if (state == State.UP) {
                                scheduleHeartbeat();
                            }
                        });
    }

    private void sendHeartbeat() {
        long now = System.nanoTime();
        if (pingNanos != 0) {
            if (now - pingNanos >= heartbeatNanos && !connectorListener.isHolding()) {
                // Not while holding: a suspended primary still excludes other primaries, so the
                // lock is safe.
                drop();
            }
        } else if (now - lastTrafficNanos >= heartbeatNanos) {
            send("PING");
            pingNanos = now;
        }
    }

    /**
     * Checks that the path still leads to the connected primary. An original socketlock primary
     * that stops continues to serve its connections while another primary starts at the path.
     * Holdfast's primaries, which have an epoch, check that themselves.
     */
    private void checkPathLater() {
        Connection current = connection;
        IoThread.Timer unused =
                ioThread.after(
                        PATH_CHECK_INTERVAL_NANOS,
                        () -> {
                            if (state != State.UP || connection != current || epoch != 0) {
                                return;
                            }
                            if (isSamePath()) {
                                checkPathLater();
                            } else {
                                drop();
                            }
                        });
    }

    private boolean isSamePath() {
        try {
            return Objects.equals(connectedTo, PrimaryLock.identityOrNull(path));
        } catch (IOException e) {
            return false;
        }
    }

    /** Pings the primary every few seconds, as long as a response is awaited. */
    void watchClosely() {
        if (closeWatchTimer != null) {
            ioThread.cancel(closeWatchTimer);
        }
        closeWatchTimer =
                ioThread.after(
                        CLOSE_WATCH_NANOS,
                        () -> {
                            if (state == State.UP && connectorListener.isWaiting()) {
                                sendPing();
                            }
                        });
    }

    private void sendPing() {
        long now = System.nanoTime();
        boolean suspended =
                ioThread.nanosSinceLastPoll() >= CLOSE_WATCH_NANOS; // a response may be unread
        if (pingNanos != 0 && now - pingNanos >= RESPONSE_TIMEOUT_NANOS && !suspended) {
            drop();
            return;
        }
        if (pingNanos == 0 && now - lastTrafficNanos >= CLOSE_WATCH_NANOS) {
            send("PING");
            pingNanos = now;
        }
        watchClosely();
    }

    // ---- the end of a connection

    @Override
    public void ended() {
        // A primary that closes every connection after the greeting must not cause a busy loop.
        ended(System.nanoTime() - upSinceNanos < SHORT_LIFE_NANOS);
    }

    private void ended(boolean wait) {
        connection = null;
        clearTimer();
        if (state == State.LEAVING) {
            finish();
        } else if (state != State.CLOSED) {
            boolean greeted = state == State.UP;
            state = State.DOWN;
            pingNanos = 0;
            if (greeted) {
                wasUp = true;
                boolean silent = System.nanoTime() - upSinceNanos >= PATH_CHECK_INTERVAL_NANOS;
                afterForeignPrimary = epoch == 0 && (afterForeignPrimary || silent);
                downSinceNanos = System.nanoTime();
                connectorListener.down();
                if (wait) {
                    connectSoon();
                } else {
                    connect();
                }
            } else {
                retry(
                        "the primary at " + path + " closes every connection without a response",
                        null);
            }
        }
    }

    /** Closes the connection and makes a new one. */
    void drop() {
        if (connection != null) {
            connection.close();
            ended(false);
        }
    }

    /** Closes the connection on request of the primary. */
    private void hangUp() {
        if (connection != null) {
            connection.close();
            ended();
        }
    }

    /** Sends EOL and disconnects; stops the primary if this process runs it. */
    void close(Runnable done) {
        if (state == State.LEAVING || state == State.CLOSED) {
            return; // already closing
        }
        whenClosed = done;
        if (state == State.UP && connection != null) {
            send("EOL");
            state = State.LEAVING;
            setTimer(
                    CLOSE_TIMEOUT_NANOS,
                    this::drop); // if the primary does not close the connection by then
        } else {
            finish();
        }
    }

    private void finish() {
        if (state != State.CLOSED) {
            ClientIdRegistry.leave(ownId);
        }
        state = State.CLOSED;
        clearTimer();
        if (heartbeat != null) {
            ioThread.cancel(heartbeat);
        }
        if (closeWatchTimer != null) {
            ioThread.cancel(closeWatchTimer);
        }
        if (connection != null) {
            connection.close();
            connection = null;
        }
        Primary ours = primary;
        primary = null;
        if (ours != null) {
            ours.stop();
        }
        whenClosed.run();
    }

    private void setTimer(long nanos, Runnable task) {
        clearTimer();
        timer = ioThread.after(nanos, task);
    }

    private void clearTimer() {
        if (timer != null) {
            ioThread.cancel(timer);
            timer = null;
        }
    }
}
