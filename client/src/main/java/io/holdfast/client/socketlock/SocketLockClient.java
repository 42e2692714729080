package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.client.wire.ConnectionFailure;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read/write lock that the processes of one host share, named by the path of a Unix socket.
 *
 * <p><strong>Threads that share a client share its lock.</strong> A client has at most one lock at
 * a time: while it has one, a further acquire only counts, from whichever thread it comes, and the
 * last release gives the lock back. The lock keeps processes apart, not the threads of one client.
 * For that use {@link #asReadWriteLock}, or a client for each thread.
 *
 * <p>There is no daemon. The first process to {@link #connect} serves the others from a background
 * thread; when it ends, one of the others takes its place, and locks that are held stay held. Only
 * one acquire may be in flight; another fails with {@code socketlock: multiple lock requests}.
 *
 * <pre>{@code
 * try (SocketLockClient client = SocketLockClient.connect(Path.of("/tmp/locks.sock"));
 *         SocketLock lock = client.acquireWrite()) {
 *     // nobody else is here
 * }
 * }</pre>
 */
public final class SocketLockClient implements AutoCloseable {
    /** How long {@link #connect(Path, LockConfig)} waits for a primary that answers. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);

    private static final AtomicLong LAST_ID = new AtomicLong();

    private final ClientState clientState;
    private final String id;
    private final ThreadReadWriteLock threadLock = new ThreadReadWriteLock(this);

    private SocketLockClient(ClientState clientState, String id) {
        this.clientState = clientState;
        this.id = id;
    }

    /** Connects with the default configuration. */
    public static SocketLockClient connect(Path path) {
        return connect(path, LockConfig.defaults());
    }

    /** Connects to the primary of a path, or becomes it if there is none. */
    public static SocketLockClient connect(Path path, LockConfig config) {
        return connect(path, config, CONNECT_TIMEOUT);
    }

    /**
     * Connects to the primary of a path, or becomes it if there is none.
     *
     * @param config the policy and the limits count only while this process is the primary
     * @throws SocketLockUnavailableException if no primary answers in this time and this process
     *     cannot become it
     */
    public static SocketLockClient connect(Path path, LockConfig config, Duration timeout) {
        if (path.toString().isEmpty()) {
            throw new SocketLockException("path is required");
        }
        String id = config.clientId().isEmpty() ? freshId() : config.clientId();
        try {
            ClientState clientState = new ClientState(PrimaryLock.check(path), config, id);
            clientState.connect(timeout);
            return new SocketLockClient(clientState, id);
        } catch (FileSystemException e) {
            throw new SocketLockUnavailableException(
                    e.getFile() + ": " + ConnectionFailure.reason(e), e);
        } catch (IOException e) {
            throw new SocketLockUnavailableException(path + ": " + ConnectionFailure.reason(e), e);
        }
    }

    private static String freshId() {
        return "c%016x-%d"
                .formatted(ThreadLocalRandom.current().nextLong(), LAST_ID.incrementAndGet());
    }

    /** What this client calls itself. */
    public String id() {
        return id;
    }

    /** Whether this client serves the others at this moment. */
    public boolean isPrimary() {
        return clientState.isPrimary();
    }

    /**
     * Acquires a lock that readers share, waiting as long as the primary lets it. Fails like {@link
     * #acquireRead(AcquireOptions)}.
     */
    public SocketLock acquireRead() {
        return acquireRead(AcquireOptions.NONE);
    }

    /**
     * Acquires a lock that readers share.
     *
     * @throws SocketLockRefusedException if the primary says no: its limit for waiting is over, the
     *     time to live is too long
     * @throws SocketLockTimeoutException if the time given with the options is over
     * @throws SocketLockInterruptedException if the thread is interrupted
     * @throws SocketLockUnavailableException if there is no primary that answers
     * @throws SocketLockException if another acquire is in flight, or the client is closed
     */
    public SocketLock acquireRead(AcquireOptions options) {
        return clientState.acquire(LockMode.READ, options, true);
    }

    /**
     * Acquires the lock alone, waiting as long as the primary lets it. Fails like {@link
     * #acquireWrite(AcquireOptions)}.
     */
    public SocketLock acquireWrite() {
        return acquireWrite(AcquireOptions.NONE);
    }

    /**
     * Acquires the lock alone. Fails like {@link #acquireRead(AcquireOptions)}, and while this
     * client has it for reading.
     */
    public SocketLock acquireWrite(AcquireOptions options) {
        return clientState.acquire(LockMode.WRITE, options, true);
    }

    SocketLock acquireUninterruptibly(LockMode mode, AcquireOptions options) {
        return clientState.acquire(mode, options, false);
    }

    /**
     * The lock as the JDK's locks are: it keeps threads of this process apart too, and belongs to
     * the thread that locked it. Every call returns the same. Its {@code unlock} throws {@link
     * SocketLockException} if the lock was lost on the way, and so does a thread that reads and
     * wants to write too; {@code tryLock()} waits for the primary's answer, a twentieth of a second
     * at most. {@code lock} waits on beyond the primary's limit. Conditions are not supported.
     */
    public ReadWriteLock asReadWriteLock() {
        return threadLock;
    }

    /**
     * Waits until what is held has been released, then disconnects. If this process is the primary,
     * another takes over. Works in an interrupted thread too, unless it would have to wait.
     *
     * @throws SocketLockInterruptedException if the thread is interrupted while it waits; the
     *     client is as it was before
     */
    @Override
    public void close() {
        clientState.close();
    }

    /** Disconnects at once; what is held is lost. */
    public void closeNow() {
        clientState.closeNow();
    }
}
