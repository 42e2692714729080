package io.holdfast.server.client;

import static io.holdfast.server.TestServer.soon;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.SignalSink;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.wire.WireServiceConnector;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A client in plain mode")
class PlainServiceIT {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final List<LockService> services = new ArrayList<>();
    private TestServer server;

    @BeforeEach
    void start() {
        timer.setRemoveOnCancelPolicy(true);
        server = TestServer.start();
    }

    @AfterEach
    void stop() {
        services.forEach(LockService::close);
        server.close();
        timer.shutdownNow();
    }

    private LockService connect(int maxConnections) throws Exception {
        var address = InetSocketAddress.createUnresolved("127.0.0.1", server.address().getPort());
        var config =
                new ServiceConfig(
                        List.of(address),
                        null,
                        null,
                        ofSeconds(10),
                        ofSeconds(30),
                        ofSeconds(3),
                        "test",
                        maxConnections,
                        true,
                        Runnable::run);
        var service = WireServiceConnector.connect(config, new NoEvents(), new RealTime());
        services.add(service);
        return service;
    }

    private static AcquireRequest lock(String key, Duration wait) {
        return new AcquireRequest(AcquireRequest.Kind.LOCK, key, 1, wait.toNanos(), 0, false);
    }

    private static CompletableFuture<AcquireOutcome> acquire(
            LockService service, AcquireRequest what) {
        var outcome = new CompletableFuture<AcquireOutcome>();
        service.acquire(what, outcome::complete);
        return outcome;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static GrantedHold hold(AcquireOutcome acquireOutcome) {
        assertThat(acquireOutcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) acquireOutcome).hold();
    }

    @Test
    void a_plain_client_gets_200_acquires_over_4_connections_once_each_and_in_order()
            throws Exception {
        LockService service = connect(4);
        GrantedHold first = hold(get(acquire(service, lock("k", ofSeconds(0)))));
        var order = new CopyOnWriteArrayList<Integer>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            service.acquire(
                    lock("k", ofSeconds(30)),
                    acquireOutcome -> {
                        GrantedHold hold = hold(acquireOutcome);
                        order.add(number);
                        var _ = hold.release();
                    });
        }
        server.awaitWaiters("k", 3);
        server.awaitStats(stats -> stats.connections() == 5);
        assertThat(get(first.release())).isTrue();

