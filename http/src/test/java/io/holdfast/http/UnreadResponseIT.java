package io.holdfast.http;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.told;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.FixedSizeMemoryBudget;
import io.holdfast.driver.KeyLimits;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What clients send that is not read, or not yet. */
final class UnreadResponseIT {
    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String POLL = "{\"acquire_timeout_s\":60}";

    private static int waiters(TestHttp http) {
        var view = http.driver.view(ResourceKind.LOCK, Key.of("k"), 1);
        return view == null ? 0 : view.waiters();
    }

    private static RawHttp poll(TestHttp http, String body) {
        return new RawHttp(http).say(RawHttp.head("/v1/leases/k", "none", body.length()) + body);
    }

    @Test
    void a_connection_ends_when_the_answer_came_before_the_body() {
        try (TestHttp http = TestHttp.start()) {
            for (String path : new String[] {"/nowhere", "/health", "/v1/leases/k"}) {
                try (RawHttp raw = new RawHttp(http)) {
                    raw.say(RawHttp.head(path, "none", 1 << 21) + "x".repeat(1000));

                    assertThat(raw.answer()).as(path).contains(" 40", "onnection: close");
                    assertThat(raw.isEnded()).as(path).isTrue();
                }
            }
        }
    }

    @Test
    void nothing_is_served_after_an_answer_that_was_the_last() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = new RawHttp(http)) {
            raw.say(
                    RawHttp.head("/nowhere", "none", 2)
                            + "{}"
                            + RawHttp.head("/v1/leases/k", "none", 2)
                            + "{}");
            assertThat(raw.answer()).contains(" 404 ", "onnection: close");
            assertThat(raw.isEnded()).isTrue();
            assertThat(http.driver.holders(ResourceKind.LOCK, Key.of("k"))).isNull();
        }
    }

    @Test
    void what_comes_after_a_refusal_shuts_nobody_out() {
        try (TestHttp http = TestHttp.start()) {
            List<RawHttp> floods = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    RawHttp raw = new RawHttp(http);
                    floods.add(raw);
                    flood(raw);
                    assertThat(told(http.get("/health"))).isEqualTo("200");
                }
            } finally {
                floods.forEach(RawHttp::close);
            }
        }
    }

    private static void flood(RawHttp raw) {
        String head = RawHttp.head("/health", "none", 1 << 30).replace("localhost", "evil.example");
        try {
            raw.say(head);
            assertThat(raw.answer()).contains(" 403 ");
            for (int i = 0; i < 64; i++) {
                raw.say("x".repeat(1 << 20));
            }
        } catch (UncheckedIOException e) {
            // the server had enough
        }
    }

    @Test
    void bodies_of_requests_that_wait_are_not_kept() {
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
    void what_was_sent_ahead_is_not_overtaken() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = poll(http, "{\"acquire_timeout_s\":0}")) {
            assertThat(raw.answer()).contains(" 200 ");
            String token = json(http.post("/v1/leases/j", "{}")).getString("token");
            for (int round = 0; round < 20; round++) {
                raw.say(RawHttp.head("/v1/leases/j", "none", POLL.length()) + POLL);
                await().until(
                                () ->
                                        http.driver
                                                        .view(ResourceKind.LOCK, Key.of("j"), 1)
                                                        .waiters()
                                                == 1);
                raw.say(HEALTH.substring(0, 20));
                var released = http.later("POST", "/v1/leases/j/release", token(token));
                raw.say(HEALTH.substring(20));
                for (int i = 0; i < 20; i++) {
                    raw.say(HEALTH);
                }
                String granted = raw.answer();
                assertThat(granted).contains(" 200 ", "token");
                for (int i = 0; i < 21; i++) {
                    assertThat(raw.answer()).contains(" 200 ", "status");
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
    void a_connection_takes_as_much_room_as_that_of_another_protocol() {
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
                        TestHttp.settings(), KeyLimits.NONE, fixedSizeMemoryBudget, c -> c)) {
            try (RawHttp first = new RawHttp(http);
                    RawHttp second = new RawHttp(http)) {
                assertThat(first.say(HEALTH).answer()).contains(" 200 ");
                assertThat(second.say(HEALTH).answer()).contains(" 200 ");
                try (RawHttp third = new RawHttp(http)) {
                    assertThat(third.isEnded()).isTrue();
                }
                assertThat(left.get()).isEqualTo(4);
            }
            await().until(() -> left.get() == 20);
        }
    }

    @Test
    void a_stream_whose_client_takes_nothing_is_cut_off_when_it_ends() {
        try (TestHttp http = TestHttp.start();
                RawHttp raw = new RawHttp(http)) {
            raw.say("GET /v1/signals?pattern=a HTTP/1.1\r\nHost: localhost\r\n\r\n");
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
