package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.client.socketlock.primary.ProcessIdentity;
import io.holdfast.client.wire.ConnectionFailure;

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
 * Keeps a greeted connection to whoever is the primary of a path, and becomes the primary where
 * there is none. Lives on its loop.
 */
final class PrimaryConnector implements Connection.Listener {
    /** Whose link it is. */
    interface ConnectorListener {
        /** Connected: the place to re-assert what is held, before anything else is sent. */
        void greeted();

        /** A line about locks: its verb, and what follows it. */
        void line(String verb, String rest);

        /** The connection has ended; another is being made. */
        void down();

        /** There has been no primary for a while, or there cannot be one; it is tried again. */
        void unreachable(SocketLockUnavailableException reason);

        /** Whether an answer is being waited for. */
        boolean isWaiting();

        /** Whether the end of the connection would cost a lock. */
        boolean isHolding();
    }

    /** How long a primary may take to answer a greeting, and how long there may be none. */
    static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long MIN_HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SHORT_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_WATCH_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PATH_CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int MIN_WAIT_MILLIS = 2;
    private static final int MAX_WAIT_MILLIS = 20;
    private static final long TROUBLE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A process that cannot become the primary leaves the others so long to do it. */
    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        /** No connection. */
        DOWN,
        /** Connected, and not answered yet. */
        GREETING,
        UP,
        /** The last words have been sent. */
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

    /** What the primary calls this client. */
    private String id;

    /** The number of the primary; 0 if it has none. */
    private long epoch;

    /** Whether there has been a primary that answered. */
    private boolean wasUp;

    /** Whether the last primary had no number: it may have ended and left no trace. */
    private boolean afterStranger;

    /** Which file was at the path. */
    private @Nullable Object connectedTo;

    private long downSinceNanos = System.nanoTime();
    private long upSinceNanos;
    private long lastTrafficNanos;

