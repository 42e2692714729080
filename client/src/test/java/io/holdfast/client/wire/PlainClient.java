package io.holdfast.client.wire;

import static java.time.Duration.ofSeconds;

import io.holdfast.client.service.AcquireAttempt;
import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.AcquireRequest;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.LockService;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.TimerClock;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A plain service with a clock moved by hand, and what it told. */
final class PlainClient implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    final ManualClock clock = new ManualClock();
    final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    final LockService service;

    PlainClient(FakePlainServer peer, int maxConnections) throws Exception {
        var connected = connect(config(peer.address(), maxConnections, true), told(), clock);
        peer.next("ping _ _").answer("ok");
        service = get(connected);
    }

    static CompletableFuture<LockService> connect(
            WireConfig config, ServiceEvents events, TimerClock clock) {
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

    static WireConfig config(InetSocketAddress address, int maxConnections, boolean plain) {
        return new WireConfig(
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

    private ServiceEvents told() {
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

    Asked lock(String key, Duration wait) {
        return ask(AcquireRequest.Kind.LOCK, key, 1, wait.toNanos(), 0);
    }

    Asked ask(AcquireRequest.Kind kind, String key, long limit, long waitNanos, long leaseNanos) {
        var outcomes = new ConcurrentLinkedQueue<AcquireOutcome>();
        var first = new CompletableFuture<AcquireOutcome>();
        AcquireAttempt acquireAttempt =
                service.acquire(
                        new AcquireRequest(kind, key, limit, waitNanos, leaseNanos, false),
                        acquireOutcome -> {
                            outcomes.add(acquireOutcome);
                            first.complete(acquireOutcome);
                        });
        return new Asked(acquireAttempt, first, outcomes);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        service.close();
    }

    /** An acquire and all that was told about it. */
    record Asked(
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
