package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("Clients that contend for a key")
@Timeout(120)
class ContentionIT {
    private final TestServer server = TestServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** With a delay of 50 ms for each blocked response this would take minutes. */
    @Test
    void two_hundred_contending_clients_keep_their_throughput() throws Exception {
        int rounds = 20;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                TestClient client = server.connect();
                ends.add(
                        pool.submit(
                                () -> {
                                    for (int round = 0; round < rounds; round++) {
                                        String token =
                                                TestClient.token(client.request("l", "k", "60"));
                                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                                        inside.decrementAndGet();
                                        assertThat(client.request("r", "k", token)).isEqualTo("ok");
                                        done.incrementAndGet();
                                    }
                                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        }
        assertThat(done).hasValue(200 * rounds);
    }

    @Test
    void contending_clients_never_hold_more_slots_than_the_limit() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                TestClient client = server.connect();
                ends.add(
                        pool.submit(
                                () -> {
                                    for (int round = 0; round < 40; round++) {
                                        String token =
                                                TestClient.token(client.request("sl", "k", "60 3"));
                                        assertThat(inside.incrementAndGet()).isBetween(1, 3);
                                        inside.decrementAndGet();
                                        assertThat(client.request("sr", "k", token))
                                                .isEqualTo("ok");
                                    }
                                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        }
    }

    @Test
    void waiters_are_granted_in_order_of_arrival_when_others_leave_in_between() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicBoolean stopped = new AtomicBoolean();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> churn = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                churn.add(pool.submit(churn(i, stopped)));
            }
            try {
                for (int round = 0; round < 5; round++) {
                    serveInOrder("k" + round, random, seed);
                }
            } finally {
                stopped.set(true);
            }
            for (Future<?> end : churn) {
                end.get();
            }
        }
    }

    private Runnable churn(int number, AtomicBoolean stopped) {
        TestClient client = server.connect();
        return () -> {
            while (!stopped.get()) {
                String token = client.acquire("noise" + number);
                assertThat(client.request("r", "noise" + number, token)).isEqualTo("ok");
            }
        };
    }

    private void serveInOrder(String key, Random random, long seed) {
        TestClient holder = server.connect();
        String token = holder.acquire(key);
        List<TestClient> line = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            TestClient client = server.connect();
            if (random.nextInt(4) == 0) {
                assertThat(client.request("e", key, "60")).isEqualTo("queued");
                client.send("w", key, "60");
            } else {
                client.send("l", key, "60 60");
                server.awaitWaiters(key, i + 1); // so that the next one is queued after it
            }
            line.add(client);
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        Set<Integer> leavers = new HashSet<>(order.subList(0, 25));
        int early = 0;
        for (int leaver : leavers) {
            if (early++ < 12) {
                leave(line.get(leaver), random);
            }
        }
        int served = 0;
        TestClient last = holder;
        for (int i = 0; i < 60; i++) {
            if (leavers.contains(i)) {
                leave(line.get(i), random); // perhaps at the moment of its grant
                continue;
            }
            assertThat(last.request("r", key, token)).as("seed %d", seed).isEqualTo("ok");
            String next = TestClient.token(line.get(i).line());
            assertThat(next).as("fence of %d, seed %d", i, seed).isGreaterThan(token);
            token = next;
            last = line.get(i);
            served++;
        }
        assertThat(served).isEqualTo(35);
        assertThat(last.request("r", key, token)).isEqualTo("ok");
    }

    private static void leave(TestClient client, Random random) {
        if (client.socket().isClosed() || client.socket().isOutputShutdown()) {
            return;
        }
        switch (random.nextInt(3)) {
            case 0 -> client.reset();
            case 1 -> client.close();
            default -> client.halfClose();
        }
    }

    /** Release and close are concurrent: the slot must not get lost. */
    @Test
    void a_slot_is_passed_on_when_its_grant_races_with_the_end_of_its_connection()
            throws Exception {
        TestClient holder = server.connect();
        TestClient next = server.connect();
        String token = holder.acquire("k", 600);
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExecutorService pool = Executors.newFixedThreadPool(1)) {
            for (int round = 0; round < 400; round++) {
                TestClient leaver = server.connect();
                if (round % 3 == 0) {
                    assertThat(leaver.request("e", "k", "600")).isEqualTo("queued");
                    leaver.send("w", "k", "600");
                } else {
                    leaver.send("l", "k", "600 600");
                    server.awaitWaiters("k", 1);
                }
                assertThat(next.request("e", "k", "600")).isEqualTo("queued");
                boolean reset = round % 2 == 0;
                Future<?> leaving =
                        pool.submit(
                                () -> {
                                    together.await();
                                    if (reset) {
                                        leaver.reset();
                                    } else {
                                        leaver.close();
                                    }
                                    return null;
                                });
                together.await();
                assertThat(holder.request("r", "k", token)).isEqualTo("ok");
                leaving.get();
                token = TestClient.token(next.request("w", "k", "600"));
                TestClient swap = holder;
                holder = next;
                next = swap;
            }
        }
    }

    @Test
    void a_waiter_gets_an_expired_lock_without_any_other_request() {
        TestClient holder = server.connect();
        String first = holder.acquire("k", 1);
        TestClient second = server.connect();
        String secondToken = TestClient.token(second.request("l", "k", "30 1"));
        TestClient third = server.connect();
        String thirdToken = TestClient.token(third.request("l", "k", "30 20"));
        assertThat(secondToken).isGreaterThan(first).isLessThan(thirdToken);
        assertThat(holder.request("r", "k", first)).isEqualTo("error");
        assertThat(second.request("n", "k", secondToken)).isEqualTo("error");
        assertThat(third.request("n", "k", thirdToken + " 7")).isEqualTo("ok 7");
    }

    @Test
    void a_waiter_gets_an_expired_lock_of_an_enqueuer_that_never_waited() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient silent = server.connect();
        assertThat(silent.request("e", "k", "1")).isEqualTo("queued");
        TestClient next = server.connect();
        next.send("l", "k", "30");
        server.awaitWaiters("k", 2);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");

        assertThat(next.line()).startsWith("ok ");
        assertThat(silent.request("w", "k", "0")).isEqualTo("error_not_enqueued");
        assertThat(silent.request("e", "k", "1")).isEqualTo("queued");
    }
}
