package io.holdfast.client.socketlock;

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
 * One daemon thread that does all the input and output: nobody interrupts it, so no channel is ever
 * closed by an interrupt. What runs on it must not wait for anything.
 */
final class IoThread {
    /** What is run later, unless it is cancelled. */
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

    /** So seldom the thread wakes up without a reason, to show that the process is running. */
    private static final long MAX_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Selector selector;
    private final Thread thread;
    private final List<SelectionKey> ready = new ArrayList<>();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final TreeSet<Timer> timers =
            new TreeSet<>(
                    Comparator.<Timer>comparingLong(timer -> timer.dueNanos)
                            .thenComparingLong(timer -> timer.number));
    private long lastTimer;

    /** When the thread last looked at all its channels. */
    private volatile long lastTurnNanos = System.nanoTime();

    /** Guarded by {@link #tasks}. */
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
     * How long ago the thread last looked at all its channels: what they say is no older than that.
     */
    long nanosSinceLastTurn() {
        return System.nanoTime() - lastTurnNanos;
    }

    /** Runs a task on the thread; false if the loop has ended. May be called from anywhere. */
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

    /** Runs a task on the thread in a while. Only on the thread. */
    Timer after(long nanos, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + Math.max(0, nanos), ++lastTimer, task);
        timers.add(timer);
        return timer;
    }

    /** Only on the thread. One that has run may be cancelled too. */
    void cancel(Timer timer) {
        timers.remove(timer);
    }

    /** Watches a channel, which must not block. Only on the thread. */
    SelectionKey register(SelectableChannel channel, int operations, Runnable whenReady)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, whenReady);
    }

    /** How many channels are watched. */
    int channels() {
        return selector.keys().size();
    }

    /** Ends the thread when it has done what it was asked to do; channels are not closed. */
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
                look();
            }
        } catch (IOException e) {
            report(e);
        }
    }

    /** A look that fails is made again: until one succeeds nothing that this thread says counts. */
    private void look() {
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
        ready.clear(); // in the order in which they became so, which the selector's own set loses
        // Before the look, not after it: the process may be stopped between the two.
        long turn = System.nanoTime();
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
        lastTurnNanos = turn;
    }

    /** False when there will be no more. */
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

    /** One thing that fails must not end the others. */
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
