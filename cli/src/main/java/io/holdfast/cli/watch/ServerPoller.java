package io.holdfast.cli.watch;

import io.holdfast.driver.FailureText;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Polls a server in a thread of its own. */
final class ServerPoller {
    private final HttpReader server;
    private final Duration interval;
    private final Consumer<TopSample> onSample;
    private final Consumer<ReadException> onFailure;
    private final Semaphore queryChanged = new Semaphore(0);
    private volatile TopQuery topQuery;

    private ServerPoller(
            HttpReader server,
            TopQuery topQuery,
            Duration interval,
            Consumer<TopSample> onSample,
            Consumer<ReadException> onFailure) {
        this.server = server;
        this.topQuery = topQuery;
        this.interval = interval;
        this.onSample = onSample;
        this.onFailure = onFailure;
    }

    static ServerPoller start(
            HttpReader server,
            TopQuery topQuery,
            Duration interval,
            Consumer<TopSample> onSample,
            Consumer<ReadException> onFailure) {
        ServerPoller serverPoller =
                new ServerPoller(server, topQuery, interval, onSample, onFailure);
        Thread.ofPlatform().daemon().name("holdfast-poller").start(serverPoller::run);
        return serverPoller;
    }

    /** Changes the query and polls at once. */
    void setQuery(TopQuery other) {
        topQuery = other;
        queryChanged.release();
    }

    private void run() {
        try {
            while (true) {
                try {
                    onSample.accept(TopSample.read(server, topQuery));
                } catch (ReadException e) {
                    onFailure.accept(e);
                } catch (RuntimeException | Error e) {
                    // otherwise the screen would silently stop updating
                    onFailure.accept(
                            new ReadException(
                                    "the response cannot be shown: " + FailureText.of(e), e));
                }
                if (queryChanged.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                    queryChanged.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
