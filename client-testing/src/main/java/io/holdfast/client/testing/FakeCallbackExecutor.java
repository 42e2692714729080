package io.holdfast.client.testing;

import io.holdfast.client.internal.thread.DaemonThreads;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Runs each callback on its own thread, and can wait until all callbacks have ended or are blocked.
 */
final class FakeCallbackExecutor implements Executor {
    private static final long CHECK_INTERVAL_MILLIS = 10;
    private static final int CHECKS = 5;

    private final Set<Thread> running = new LinkedHashSet<>();

    @Override
    public void execute(Runnable task) {
        var thread =
                DaemonThreads.DAEMONS.newThread(
                        () -> {
                            try {
                                task.run();
                            } finally {
                                remove(Thread.currentThread());
                            }
                        });
        synchronized (this) {
            running.add(thread);
        }
        thread.start();
    }

    private synchronized void remove(Thread thread) {
        running.remove(thread);
        notifyAll();
    }

    /**
     * Returns when no callback is running, or when all running ones have been blocked for {@link
     * #CHECKS} consecutive checks.
     */
    synchronized void awaitQuiet() {
        boolean interrupted = false;
        int checks = 0;
        while (checks < CHECKS
                && running.stream().anyMatch(t -> !t.equals(Thread.currentThread()))) {
            try {
                wait(CHECK_INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            checks = running.stream().allMatch(FakeCallbackExecutor::isBlocked) ? checks + 1 : 0;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isBlocked(Thread thread) {
        if (Thread.currentThread().equals(thread)) {
            return true;
        }
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            case NEW, RUNNABLE, BLOCKED -> false;
        };
    }
}
