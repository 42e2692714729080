package io.holdfast.client.internal.wire;

import static java.time.Duration.ofSeconds;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A plain service with a manual clock and a record of its events. */
final class PlainClient implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 60;

    final ManualClock clock = new ManualClock();
    final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    final LockService service;

    PlainClient(FakePlainServer server, int maxConnections) throws Exception {
        var connected = connect(config(server.address(), maxConnections, true), recorder(), clock);
        server.next("ping _ _").respond("ok");
        service = get(connected);
    }

    static CompletableFuture<LockService> connect(
            ServiceConfig config, ServiceEvents events, TimerClock clock) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return WireServiceConnector.connect(config, events, clock);
                    } catch (ServiceException e) {
                        throw new CompletionException(e);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    static ServiceConfig config(InetSocketAddress address, int maxConnections, boolean plain) {
        return new ServiceConfig(
                List.of(address),
                null,
                null,
                ofSeconds(5),
                ofSeconds(24),
                ofSeconds(3),
                "test",
                maxConnections,
                plain,
                Runnable::run);
    }

    private ServiceEvents recorder() {
        return new ServiceEvents() {
            @Override
            public void connected() {
                events.add("connected");
            }

            @Override
            public void suspended() {
                events.add("suspended");
            }

            @Override
            public void restored() {
                events.add("restored");
            }

            @Override
            public void lost() {
                events.add("lost");
            }

            @Override
            public void reconnected() {
                events.add("reconnected");
            }
        };
    }

    StartedAcquire lock(String key, Duration wait) {
        return acquire(AcquireRequest.Kind.LOCK, key, 1, wait.toNanos(), 0);
    }

    StartedAcquire acquire(
            AcquireRequest.Kind kind, String key, long limit, long waitNanos, long leaseNanos) {
        var outcomes = new ConcurrentLinkedQueue<AcquireOutcome>();
        var first = new CompletableFuture<AcquireOutcome>();
        AcquireAttempt acquireAttempt =
                service.acquire(
                        new AcquireRequest(kind, key, limit, waitNanos, leaseNanos, false),
                        acquireOutcome -> {
                            outcomes.add(acquireOutcome);
                            first.complete(acquireOutcome);
                        });
        return new StartedAcquire(acquireAttempt, first, outcomes);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        service.close();
    }

    /** An acquire and all outcomes that were reported. */
    record StartedAcquire(
            AcquireAttempt attempt,
            CompletableFuture<AcquireOutcome> outcome,
            ConcurrentLinkedQueue<AcquireOutcome> outcomes) {
        AcquireOutcome end() throws Exception {
            return get(outcome);
        }

        GrantedHold hold() throws Exception {
            if (end() instanceof AcquireOutcome.Granted granted) {
                return granted.hold();
            }
            throw new AssertionError("not granted but " + end());
        }
    }
}
