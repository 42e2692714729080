package io.holdfast.client.wire;

import static java.time.Duration.ofSeconds;

import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.LockService;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.Timeline;

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

    final HandClock clock = new HandClock();
    final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    final LockService service;

    PlainClient(PlainPeer peer, int maxConnections) throws Exception {
        var connected = connect(config(peer.address(), maxConnections, true), told(), clock);
        peer.next("ping _ _").answer("ok");
        service = get(connected);
    }

    static CompletableFuture<LockService> connect(
            WireConfig config, ServiceEvents events, Timeline clock) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return WireServices.connect(config, events, clock);
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
        return ask(Acquisition.Kind.LOCK, key, 1, wait.toNanos(), 0);
    }

    Asked ask(Acquisition.Kind kind, String key, long limit, long waitNanos, long leaseNanos) {
        var outcomes = new ConcurrentLinkedQueue<Outcome>();
        var first = new CompletableFuture<Outcome>();
        Attempt attempt =
                service.acquire(
                        new Acquisition(kind, key, limit, waitNanos, leaseNanos, false),
                        outcome -> {
                            outcomes.add(outcome);
                            first.complete(outcome);
                        });
        return new Asked(attempt, first, outcomes);
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
            Attempt attempt,
            CompletableFuture<Outcome> outcome,
            ConcurrentLinkedQueue<Outcome> outcomes) {
        Outcome end() throws Exception {
            return get(outcome);
        }

        GrantedHold hold() throws Exception {
            if (end() instanceof Outcome.Granted granted) {
                return granted.hold();
            }
            throw new AssertionError("not granted but " + end());
        }
    }
}