        soon().until(() -> order.size() == 200);
        assertThat(order).isSorted().doesNotHaveDuplicates();
        server.awaitStats(stats -> stats.waiters("k") == 0);
    }

    @Test
    void a_plain_client_releases_and_queries_while_all_its_connections_wait() throws Exception {
        LockService service = connect(3);
        LockService other = connect(1);
        GrantedHold mine = hold(get(acquire(service, lock("mine", ofSeconds(0)))));
        GrantedHold theirs = hold(get(acquire(other, lock("theirs", ofSeconds(0)))));
        var blocked = new ArrayList<CompletableFuture<AcquireOutcome>>();
        for (int i = 0; i < 3; i++) {
            blocked.add(acquire(service, lock("theirs", ofSeconds(30))));
        }
        server.awaitWaiters("theirs", 2);

        assertThat(get(mine.renew(0))).isPositive();
        assertThat(get(service.command("incr", "c", "2"))).isEqualTo("ok 2");
        assertThat(get(mine.release())).isTrue();
        assertThat(get(mine.release())).isFalse();

        assertThat(get(theirs.release())).isTrue();
        for (var outcome : blocked) {
            assertThat(get(hold(get(outcome)).release())).isTrue();
        }
    }

    @Test
    void requests_without_a_connection_keep_their_deadlines() throws Exception {
        LockService service = connect(2);
        GrantedHold held = hold(get(acquire(service, lock("k", ofSeconds(0)))));
        var patient = acquire(service, lock("k", ofSeconds(30)));
        server.awaitWaiters("k", 1);
        var hasty = acquire(service, lock("k", ofMillis(100)));

        assertThat(get(hasty)).isInstanceOf(AcquireOutcome.TimedOut.class);
        assertThat(patient).isNotDone();
        assertThat(get(held.release())).isTrue();
        assertThat(get(hold(get(patient)).release())).isTrue();
    }

    @Test
    void a_plain_client_finds_a_free_key_although_all_its_connections_wait() throws Exception {
        LockService service = connect(2);
        LockService other = connect(1);
        hold(get(acquire(other, lock("a", ofSeconds(0)))));
        GrantedHold freed = hold(get(acquire(other, lock("b", ofSeconds(0)))));
        var _ = acquire(service, lock("a", ofSeconds(30)));
        server.awaitWaiters("a", 1);
        var waiting = acquire(service, lock("b", ofSeconds(30)));

        assertThat(get(freed.release())).isTrue();

        assertThat(get(hold(get(waiting)).release())).isTrue();
    }

    @Test
    void a_cancel_that_races_with_a_grant_has_one_outcome_and_leaks_no_hold() throws Exception {
        LockService service = connect(4);
        for (int round = 0; round < 200; round++) {
            GrantedHold held = hold(get(acquire(service, lock("k", ofSeconds(5)))));
            var outcomes = new ConcurrentLinkedQueue<AcquireOutcome>();
            var reported = new CompletableFuture<AcquireOutcome>();
            AcquireAttempt acquireAttempt =
                    service.acquire(
                            lock("k", ofSeconds(30)),
                            acquireOutcome -> {
                                outcomes.add(acquireOutcome);
                                reported.complete(acquireOutcome);
                            });
            var released = held.release();
            long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(1_000_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            acquireAttempt.cancel();
            if (get(reported) instanceof AcquireOutcome.Granted granted) {
                assertThat(get(granted.hold().release())).isTrue();
            }
            get(released);
            assertThat(outcomes).hasSize(1);
        }
        assertThat(get(hold(get(acquire(service, lock("k", ofSeconds(5))))).release())).isTrue();
        server.awaitStats(stats -> stats.waiters("k") == 0);
    }

    @Test
    void plain_clients_never_hold_more_permits_than_a_semaphore_has() throws Exception {
        LockService service = connect(8);
        var holders = new AtomicInteger();
        var maxHolders = new AtomicInteger();
        var done = new AtomicInteger();
        for (int i = 0; i < 40; i++) {
            service.acquire(
                    new AcquireRequest(
                            AcquireRequest.Kind.SEMAPHORE,
                            "s",
                            3,
                            ofSeconds(30).toNanos(),
                            ofSeconds(20).toNanos(),
                            false),
                    acquireOutcome -> {
                        GrantedHold hold = hold(acquireOutcome);
                        maxHolders.accumulateAndGet(holders.incrementAndGet(), Math::max);
                        var _ =
                                timer.schedule(
                                        () -> {
                                            holders.decrementAndGet();
                                            var _ = hold.release();
                                            done.incrementAndGet();
                                        },
                                        1,
                                        TimeUnit.MILLISECONDS);
                    });
        }
        soon().until(() -> done.get() == 40);
        assertThat(maxHolders.get()).isBetween(1, 3);
    }

    @Test
    void a_plain_client_receives_signals_and_releases_everything_when_it_closes() throws Exception {
        LockService service = connect(4);
        var received = new CopyOnWriteArrayList<String>();
        var signalSubscription =
                service.listen(
                        "a.>",
                        "",
                        new SignalSink() {
                            @Override
                            public void signal(String channel, String payload) {
                                received.add(channel + " " + payload);
                            }

                            @Override
                            public void gap() {}
                        });
        get(signalSubscription.accepted());
        assertThat(get(service.command("signal", "a.b", "hello you"))).isEqualTo("ok 1");
        soon().until(() -> received.equals(List.of("a.b hello you")));
        hold(get(acquire(service, lock("k", ofSeconds(0)))));
        var waiting = acquire(service, lock("k", ofSeconds(30)));
        server.awaitWaiters("k", 1);

        service.close();

        assertThat(get(waiting)).isInstanceOf(AcquireOutcome.Cancelled.class);
        server.awaitConnections(0);
        server.awaitStats(stats -> stats.waiters("k") == 0);
    }

    private static final class NoEvents implements ServiceEvents {
        @Override
        public void connected() {}

        @Override
        public void suspended() {}

        @Override
        public void restored() {}

        @Override
        public void lost() {}

        @Override
        public void reconnected() {}
    }

    private final class RealTime implements TimerClock {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            var scheduled = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        }
    }
}
