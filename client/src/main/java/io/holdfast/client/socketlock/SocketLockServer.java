package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.PrimaryLock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A primary without a client: it serves the lock of a path until it is closed or its process ends.
 * Programs that use the lock need none of these, since any client becomes the primary when there is
 * none.
 *
 * <p>Should somebody remove or replace the socket, the service ends and begins again as soon as the
 * path can be had.
 */
public final class SocketLockServer implements AutoCloseable {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Path path;
    private final LockConfig config;
    private final IoThread ioThread;

    // Of the loop's thread, once it is started.
    private @Nullable Primary primary;
    private boolean closed;

    private SocketLockServer(Path path, LockConfig config, IoThread ioThread) {
        this.path = path;
        this.config = config;
        this.ioThread = ioThread;
    }

    /**
     * Serves the path from now on.
     *
     * @throws IOException if that cannot be, among other reasons because somebody else does
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
                        if (!server.take()) {
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

    private boolean take() throws IOException {
        if (PrimaryLock.tryTake(path) instanceof PrimaryLock.Attempt.Taken taken) {
            primary = Primary.start(ioThread, taken.primaryLock(), config, this::lost);
            return true;
        }
        return false;
    }

    private void lost() {
        primary = null;
        ioThread.after(RETRY_NANOS, this::takeAgain);
    }

    private void takeAgain() {
        if (closed) {
            return;
        }
        try {
            if (take()) {
                return;
            }
        } catch (IOException e) {
            // What is in the way may go as it came.
        }
        ioThread.after(RETRY_NANOS, this::takeAgain);
    }

    /**
     * Ends the service at once, whoever is connected, and keeps an interrupt for later. A second
     * call has no effect.
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
