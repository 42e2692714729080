package io.holdfast.lockd;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Calls the listener, in order, on a thread of its own. */
final class LockdListenerDispatcher {
    private static final Logger LOG = System.getLogger("io.holdfast.lockd");

    private final @Nullable ThreadPoolExecutor thread;
    private final Consumer<Consumer<LockdListener>> deliver;

    LockdListenerDispatcher(@Nullable LockdListener listener, String threadName) {
        if (listener == null) {
            thread = null;
            deliver = ignored -> {};
            return;
        }
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(), // a connection has at most two events
                        task -> {
                            var worker = new Thread(task, threadName);
                            worker.setDaemon(true);
                            return worker;
                        },
                        new ThreadPoolExecutor.DiscardPolicy()); // after end() events are dropped
        executor.allowCoreThreadTimeOut(true);
        thread = executor;
        deliver = event -> executor.execute(() -> call(listener, event));
    }

    void dispatch(Consumer<LockdListener> event) {
        deliver.accept(event);
    }

    /** Accepts no more events; queued ones are still delivered. */
    void end() {
        if (thread != null) {
            thread.shutdown();
        }
    }

    private static void call(LockdListener listener, Consumer<LockdListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "listener threw an exception", e);
        }
    }
}
