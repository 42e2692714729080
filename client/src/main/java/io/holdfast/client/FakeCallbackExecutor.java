package io.holdfast.client;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/** Runs callbacks on threads, and can wait until they have run or wait themselves. */
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

    /** Returns when nothing runs, or when all that runs has been blocked for some looks. */
    synchronized void awaitQuiet() {
        boolean interrupted = false;
        int looks = 0;
        while (looks < CHECKS
                && running.stream().anyMatch(t -> !t.equals(Thread.currentThread()))) {
            try {
                wait(CHECK_INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            looks = running.stream().allMatch(FakeCallbackExecutor::isBlocked) ? looks + 1 : 0;
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
