package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;

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
 * a time: while it has one, a further acquire from any thread only increments a count, and the last
 * release releases the lock. The lock excludes other processes, not other threads of the same
 * client. For that use {@link #asReadWriteLock}, or a client for each thread.
 *
 * <p>There is no daemon. The first process to {@link #connect} becomes the primary and serves the
 * others from a background thread; when it ends, one of the others becomes the primary, and locks
 * that are held stay held. Only one acquire may be in flight per client; another fails with {@code
 * socketlock: multiple lock requests}.
 *
 * <pre>{@code
 * try (SocketLockClient client = SocketLockClient.connect(Path.of("/tmp/locks.sock"));
 *         SocketLock lock = client.acquireWrite()) {
 *     // no other process holds the lock
 * }
 * }</pre>
 */
public final class SocketLockClient implements AutoCloseable {
    /** How long {@link #connect(Path, LockConfig)} waits for a primary to respond. */
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
     * @param config its policy and limits apply only while this process is the primary
     * @param timeout how long to wait for a primary to respond
     * @throws SocketLockUnavailableException if no primary responds in time and this process cannot
     *     become the primary
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
                    e.getFile() + ": " + SocketFailure.reason(e), e);
        } catch (IOException e) {
            throw new SocketLockUnavailableException(path + ": " + SocketFailure.reason(e), e);
        }
    }

    private static String freshId() {
        return "c%016x-%d"
                .formatted(ThreadLocalRandom.current().nextLong(), LAST_ID.incrementAndGet());
    }

    /** The client id. */
    public String id() {
        return id;
    }

    /** Whether this client runs the primary at this moment. */
    public boolean isPrimary() {
        return clientState.isPrimary();
    }

    /**
     * Acquires the lock shared with other readers, waiting up to the primary's request timeout.
     * Fails like {@link #acquireRead(AcquireOptions)}.
     */
    public SocketLock acquireRead() {
        return acquireRead(AcquireOptions.NONE);
    }

    /**
     * Acquires the lock shared with other readers.
     *
     * @throws SocketLockRefusedException if the primary refuses: its request timeout has passed, or
     *     the time to live is too long
     * @throws SocketLockTimeoutException if the timeout of the options has passed
     * @throws SocketLockInterruptedException if the thread is interrupted
     * @throws SocketLockUnavailableException if no primary responds
     * @throws SocketLockException if another acquire is in flight, or the client is closed
     */
    public SocketLock acquireRead(AcquireOptions options) {
        return clientState.acquire(LockMode.READ, options, true);
    }

    /**
     * Acquires the exclusive lock, waiting up to the primary's request timeout. Fails like {@link
     * #acquireWrite(AcquireOptions)}.
     */
    public SocketLock acquireWrite() {
        return acquireWrite(AcquireOptions.NONE);
    }

    /**
     * Acquires the exclusive lock. Fails like {@link #acquireRead(AcquireOptions)}, and while this
     * client holds the lock for reading.
     */
    public SocketLock acquireWrite(AcquireOptions options) {
        return clientState.acquire(LockMode.WRITE, options, true);
    }

    SocketLock acquireUninterruptibly(LockMode mode, AcquireOptions options) {
        return clientState.acquire(mode, options, false);
    }

    /**
     * The lock as a {@link ReadWriteLock}: it also excludes threads of this process, and belongs to
     * the thread that locked it. Every call returns the same object. {@code unlock} throws {@link
     * SocketLockException} if the lock was lost while it was held, and acquiring the write lock
     * throws it in a thread that has the read lock. {@code tryLock()} waits up to 50 ms for the
     * primary's response. {@code lock} has no timeout: it continues to wait after the primary's
     * request timeout. Conditions are not supported.
     */
    public ReadWriteLock asReadWriteLock() {
        return threadLock;
    }

    /**
     * Waits until the lock is released, then disconnects. If this process is the primary, another
     * takes over. Works in an interrupted thread too, unless it would have to wait.
     *
     * @throws SocketLockInterruptedException if the thread is interrupted while it waits; the
     *     client is unchanged
     */
    @Override
    public void close() {
        clientState.close();
    }

    /** Disconnects at once; a lock that is held is lost. */
    public void closeNow() {
        clientState.closeNow();
    }
}
