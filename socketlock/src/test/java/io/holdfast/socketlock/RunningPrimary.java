package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A primary on an I/O thread of its own. */
final class RunningPrimary implements AutoCloseable {
    private final IoThread ioThread = IoThread.start("primary under test");
    private final AtomicInteger lost = new AtomicInteger();
    private final Path socket;
    private final Primary primary;

    RunningPrimary(Path socket, LockConfig config) throws Exception {
        this.socket = socket;
        primary =
                onLoop(
                        () -> {
                            if (PrimaryLock.tryTake(socket)
                                    instanceof PrimaryLock.Attempt.Taken taken) {
                                return Primary.start(
                                        ioThread,
                                        taken.primaryLock(),
                                        config,
                                        lost::incrementAndGet);
                            }
                            throw new IOException("no primary lock");
                        });
    }

    RunningPrimary(Path socket) throws Exception {
        this(socket, LockConfig.defaults());
    }

    Path path() {
        return socket;
    }

    <T> T onLoop(Callable<T> task) throws Exception {
        var result = new CompletableFuture<T>();
        ioThread.execute(
                () -> {
                    try {
                        result.complete(task.call());
                    } catch (Exception | Error e) {
                        result.completeExceptionally(e);
                    }
                });
        return result.get(60, TimeUnit.SECONDS);
    }

    int connections() throws Exception {
        return onLoop(primary::connections);
    }

    int tableSize() throws Exception {
        return onLoop(() -> primary.table().size());
    }

    boolean isSuspended() throws Exception {
        return onLoop(() -> primary.table().isSuspended());
    }

    /** The number of channels registered with the selector. */
    int channels() throws Exception {
        return onLoop(ioThread::channels);
    }

    int lost() {
        return lost.get();
    }

    void stop() {
        var done = new CompletableFuture<Void>();
        ioThread.execute(
                () -> {
                    primary.stop();
                    done.complete(null);
                });
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        try {
            stop();
        } finally {
            ioThread.close();
        }
    }
}
