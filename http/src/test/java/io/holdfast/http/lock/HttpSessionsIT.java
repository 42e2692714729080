package io.holdfast.http.lock;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.ClientLimits;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.http.HttpConfig;
import io.holdfast.http.RawHttp;
import io.holdfast.http.TestHttp;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

@Execution(ExecutionMode.CONCURRENT)
final class HttpSessionsIT {
    private static final String LONG = "{\"acquire_timeout_s\":600}";

    private @Nullable TestHttp running;

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
    }

    private TestHttp start() {
        return start(config -> config);
    }

    private TestHttp start(UnaryOperator<HttpConfig.Builder> change) {
        running = TestHttp.start(change);
        return running;
    }

    private static String open(TestHttp http) {
        return json(http.post("/v1/sessions", null)).getString("session_id");
    }

    private static HttpResponse<String> post(
            TestHttp http, String session, String path, @Nullable String body) {
        return http.post(path, body, "X-Dflockd-Session", session);
    }

    private static CompletableFuture<HttpResponse<String>> later(
            TestHttp http, String session, String path, String body) {
        return http.sendAsync("POST", path, body, "X-Dflockd-Session", session);
    }

    private static HttpResponse<String> end(TestHttp http, String session) {
        return http.send("DELETE", "/v1/sessions/" + session, null);
    }

    private static void awaitWaiters(TestHttp http, String key, int count) {
        await().until(() -> waiters(http, key) == count);
    }

    private static int waiters(TestHttp http, String key) {
        KeyView view = http.driver.queries().view(ResourceKind.LOCK, Key.of(key), 1);
        return view == null ? 0 : view.waiters();
    }

    private static boolean isFree(TestHttp http, String key) {
        return http.driver.queries().holders(ResourceKind.LOCK, Key.of(key)) == null;
    }

    @Test
    void a_session_has_an_id_and_counts_as_a_connection() {
        TestHttp http = start();
        HttpResponse<String> response = http.post("/v1/sessions", null);

        assertThat(json(response).fieldNames()).containsExactly("session_id", "idle_timeout_s");
        assertThat(json(response).getString("session_id")).matches("[0-9a-f]{32}");
        assertThat(json(response).getInteger("idle_timeout_s")).isEqualTo(20);
        assertThat(http.connections).hasValue(1);
        end(http, json(response).getString("session_id"));
        assertThat(http.connections).hasValue(0);
    }

    @Test
    void the_end_of_a_session_releases_its_holds() {
        TestHttp http = start();
        String session = open(http);
        post(http, session, "/v1/locks/k", "{}");

        assertThat(statusAndError(end(http, session))).isEqualTo("204");

        assertThat(isFree(http, "k")).isTrue();
        assertThat(statusAndError(end(http, session))).isEqualTo("410 session_gone");
        assertThat(statusAndError(post(http, session, "/v1/locks/k", "{}")))
                .isEqualTo("410 session_gone");
        assertThat(statusAndError(http.post("/v1/sessions/" + session + "/ping", null)))
                .isEqualTo("410 session_gone");
    }

    @Test
    void a_session_id_must_be_well_formed_and_correct_to_the_last_digit() {
        TestHttp http = start();
        String session = open(http);
        char last = session.charAt(31) == '0' ? '1' : '0';
        String wrong = session.substring(0, 31) + last;

        assertThat(statusAndError(end(http, "ABC"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post("/v1/sessions/x/ping", null)))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post("/v1/locks/k", "{}"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(post(http, "what", "/v1/locks/k", "{}")))
                .isEqualTo("410 session_gone");
        assertThat(statusAndError(post(http, wrong, "/v1/locks/k", "{}")))
                .isEqualTo("410 session_gone");
    }

    @Test
    void an_idle_session_ends_and_is_no_longer_counted() {
        TestHttp http =
                start(
                        config ->
                                config.sessionIdle(Duration.ofMillis(50))
                                        .ping(Duration.ofMillis(25))
                                        .maxSessions(1));
        String session = open(http);
        post(http, session, "/v1/locks/k", "{}");

        await().until(() -> isFree(http, "k"));

        await().until(() -> statusAndError(http.post("/v1/sessions", null)).equals("200"));
    }

    @Test
    void leases_are_counted_for_the_connection_that_acquired_them() {
        running = TestHttp.start(new ClientLimits(2, 0, 0));
        try (RawHttp one = new RawHttp(running);
                RawHttp two = new RawHttp(running)) {
            assertThat(one.post("/v1/leases/a", "none", "{}").response()).contains("\"ok\"");
            assertThat(one.post("/v1/leases/b", "none", "{}").response()).contains("\"ok\"");
            assertThat(one.post("/v1/leases/c", "none", "{}").response()).contains("max_locks");
            assertThat(two.post("/v1/leases/c", "none", "{}").response()).contains("\"ok\"");
        }
    }

    @Test
    void a_session_with_a_long_poll_is_not_idle() {
        TestHttp http =
                start(
                        config ->
                                config.sessionIdle(Duration.ofMillis(300))
                                        .ping(Duration.ofMillis(100)));
        String other = http.post("/v1/leases/k", "{\"lease_ttl_s\":1}").body();
        assertThat(other).contains("\"ok\"");
        String session = open(http);

        // It waits for the end of the lease, longer than an idle session lives.
        HttpResponse<String> grant = post(http, session, "/v1/locks/k", LONG);

        assertThat(json(grant).getString("status")).isEqualTo("ok");
        String token = json(grant).getString("token");
        assertThat(
                        statusAndError(
                                post(
                                        http,
                                        session,
                                        "/v1/locks/k/release",
                                        "{\"token\":\"" + token + "\"}")))
                .isEqualTo("204");
    }

    @Test
    void the_number_of_sessions_is_limited() {
        TestHttp http = start(config -> config.maxSessions(2));
        open(http);
        String second = open(http);

        assertThat(statusAndError(http.post("/v1/sessions", null))).isEqualTo("503 max_sessions");
        end(http, second);
        assertThat(statusAndError(http.post("/v1/sessions", null))).isEqualTo("200");
    }

    @Test
    void the_number_of_sessions_of_an_address_is_limited() {
        TestHttp http = start(config -> config.maxSessionsPerAddress(1));
        String first = open(http);

        assertThat(statusAndError(http.post("/v1/sessions", null)))
                .isEqualTo("503 max_sessions_per_ip");
        end(http, first);
        assertThat(statusAndError(http.post("/v1/sessions", null))).isEqualTo("200");
    }

    @Test
    void deleting_a_session_ends_its_long_poll_without_waiting_for_it() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        String session = open(http);
        var poll = later(http, session, "/v1/locks/k", LONG);
        awaitWaiters(http, "k", 1);
        var queued = later(http, session, "/v1/locks/other", LONG);

        assertThat(statusAndError(end(http, session))).isEqualTo("204");

        assertThat(statusAndError(poll.join())).isEqualTo("410 session_gone");
        assertThat(statusAndError(queued.join())).isEqualTo("410 session_gone");
        assertThat(waiters(http, "k")).isZero();
        assertThat(isFree(http, "other")).isTrue();
    }

    @Test
    void a_ping_does_not_wait_behind_a_long_poll() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        String session = open(http);
        var poll = later(http, session, "/v1/locks/k", LONG);
        awaitWaiters(http, "k", 1);

        assertThat(statusAndError(http.post("/v1/sessions/" + session + "/ping", null)))
                .isEqualTo("204");
        assertThat(poll).isNotDone();
    }

    @Test
    void a_client_that_disconnects_leaves_the_queue() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        String session = open(http);
        try (RawHttp raw = new RawHttp(http)) {
            raw.post("/v1/locks/k", session, LONG);
            awaitWaiters(http, "k", 1);
        }

        awaitWaiters(http, "k", 0);
        assertThat(statusAndError(http.post("/v1/sessions/" + session + "/ping", null)))
                .isEqualTo("204");
    }

    @Test
    void a_client_without_a_session_that_disconnects_leaves_the_queue() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        try (RawHttp raw = new RawHttp(http)) {
            raw.post("/v1/leases/k", "none", LONG);
            awaitWaiters(http, "k", 1);
        }

        awaitWaiters(http, "k", 0);
    }

    @Test
    void a_client_that_disconnects_with_several_requests_in_flight_leaves_the_queue() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        String session = open(http);
        try (RawHttp raw = new RawHttp(http)) {
            String ping = RawHttp.head("/v1/sessions/" + session + "/ping", session, 0);
            raw.send(RawHttp.head("/v1/locks/k", session, LONG.length()) + LONG + ping);
            awaitWaiters(http, "k", 1);
            raw.send(ping.repeat(10));
        }

        awaitWaiters(http, "k", 0);
    }

    @Test
    void a_wait_whose_client_disconnects_leaves_the_queue_it_was_enqueued_in() {
        TestHttp http = start();
        http.post("/v1/leases/k", "{}");
        String session = open(http);
        post(http, session, "/v1/locks/k/enqueue", null);
        try (RawHttp raw = new RawHttp(http)) {
            raw.post("/v1/locks/k/wait", session, "{\"timeout_s\":600}");
        }

        awaitWaiters(http, "k", 0);
        assertThat(statusAndError(post(http, session, "/v1/locks/k/wait", "{\"timeout_s\":0}")))
                .isEqualTo("409 not_enqueued");
    }

    @Test
    void an_enqueue_whose_client_disconnected_before_it_was_executed_has_no_effect() {
        TestHttp http = start();
        String lease = json(http.post("/v1/leases/a", "{}")).getString("token");
        String session = open(http);
        var poll = later(http, session, "/v1/locks/a", LONG);
        awaitWaiters(http, "a", 1);
        int sessions = http.driver.openSessions();
        try (RawHttp raw = new RawHttp(http)) {
            raw.post("/v1/locks/b/enqueue", session, "{}");
            // Another request on another connection shows that it has been read by now.
            post(http, session, "/v1/locks/%2e", "{}");
        }
        assertThat(http.driver.openSessions()).isEqualTo(sessions);

        http.post("/v1/leases/a/release", "{\"token\":\"" + lease + "\"}");

        assertThat(json(poll.join()).getString("status")).isEqualTo("ok");
        assertThat(statusAndError(post(http, session, "/v1/locks/b/wait", "{\"timeout_s\":0}")))
                .isEqualTo("409 not_enqueued");
    }

    @Test
    void a_body_that_arrives_slowly_blocks_no_other_request() {
        TestHttp http = start();
        String session = open(http);
        try (RawHttp raw = new RawHttp(http)) {
            raw.send(RawHttp.head("/v1/locks/k", session, 2) + "{");

            assertThat(statusAndError(post(http, session, "/v1/locks/k", "{}"))).isEqualTo("200");
            assertThat(statusAndError(end(http, session))).isEqualTo("204");

            raw.send("}");
            assertThat(raw.response()).startsWith("HTTP/1.1 410 ");
        }
    }

    @Test
    void a_kicked_session_ends() {
        TestHttp http = start();
        String session = open(http);
        post(http, session, "/v1/locks/k", "{}");
        long number = http.driver.listSessions().next().getFirst().id();

        assertThat(http.driver.kick(number)).isTrue();

        await().until(() -> isFree(http, "k"));
        assertThat(statusAndError(post(http, session, "/v1/locks/k", "{}")))
                .isEqualTo("410 session_gone");
    }

    @Test
    void a_draining_server_fails_waits_and_lets_holders_release() {
        TestHttp http = start();
        String holder = open(http);
        String waiter = open(http);
        String token = json(post(http, holder, "/v1/locks/k", "{}")).getString("token");
        var poll = later(http, waiter, "/v1/locks/k", LONG);
        awaitWaiters(http, "k", 1);
        assertThat(http.front.isDrained()).isFalse();

        http.draining.set(true);
        http.front.drain();

        assertThat(statusAndError(poll.join())).isEqualTo("503 draining");
        assertThat(statusAndError(http.post("/v1/sessions", null))).isEqualTo("503 draining");
        assertThat(statusAndError(post(http, holder, "/v1/locks/j", "{}")))
                .isEqualTo("503 draining");
        assertThat(statusAndError(http.post("/v1/leases/j", "{}"))).isEqualTo("503 draining");
        await().until(() -> http.connections.get() == 1);
        assertThat(http.front.isDrained()).isFalse();
        assertThat(
                        statusAndError(
                                post(
                                        http,
                                        holder,
                                        "/v1/locks/k/release",
                                        "{\"token\":\"" + token + "\"}")))
                .isEqualTo("204");
        await().until(http.front::isDrained);
        assertThat(http.connections).hasValue(0);
    }

    @Test
    void the_end_of_the_server_ends_the_sessions() {
        TestHttp http = start();
        String session = open(http);
        post(http, session, "/v1/locks/k", "{}");

        http.front.close();

        await().until(() -> isFree(http, "k"));
        assertThat(http.driver.openSessions()).isZero();
    }

    @Test
    void the_request_queue_of_a_session_is_bounded_and_all_queued_requests_get_a_response() {
        TestHttp http = start();
        String holder = open(http);
        String token = json(post(http, holder, "/v1/locks/k", "{}")).getString("token");
        String session = open(http);
        CompletableFuture<HttpResponse<String>> waiting = later(http, session, "/v1/locks/k", LONG);
        awaitWaiters(http, "k", 1);

        String stale = "{\"token\":\"" + "0".repeat(32) + "\"}";
        List<CompletableFuture<HttpResponse<String>>> behind = new ArrayList<>();
        for (int i = 0; i < 1010; i++) {
            behind.add(later(http, session, "/v1/locks/k/release", stale));
        }
        await().until(() -> behind.stream().filter(CompletableFuture::isDone).count() == 10);
        post(http, holder, "/v1/locks/k/release", "{\"token\":\"" + token + "\"}");

        assertThat(statusAndError(waiting.join())).isEqualTo("200");
        assertThat(behind.stream().map(response -> statusAndError(response.join())))
                .containsOnly("404 not_held", "503 busy");
        assertThat(
                        behind.stream()
                                .filter(
                                        response ->
                                                statusAndError(response.join()).equals("503 busy")))
                .hasSize(10);
        assertThat(statusAndError(post(http, session, "/v1/locks/other", "{}"))).isEqualTo("200");
    }

    @Test
    void a_draining_server_does_not_wait_for_a_hold_that_has_expired() {
        TestHttp http = start();
        post(http, open(http), "/v1/locks/k", "{\"lease_ttl_s\":1}");
        http.draining.set(true);
        http.front.drain();
        assertThat(http.front.isDrained()).isFalse();
        await().until(() -> isFree(http, "k"));
        http.front.drain();
        await().until(http.front::isDrained);
    }
}
