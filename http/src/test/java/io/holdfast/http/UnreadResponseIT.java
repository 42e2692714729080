package io.holdfast.http;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Input of clients that is not read, or not read yet; and responses that clients do not read. */
final class UnreadResponseIT {
    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String POLL = "{\"acquire_timeout_s\":60}";

    private static int waiters(TestHttp http) {
        var view = http.driver.queries().view(ResourceKind.LOCK, Key.of("k"), 1);
        return view == null ? 0 : view.waiters();
    }

    private static RawHttp poll(TestHttp http, String body) {
        return new RawHttp(http).send(RawHttp.head("/v1/leases/k", "none", body.length()) + body);
    }

    @Test
    void a_connection_is_closed_after_a_response_that_was_sent_before_the_body_was_read() {
        try (TestHttp http = TestHttp.start()) {
            for (String path : new String[] {"/nowhere", "/health", "/v1/leases/k"}) {
                try (RawHttp raw = new RawHttp(http)) {
                    raw.send(RawHttp.head(path, "none", 1 << 21) + "x".repeat(1000));

                    assertThat(raw.response()).as(path).contains(" 40", "onnection: close");
                    assertThat(raw.isEnded()).as(path).isTrue();
                }
            }
        }
    }

    @Test
    void no_request_is_served_after_the_last_response_of_a_connection() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = new RawHttp(http)) {
            raw.send(
                    RawHttp.head("/nowhere", "none", 2)
                            + "{}"
                            + RawHttp.head("/v1/leases/k", "none", 2)
                            + "{}");
            assertThat(raw.response()).contains(" 404 ", "onnection: close");
            assertThat(raw.isEnded()).isTrue();
            assertThat(http.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
        }
    }

    @Test
    void input_after_a_refused_request_does_not_block_other_clients() {
        try (TestHttp http = TestHttp.start()) {
            List<RawHttp> floods = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    RawHttp raw = new RawHttp(http);
                    floods.add(raw);
                    flood(raw);
                    assertThat(statusAndError(http.get("/health"))).isEqualTo("200");
                }
            } finally {
                floods.forEach(RawHttp::close);
            }
        }
    }

    private static void flood(RawHttp raw) {
        String head = RawHttp.head("/health", "none", 1 << 30).replace("localhost", "evil.example");
        try {
            raw.send(head);
            assertThat(raw.response()).contains(" 403 ");
            for (int i = 0; i < 64; i++) {
                raw.send("x".repeat(1 << 20));
            }
        } catch (UncheckedIOException e) {
            // the server closed the connection
        }
    }

    @Test
    void bodies_of_waiting_requests_are_not_kept_in_memory() {
        try (TestHttp http = TestHttp.start()) {
            http.post("/v1/leases/k", "{}");
            String body = POLL + " ".repeat((1 << 20) - POLL.length());
            long before = used();
            List<RawHttp> waiting = new ArrayList<>();
            try {
                for (int i = 0; i < 32; i++) {
                    waiting.add(poll(http, body));
                    int there = i + 1;
                    await().until(() -> waiters(http) == there);
                }

                assertThat(used() - before).isLessThan(16L << 20);
            } finally {
                waiting.forEach(RawHttp::close);
            }
        }
    }

    private static long used() {
        var memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    @Test
    void pipelined_input_stays_in_order() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = poll(http, "{\"acquire_timeout_s\":0}")) {
            assertThat(raw.response()).contains(" 200 ");
            String token = json(http.post("/v1/leases/j", "{}")).getString("token");
            for (int round = 0; round < 20; round++) {
                raw.send(RawHttp.head("/v1/leases/j", "none", POLL.length()) + POLL);
                await().until(
                                () ->
                                        http.driver
                                                        .queries()
                                                        .view(ResourceKind.LOCK, Key.of("j"), 1)
                                                        .waiters()
                                                == 1);
                raw.send(HEALTH.substring(0, 20));
                var released = http.sendAsync("POST", "/v1/leases/j/release", token(token));
                raw.send(HEALTH.substring(20));
                for (int i = 0; i < 20; i++) {
                    raw.send(HEALTH);
                }
                String granted = raw.response();
                assertThat(granted).contains(" 200 ", "token");
                for (int i = 0; i < 21; i++) {
                    assertThat(raw.response()).contains(" 200 ", "status");
                }
                assertThat(released.join().statusCode()).isEqualTo(204);
                token =
                        new io.vertx.core.json.JsonObject(granted.substring(granted.indexOf('{')))
                                .getString("token");
            }
        }
    }

    private static String token(String token) {
        return "{\"token\":\"" + token + "\"}";
    }

    @Test
    void a_connection_reserves_as_much_memory_as_one_of_another_protocol() {
        AtomicInteger left = new AtomicInteger(20);
        FixedSizeMemoryBudget fixedSizeMemoryBudget =
                new FixedSizeMemoryBudget() {
                    @Override
                    public boolean tryReserve() {
                        return left.getAndUpdate(n -> n == 0 ? 0 : n - 1) > 0;
                    }

                    @Override
                    public void release() {
                        left.incrementAndGet();
                    }
                };
        try (TestHttp http =
                TestHttp.start(
                        TestHttp.settings(), KeyCountLimits.NONE, fixedSizeMemoryBudget, c -> c)) {
            try (RawHttp first = new RawHttp(http);
                    RawHttp second = new RawHttp(http)) {
                assertThat(first.send(HEALTH).response()).contains(" 200 ");
                assertThat(second.send(HEALTH).response()).contains(" 200 ");
                try (RawHttp third = new RawHttp(http)) {
                    assertThat(third.isEnded()).isTrue();
                }
                assertThat(left.get()).isEqualTo(4);
            }
            await().until(() -> left.get() == 20);
        }
    }

    @Test
    void a_stream_whose_client_reads_nothing_is_disconnected_when_it_ends() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = new RawHttp(http)) {
            raw.send("GET /v1/signals?pattern=a HTTP/1.1\r\nHost: localhost\r\n\r\n");
            raw.readUntil(":ok\n\n");
            String signal = "{\"payload\":\"" + "x".repeat(60_000) + "\"}";
            for (int i = 0; i < 300; i++) {
                assertThat(http.post("/v1/signals/a", signal).statusCode()).isEqualTo(200);
            }

            http.front.drain();

            await().until(() -> raw.isEnded());
        }
    }
}
