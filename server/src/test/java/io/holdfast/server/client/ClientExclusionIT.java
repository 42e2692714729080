package io.holdfast.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;
import io.holdfast.client.LockException;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Three clients contend for one lock, each behind a permanently faulty network. */
@DisplayName("Mutual exclusion behind faulty networks")
class ClientExclusionIT {
    private static final int FAULTS = 40;
    private static final int MIN_ACQUIRED = 20;
    private static final Duration FAULT_INTERVAL = Duration.ofMillis(25);

    /** A client that acquires and releases the lock repeatedly. */
    private static final class Contender {
        final FaultProxy proxy;
        final AtomicReference<Hold> hold = new AtomicReference<>();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Holdfast client;
        private final HoldfastLock lock;
        private final AtomicInteger acquired;
        private final Thread thread;
        private volatile boolean stopped;

        Contender(TestServer server, AtomicInteger acquired) throws IOException {
            this.acquired = acquired;
            proxy = new FaultProxy(server.address());
            client =
                    Holdfast.builder()
                            .address(proxy.address())
                            .readTimeout(Duration.ofMillis(300))
                            .connectTimeout(Duration.ofSeconds(1))
                            .grace(Duration.ofMillis(200))
                            .connect();
            lock = client.lock("one").lease(Duration.ofSeconds(1));
            thread = Thread.ofVirtual().start(this::contend);
        }

        private void contend() {
            try {
                while (!stopped) {
                    try (Hold held = lock.acquire(Duration.ofSeconds(5))) {
                        acquired.incrementAndGet();
                        hold.set(held);
                        for (int i = 0; i < 20 && held.isHeld() && !stopped; i++) {
                            LockSupport.parkNanos(1_000_000);
                        }
                    } catch (LockException e) {
                        // a network failure: try again
                    }
                }
            } catch (InterruptedException | RuntimeException e) {
                failure.set(e);
            }
        }

        void harm(Random random) {
            FaultProxy.Direction direction =
                    random.nextBoolean()
                            ? FaultProxy.Direction.TO_SERVER
                            : FaultProxy.Direction.TO_CLIENT;
            switch (random.nextInt(10)) { // three of ten heal
                case 0 -> proxy.cut();
                case 1 -> proxy.reset();
                case 2 -> proxy.drop(direction);
                case 3 -> proxy.stall(direction);
                case 4 -> proxy.delay(direction, Duration.ofMillis(random.nextInt(40)));
                case 5 -> {
                    proxy.refuse();
                    proxy.cut();
                }
                case 6 -> proxy.orphan();
                default -> proxy.heal();
            }
        }

        void stop() {
            stopped = true;
            proxy.heal();
        }

        void end() throws InterruptedException {
            stop();
            thread.join(Duration.ofSeconds(60));
            boolean ended = !thread.isAlive();
            client.close();
            proxy.close();
            assertThat(ended).as("a contender ends").isTrue();
            assertThat(failure.get()).isNull();
        }
    }

    /**
     * Tagged mode only: a plain dflockd grants a lock to the next waiter when a connection ends,
     * before the former holder can notice.
     */
    @Test
    @Timeout(120)
    void no_two_clients_hold_a_lock_at_the_same_time_behind_a_faulty_network() throws Exception {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        var acquired = new AtomicInteger();
        List<Contender> contenders = new ArrayList<>();
        try (TestServer server = TestServer.start()) {
            try {
                for (int i = 0; i < 3; i++) {
                    contenders.add(new Contender(server, acquired));
                }
                for (int fault = 0; fault < FAULTS || acquired.get() < MIN_ACQUIRED; fault++) {
                    Contender one = contenders.get(random.nextInt(contenders.size()));
                    if (fault < FAULTS) {
                        one.harm(random);
                    } else {
                        one.proxy.heal();
                    }
                    long until = System.nanoTime() + FAULT_INTERVAL.toNanos();
                    while (System.nanoTime() < until) {
                        assertThat(areTwoHolding(contenders)).as("seed %d", seed).isFalse();
                        Thread.onSpinWait();
                    }
                }
            } finally {
                contenders.forEach(Contender::stop);
                for (Contender contender : contenders) {
                    contender.end();
                }
            }
        }
    }

    /**
     * A lost hold is never held again. So a hold that is held before and after another is queried
     * was held during the query, too.
     */
    private static boolean areTwoHolding(List<Contender> contenders) {
        for (Contender one : contenders) {
            for (Contender other : contenders) {
                Hold first = one.hold.get();
                Hold second = other.hold.get();
                if (one != other
                        && first != null
                        && second != null
                        && first.isHeld()
                        && second.isHeld()
                        && first.isHeld()) {
                    return true;
                }
            }
        }
        return false;
    }
}
