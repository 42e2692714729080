package io.holdfast.client;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A task that runs on its own thread while the test continues. */
final class Background<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Background(Callable<T> task) {
        thread =
                new Thread(
                        () -> {
                            try {
                                result.complete(task.call());
                            } catch (Throwable e) {
                                result.completeExceptionally(e);
                            }
                        },
                        "background");
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Background<T> run(Callable<T> task) {
        return new Background<>(task);
    }

    Thread thread() {
        return thread;
    }

    boolean isDone() {
        return result.isDone();
    }

    T get() throws Exception {
        return result.get(60, TimeUnit.SECONDS);
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(2)).until(condition);
    }
}