    /** When a PING was sent that nothing has answered; 0 if there is none. */
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
                    PrimaryLock.identityOrNull(path); // before: what takes its place is noticed
            connection = Connection.open(ioThread, path, this);
            state = State.GREETING;
            setTimer(ANSWER_NANOS, this::greetingIsUnanswered);
            connection.send(ownId + " HELLO\nHELLO\n");
        } catch (ConnectException e) {
            tryBecomePrimary();
        } catch (BindException e) { // so the JDK calls it when the socket's mode forbids it
            connectorListener.unreachable(
                    unavailable("no permission to use " + path + ": its mode forbids it", e));
            setTimer(TROUBLE_WAIT_NANOS, this::connect);
        } catch (IOException e) {
            if (Files.notExists(path)) { // what else may be there the bid finds out
                tryBecomePrimary();
            } else {
                retry("cannot connect to " + path + ": " + reason(e), e); // no evidence of death
            }
        }
    }

    /** Nobody listens. */
    private void tryBecomePrimary() {
        try {
            PrimaryLock.Attempt attempt = PrimaryLock.tryTake(path, afterStranger);
            if (attempt instanceof PrimaryLock.Attempt.Taken taken) {
                serve(taken.primaryLock());
            } else {
                retry("another process is about to serve " + path + ", but does not", null);
            }
        } catch (IOException e) {
            if (wasUp && System.nanoTime() - downSinceNanos < OTHERS_NANOS) {
                connectSoon();
            } else {
                connectorListener.unreachable(unavailable(reason(e), e));
                setTimer(TROUBLE_WAIT_NANOS, this::connect);
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

    private void retry(String trouble, @Nullable IOException cause) {
        if (System.nanoTime() - downSinceNanos >= ANSWER_NANOS) {
            downSinceNanos = System.nanoTime();
            connectorListener.unreachable(unavailable(trouble, cause));
        }
        connectSoon();
    }

    private void connectSoon() {
        setTimer(
                TimeUnit.MILLISECONDS.toNanos(
                        ThreadLocalRandom.current().nextInt(MIN_WAIT_MILLIS, MAX_WAIT_MILLIS)),
                this::connect);
    }

    private void primaryIsLost() {
        primary = null;
    }

    private void greetingIsUnanswered() {
        connectorListener.unreachable(
                unavailable("the primary at " + path + " does not answer", null));
        downSinceNanos = System.nanoTime();
        drop();
    }

    private static SocketLockUnavailableException unavailable(
            String reason, @Nullable IOException cause) {
        return new SocketLockUnavailableException(reason, cause);
    }

    private static String reason(IOException e) {
        return e instanceof FileSystemException file
                ? file.getFile() + ": " + ConnectionFailure.reason(e)
                : ConnectionFailure.reason(e);
    }

    // ---- connected

    /** Sends a line to the primary; nothing happens if there is none. */
    void send(String words) {
        if (connection != null && state == State.UP) {
            connection.send(id + " " + words + "\n");
            lastTrafficNanos = System.nanoTime();
        }
    }

    @Override
    public void line(String line) {
        String[] words = line.strip().split("[ \t\r\u000b\f]+", 3);
        lastTrafficNanos = System.nanoTime();
        pingNanos = 0;
        if (isEndOfLine(words)) {
            hangUp();
        } else if (state == State.GREETING) {
            answered(words);
        } else if (state == State.UP && words.length >= 2 && words[0].equals(id)) {
            String rest = words.length > 2 ? words[2] : "";
            switch (words[1]) {
                case "EPOCH" -> epoch = number(rest);
                case "PONG", "CONNECTED" -> {}
                default -> connectorListener.line(words[1], rest);
            }
        }
    }

    private static boolean isEndOfLine(String[] words) {
        return words[0].equals("EOL") || (words.length > 1 && words[1].equals("EOL"));
    }

    private void answered(String[] words) {
        if (words.length != 2) {
            return;
        }
        if (words[0].equals("CONNECTED")) {
            id = words[1];
        } else if (words[1].equals("CONNECTED") && words[0].equals(ownId)) {
            id = ownId;
        } else {
            return;
        }
        state = State.UP;
        upSinceNanos = System.nanoTime();
        epoch = 0;
        clearTimer();
        watch();
        send("PROCESS " + ProcessIdentity.own());
        send("EPOCH");
        connectorListener.greeted();
        checkPathLater();
        if (ClientIdRegistry.isAlone(ownId)) { // it would speak for all of that name
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

    /** Looks now and then whether the primary still answers. */
    private void watch() {
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
                                watch();
                            }
                        });
    }

    private void sendHeartbeat() {
        long now = System.nanoTime();
        if (pingNanos != 0) {
            if (now - pingNanos >= heartbeatNanos && !connectorListener.isHolding()) {
                // While it is silent nobody else can be the primary, so a lock is safe with it.
                drop();
            }
        } else if (now - lastTrafficNanos >= heartbeatNanos) {
            send("PING");
            pingNanos = now;
        }
    }

    /**
     * An original primary that stops goes on serving those who are connected, while another begins
     * to serve the path. Ours, which have a number, look after that themselves.
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

    /** Asks every few seconds whether the primary is there, as long as something waits for it. */
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
        boolean stopped =
                ioThread.nanosSinceLastTurn()
                        >= CLOSE_WATCH_NANOS; // it may have answered meanwhile
        if (pingNanos != 0 && now - pingNanos >= ANSWER_NANOS && !stopped) {
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
        // One that greets and ends every connection must not keep this thread busy.
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
                afterStranger = epoch == 0 && (afterStranger || silent);
                downSinceNanos = System.nanoTime();
                connectorListener.down();
                if (wait) {
                    connectSoon();
                } else {
                    connect();
                }
            } else {
                retry("the primary at " + path + " ends every connection", null);
            }
        }
    }

    /** Gives the connection up and makes another. */
    void drop() {
        if (connection != null) {
            connection.close();
            ended(false);
        }
    }

    /** The primary wants it to end. */
    private void hangUp() {
        if (connection != null) {
            connection.close();
            ended();
        }
    }

    /** Says farewell, and ends the primary if this process is it. */
    void close(Runnable done) {
        if (state == State.LEAVING || state == State.CLOSED) {
            return; // somebody else closes it too
        }
        whenClosed = done;
        if (state == State.UP && connection != null) {
            send("EOL");
            state = State.LEAVING;
            setTimer(CLOSE_TIMEOUT_NANOS, this::drop); // until the primary has ended it too
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
