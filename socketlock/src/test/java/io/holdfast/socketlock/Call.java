package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A task that runs on a thread of its own. */
final class Call<T> {
    private static final int MOST_SECONDS = 30;

    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean interruptedAtTheEnd;

    private Call(Callable<T> task) {
        thread =
                new Thread(
                        () -> {
                            try {
                                T result = task.call();
                                interruptedAtTheEnd = Thread.currentThread().isInterrupted();
                                outcome.complete(result);
                            } catch (Throwable e) {
                                interruptedAtTheEnd = Thread.currentThread().isInterrupted();
                                outcome.completeExceptionally(e);
                            }
                        },
                        "call");
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Call<T> of(Callable<T> task) {
        return new Call<>(task);
    }

    static Call<Boolean> run(Runnable task) {
        return new Call<>(
                () -> {
                    task.run();
                    return true;
                });
    }

    T result() throws InterruptedException, ExecutionException, TimeoutException {
        return outcome.get(MOST_SECONDS, SECONDS);
    }

    Throwable failure() throws InterruptedException, TimeoutException {
        try {
            throw new AssertionError("It has not failed: " + result());
        } catch (ExecutionException e) {
            @Nullable Throwable cause = e.getCause();
            assertThat(cause).isNotNull();
            return cause;
        }
    }

    boolean isDone() {
        return outcome.isDone();
    }

    /** Whether the thread's interrupt flag was set at the end of the task. */
    boolean keptTheInterrupt() {
        return interruptedAtTheEnd;
    }

    Thread thread() {
        return thread;
    }

    void interrupt() {
        thread.interrupt();
    }

    /** Waits until the thread is in a waiting state. */
    Call<T> waiting() {
        await().until(
                        () ->
                                thread.getState() == Thread.State.WAITING
                                        || thread.getState() == Thread.State.TIMED_WAITING);
        return this;
    }
}
