package io.holdfast.socketlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that does all I/O. It is never interrupted, so no channel is closed by an
 * interrupt. Tasks on it must not block.
 */
final class IoThread {
    /** A delayed task that can be cancelled. */
    static final class Timer {
        private final long dueNanos;
        private final long number;
        private final Runnable task;

        private Timer(long dueNanos, long number, Runnable task) {
            this.dueNanos = dueNanos;
            this.number = number;
            this.task = task;
        }
    }

    /**
     * The maximum time between two polls: an older last poll means that the process was suspended.
     */
    private static final long MAX_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Selector selector;
    private final Thread thread;
    private final List<SelectionKey> ready = new ArrayList<>();

    @GuardedBy("tasks")
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private final TreeSet<Timer> timers =
            new TreeSet<>(
                    Comparator.<Timer>comparingLong(timer -> timer.dueNanos)
                            .thenComparingLong(timer -> timer.number));
    private long lastTimer;

    /** When the thread last polled all its channels. */
    private volatile long lastPollNanos = System.nanoTime();

    @GuardedBy("tasks")
    private boolean closed;

    private IoThread(Selector selector, String name) {
        this.selector = selector;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    static IoThread start(String name) throws IOException {
        IoThread ioThread = new IoThread(Selector.open(), name);
        ioThread.thread.start();
        return ioThread;
    }

    boolean isCurrent() {
        return thread.equals(Thread.currentThread());
    }

    /**
     * The time since the thread last polled all its channels, which bounds the age of what it has
     * read.
     */
    long nanosSinceLastPoll() {
        return System.nanoTime() - lastPollNanos;
    }

    /** Runs a task on the thread; false if the thread has been closed. Thread-safe. */
    boolean execute(Runnable task) {
        synchronized (tasks) {
            if (closed) {
                return false;
            }
            tasks.add(task);
        }
        selector.wakeup();
        return true;
    }

    /** Runs a task on the thread after a delay. Only on the thread. */
    Timer after(long nanos, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + Math.max(0, nanos), ++lastTimer, task);
        timers.add(timer);
        return timer;
    }

    /** Cancels a timer; no effect if it has run. Only on the thread. */
    void cancel(Timer timer) {
        timers.remove(timer);
    }

    /** Registers a channel and makes it non-blocking. Only on the thread. */
    SelectionKey register(SelectableChannel channel, int operations, Runnable whenReady)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, whenReady);
    }

    /** The number of registered channels. */
    int channels() {
        return selector.keys().size();
    }

    /** Ends the thread after the tasks that are already queued; channels are not closed. */
    void close() {
        synchronized (tasks) {
            closed = true;
        }
        selector.wakeup();
    }

    private void run() {
        try (selector) {
            while (runTasks()) {
                runTimers();
                poll();
            }
        } catch (IOException e) {
            report(e);
        }
    }

    /**
     * Polls the channels. After a failure it pauses, and {@link #nanosSinceLastPoll} grows until a
     * poll succeeds.
     */
    private void poll() {
        try {
            select();
        } catch (IOException | RuntimeException | Error e) {
            report(e);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void select() throws IOException {
        long sleepNanos =
                timers.isEmpty()
                        ? MAX_SLEEP_NANOS
                        : Math.min(timers.first().dueNanos - System.nanoTime(), MAX_SLEEP_NANOS);
        ready.clear(); // in the order of readiness, which the selector's own set does not keep
        // Taken before the poll: the process may be suspended between the two.
        long pollNanos = System.nanoTime();
        if (sleepNanos <= 0) {
            selector.selectNow(ready::add);
        } else {
            selector.select(ready::add, Math.max(1, TimeUnit.NANOSECONDS.toMillis(sleepNanos)));
        }
        for (SelectionKey key : ready) {
            if (key.isValid()) {
                run((Runnable) key.attachment());
            }
        }
        lastPollNanos = pollNanos;
    }

    /** Runs the queued tasks; false if the thread is closed and there are no more. */
    private boolean runTasks() {
        while (true) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    return !closed;
                }
            }
            run(task);
        }
    }

    private void runTimers() {
        long now = System.nanoTime();
        while (!timers.isEmpty() && timers.first().dueNanos - now <= 0) {
            run(timers.pollFirst().task);
        }
    }

    /** Runs a task; its failure must not end the thread. */
    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private void report(Throwable failure) {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
}
