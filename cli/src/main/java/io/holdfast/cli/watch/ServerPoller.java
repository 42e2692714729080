package io.holdfast.cli.watch;

import io.holdfast.driver.FailureText;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Asks a server again and again, in a thread of its own. */
final class ServerPoller {
    private final HttpReader server;
    private final Duration interval;
    private final Consumer<TopSample> answered;
    private final Consumer<ReadException> failed;
    private final Semaphore asked = new Semaphore(0);
    private volatile TopQuery topQuery;

    private ServerPoller(
            HttpReader server,
            TopQuery topQuery,
            Duration interval,
            Consumer<TopSample> answered,
            Consumer<ReadException> failed) {
        this.server = server;
        this.topQuery = topQuery;
        this.interval = interval;
        this.answered = answered;
        this.failed = failed;
    }

    static ServerPoller start(
            HttpReader server,
            TopQuery topQuery,
            Duration interval,
            Consumer<TopSample> answered,
            Consumer<ReadException> failed) {
        ServerPoller serverPoller = new ServerPoller(server, topQuery, interval, answered, failed);
        Thread.ofPlatform().daemon().name("holdfast-poller").start(serverPoller::run);
        return serverPoller;
    }

    /** Asks for something else from now on, at once. */
    void ask(TopQuery other) {
        topQuery = other;
        asked.release();
    }

    private void run() {
        try {
            while (true) {
                try {
                    answered.accept(TopSample.read(server, topQuery));
                } catch (ReadException e) {
                    failed.accept(e);
                } catch (RuntimeException | Error e) { // a screen that stands still would be a lie
                    failed.accept(
                            new ReadException(
                                    "the answer cannot be shown: " + FailureText.of(e), e));
                }
                if (asked.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                    asked.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
