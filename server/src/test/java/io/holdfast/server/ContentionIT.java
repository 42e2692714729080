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

    /** With 50 ms lost on each blocked answer this would take minutes. */
    @Test
    void keep_up_their_pace_though_they_are_200() throws Exception {
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
                                        String token = TestClient.token(client.ask("l", "k", "60"));
                                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                                        inside.decrementAndGet();
                                        assertThat(client.ask("r", "k", token)).isEqualTo("ok");
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
    void never_hold_more_slots_than_there_are() throws Exception {
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
                                                TestClient.token(client.ask("sl", "k", "60 3"));
                                        assertThat(inside.incrementAndGet()).isBetween(1, 3);
                                        inside.decrementAndGet();
                                        assertThat(client.ask("sr", "k", token)).isEqualTo("ok");
                                    }
                                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        }
    }

    @Test
    void are_served_in_the_order_they_came_whoever_leaves_in_between() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicBoolean enough = new AtomicBoolean();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> noise = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                noise.add(pool.submit(noise(i, enough)));
            }
            try {
                for (int round = 0; round < 5; round++) {
                    serveInOrder("k" + round, random, seed);
                }
            } finally {
                enough.set(true);
            }
            for (Future<?> end : noise) {
                end.get();
            }
        }
    }

    private Runnable noise(int number, AtomicBoolean enough) {
        TestClient client = server.connect();
        return () -> {
            while (!enough.get()) {
                String token = client.acquire("noise" + number);
                assertThat(client.ask("r", "noise" + number, token)).isEqualTo("ok");
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
                assertThat(client.ask("e", key, "60")).isEqualTo("queued");
                client.send("w", key, "60");
            } else {
                client.send("l", key, "60 60");
                server.awaitWaiters(key, i + 1); // so that the next one comes after it
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
                leave(line.get(i), random); // perhaps at the very moment of its grant
                continue;
            }
            assertThat(last.ask("r", key, token)).as("seed %d", seed).isEqualTo("ok");
            String next = TestClient.token(line.get(i).line());
            assertThat(next).as("fence of %d, seed %d", i, seed).isGreaterThan(token);
            token = next;
            last = line.get(i);
            served++;
        }
        assertThat(served).isEqualTo(35);
        assertThat(last.ask("r", key, token)).isEqualTo("ok");
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

    /** Neither the release nor the close comes first for sure: the slot must not get lost. */
    @Test
    void pass_a_slot_on_when_its_grant_meets_the_end_of_its_connection() throws Exception {
        TestClient holder = server.connect();
        TestClient next = server.connect();
        String token = holder.acquire("k", 600);
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExecutorService pool = Executors.newFixedThreadPool(1)) {
            for (int round = 0; round < 400; round++) {
                TestClient leaver = server.connect();
                if (round % 3 == 0) {
                    assertThat(leaver.ask("e", "k", "600")).isEqualTo("queued");
                    leaver.send("w", "k", "600");
                } else {
                    leaver.send("l", "k", "600 600");
                    server.awaitWaiters("k", 1);
                }
                assertThat(next.ask("e", "k", "600")).isEqualTo("queued");
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
                assertThat(holder.ask("r", "k", token)).isEqualTo("ok");
                leaving.get();
                token = TestClient.token(next.ask("w", "k", "600"));
                TestClient swap = holder;
                holder = next;
                next = swap;
            }
        }
    }

    @Test
    void get_an_expired_lock_without_anybody_doing_anything() {
        TestClient holder = server.connect();
        String first = holder.acquire("k", 1);
        TestClient second = server.connect();
        String secondToken = TestClient.token(second.ask("l", "k", "30 1"));
        TestClient third = server.connect();
        String thirdToken = TestClient.token(third.ask("l", "k", "30 20"));
        assertThat(secondToken).isGreaterThan(first).isLessThan(thirdToken);
        assertThat(holder.ask("r", "k", first)).isEqualTo("error");
        assertThat(second.ask("n", "k", secondToken)).isEqualTo("error");
        assertThat(third.ask("n", "k", thirdToken + " 7")).isEqualTo("ok 7");
    }

    @Test
    void get_an_expired_lock_of_one_that_never_asked_for_its_grant() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient silent = server.connect();
        assertThat(silent.ask("e", "k", "1")).isEqualTo("queued");
        TestClient next = server.connect();
        next.send("l", "k", "30");
        server.awaitWaiters("k", 2);
        assertThat(holder.ask("r", "k", token)).isEqualTo("ok");

        assertThat(next.line()).startsWith("ok ");
        assertThat(silent.ask("w", "k", "0")).isEqualTo("error_not_enqueued");
        assertThat(silent.ask("e", "k", "1")).isEqualTo("queued");
    }
}
