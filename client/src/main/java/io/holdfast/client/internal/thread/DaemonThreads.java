package io.holdfast.client.internal.thread;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs each task on its own thread: a virtual thread if the JVM has them, otherwise a daemon thread
 * of a cached pool.
 */
public final class DaemonThreads implements Executor {
    private static final AtomicLong NUMBERS = new AtomicLong();

    public static final ThreadFactory DAEMONS =
            task -> {
                var thread = new Thread(task, "holdfast-" + NUMBERS.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            };

    private final Executor executor;
    private final Runnable end;

    public DaemonThreads() {
        var virtual = virtual();
        if (virtual.isPresent()) {
            executor = task -> virtual.get().newThread(task).start();
            end = () -> {};
        } else {
            var pool = Executors.newCachedThreadPool(DAEMONS);
            executor = pool;
            end = pool::shutdown;
        }
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Shuts down the thread pool, if there is one; running tasks continue. */
    public void close() {
        end.run();
    }

    private static Optional<ThreadFactory> virtual() {
        try {
            var builder = Thread.class.getMethod("ofVirtual").invoke(null);
            var type = Class.forName("java.lang.Thread$Builder");
            var named =
                    type.getMethod("name", String.class, long.class)
                            .invoke(builder, "holdfast-", 1L);
            return Optional.of((ThreadFactory) type.getMethod("factory").invoke(named));
        } catch (ReflectiveOperationException | ClassCastException e) {
            return Optional.empty();
        }
    }
}
