package io.holdfast.client.lockd;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Calls the listener, in order and on a thread that nothing else waits for. */
final class LockdListenerDispatcher {
    private static final Logger LOG = System.getLogger("io.holdfast.client.lockd");

    private final @Nullable ThreadPoolExecutor thread;
    private final Consumer<Consumer<LockdListener>> deliver;

    LockdListenerDispatcher(@Nullable LockdListener listener, String threadName) {
        if (listener == null) {
            thread = null;
            deliver = unheard -> {};
            return;
        }
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(), // a connection has at most two notices
                        task -> {
                            var worker = new Thread(task, threadName);
                            worker.setDaemon(true);
                            return worker;
                        },
                        new ThreadPoolExecutor.DiscardPolicy()); // too late to be told
        executor.allowCoreThreadTimeOut(true);
        thread = executor;
        deliver = notice -> executor.execute(() -> call(listener, notice));
    }

    void give(Consumer<LockdListener> notice) {
        deliver.accept(notice);
    }

    /** No more notices will be given; those given are still delivered. */
    void end() {
        if (thread != null) {
            thread.shutdown();
        }
    }

    private static void call(LockdListener listener, Consumer<LockdListener> notice) {
        try {
            notice.accept(listener);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "A listener failed", e);
        }
    }
}
