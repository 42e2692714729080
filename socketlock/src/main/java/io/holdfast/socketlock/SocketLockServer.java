package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A primary without a client: it serves the lock of a path until it is closed or its process ends.
 * Programs that use the lock do not need it, since any client becomes the primary when there is
 * none.
 *
 * <p>If the socket is removed or replaced, the service ends, and starts again as soon as it can
 * become the primary again.
 */
public final class SocketLockServer implements AutoCloseable {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Path path;
    private final LockConfig config;
    private final IoThread ioThread;

    // Used on the I/O thread once it is started.
    private @Nullable Primary primary;
    private boolean closed;

    private SocketLockServer(Path path, LockConfig config, IoThread ioThread) {
        this.path = path;
        this.config = config;
        this.ioThread = ioThread;
    }

    /**
     * Starts to serve the path.
     *
     * @throws IOException if that is not possible, for example because another process serves it
     */
    public static SocketLockServer start(Path path, LockConfig config) throws IOException {
        if (path.toString().isEmpty()) {
            throw new IllegalArgumentException("socketlock: path is required");
        }
        var server =
                new SocketLockServer(
                        path, config, IoThread.start("holdfast-socketlock server " + path));
        var started = new CompletableFuture<Void>();
        server.ioThread.execute(
                () -> {
                    try {
                        if (!server.tryServe()) {
                            throw new BindException("socketlock: server already running");
                        }
                        started.complete(null);
                    } catch (IOException | RuntimeException e) {
                        started.completeExceptionally(e);
                    }
                });
        try {
            started.join();
            return server;
        } catch (CompletionException e) {
            server.ioThread.close();
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("Cannot serve " + path, e.getCause());
        }
    }

    private boolean tryServe() throws IOException {
        if (PrimaryLock.tryTake(path) instanceof PrimaryLock.Attempt.Taken taken) {
            primary = Primary.start(ioThread, taken.primaryLock(), config, this::lost);
            return true;
        }
        return false;
    }

    private void lost() {
        primary = null;
        ioThread.after(RETRY_NANOS, this::retryServe);
    }

    private void retryServe() {
        if (closed) {
            return;
        }
        try {
            if (tryServe()) {
                return;
            }
        } catch (IOException e) {
            // Retry: the obstacle may be temporary.
        }
        ioThread.after(RETRY_NANOS, this::retryServe);
    }

    /**
     * Ends the service at once, closing all connections; not ended by an interrupt, which stays
     * set. A second call has no effect.
     */
    @Override
    public void close() {
        var done = new CompletableFuture<Void>();
        boolean running =
                ioThread.execute(
                        () -> {
                            try {
                                end();
                            } finally {
                                done.complete(null);
                            }
                        });
        ioThread.close();
        if (running && !ioThread.isCurrent()) {
            done.join(); // not ended by an interrupt
        }
    }

    private void end() {
        closed = true;
        if (primary != null) {
            primary.stop();
            primary = null;
        }
    }

    @Override
    public String toString() {
        return "SocketLockServer[" + path + "]";
    }
}
