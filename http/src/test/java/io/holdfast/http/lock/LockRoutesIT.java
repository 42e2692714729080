package io.holdfast.http.lock;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

final class LockRoutesIT {
    private final TestHttp http = TestHttp.start(new KeyCountLimits(100, 0, 0), config -> config);
    private final String one = open();
    private final String two = open();

    @AfterEach
    void stop() {
        http.close();
    }

    private String open() {
        return json(http.post("/v1/sessions", null)).getString("session_id");
    }

    private HttpResponse<String> post(String session, String path, @Nullable String body) {
        return http.post(path, body, "X-Dflockd-Session", session);
    }

    private CompletableFuture<HttpResponse<String>> later(
            String session, String path, String body) {
        return http.sendAsync("POST", path, body, "X-Dflockd-Session", session);
    }

    private String lock(String session, String path) {
        return json(post(session, path, "{}")).getString("token");
    }

    private void awaitWaiters(String key, int count) {
        await().until(() -> waiters(key) == count);
    }

    private int waiters(String key) {
        KeyView view = http.driver.queries().view(ResourceKind.LOCK, Key.of(key), 1);
        return view == null ? 0 : view.waiters();
    }

    private static String token(String token) {
        return "{\"token\":\"" + token + "\"}";
    }

    @Test
    void a_lock_is_granted_with_token_fence_and_lease() {
        JsonObject grant =
                json(post(one, "/v1/locks/deploy", "{\"acquire_timeout_s\":0,\"lease_ttl_s\":7}"));

        assertThat(grant.fieldNames()).containsExactly("status", "token", "fence", "lease_ttl_s");
        assertThat(grant.getString("status")).isEqualTo("ok");
        assertThat(grant.getInteger("lease_ttl_s")).isEqualTo(7);
        String token = grant.getString("token");
        assertThat(token).matches("[0-9a-f]{32}");
        assertThat(new BigInteger(token.substring(0, 16), 16))
                .isEqualTo(new BigInteger(grant.getString("fence")));
    }

    @Test
    void a_request_without_a_lease_gets_the_default_lease() {
        assertThat(json(post(one, "/v1/locks/k", "{}")).getInteger("lease_ttl_s")).isEqualTo(33);
        assertThat(json(post(one, "/v1/locks/j", "{\"lease_ttl_s\":0}")).getInteger("lease_ttl_s"))
                .isEqualTo(33);
    }

    @Test
    void an_acquire_of_a_held_lock_times_out() {
        lock(one, "/v1/locks/k");

        HttpResponse<String> response = post(two, "/v1/locks/k", "{\"acquire_timeout_s\":0}");

        assertThat(response.body()).isEqualTo("{\"status\":\"timeout\"}\n");
    }

    @Test
    void a_long_poll_is_answered_when_the_lock_is_released() {
        String token = lock(one, "/v1/locks/k");
        var waiting = later(two, "/v1/locks/k", "{\"acquire_timeout_s\":60}");
        awaitWaiters("k", 1);

        assertThat(statusAndError(post(one, "/v1/locks/k/release", token(token)))).isEqualTo("204");

        assertThat(json(waiting.join()).getString("status")).isEqualTo("ok");
    }

    @Test
    void a_token_that_holds_nothing_is_not_held() {
        String token = lock(one, "/v1/locks/k");
        assertThat(statusAndError(post(two, "/v1/locks/k/release", token(token)))).isEqualTo("204");

        assertThat(statusAndError(post(one, "/v1/locks/k/release", token(token))))
                .isEqualTo("404 not_held");
        assertThat(statusAndError(post(one, "/v1/locks/k/renew", token(token))))
                .isEqualTo("404 not_held");
        assertThat(statusAndError(post(one, "/v1/locks/k/release", token("nothing"))))
                .isEqualTo("404 not_held");
    }

    @Test
    void a_renewed_lease_starts_again() {
        String token = lock(one, "/v1/locks/k");

        HttpResponse<String> response =
                post(one, "/v1/locks/k/renew", "{\"token\":\"" + token + "\",\"lease_ttl_s\":100}");

        assertThat(response.body()).isEqualTo("{\"remaining_s\":100}\n");
    }

    @Test
    void enqueue_and_wait_work_in_separate_requests_and_without_a_body() {
        assertThat(json(post(one, "/v1/locks/k/enqueue", null)).getString("status"))
                .isEqualTo("acquired");
        assertThat(post(two, "/v1/locks/k/enqueue", "{\"lease_ttl_s\":5}").body())
                .isEqualTo("{\"status\":\"queued\"}\n");
        assertThat(statusAndError(post(two, "/v1/locks/k/enqueue", null)))
                .isEqualTo("409 already_enqueued");
        String token = json(post(one, "/v1/locks/k/wait", "{\"timeout_s\":0}")).getString("token");
        post(one, "/v1/locks/k/release", token(token));

        JsonObject grant = json(post(two, "/v1/locks/k/wait", "{\"timeout_s\":60}"));

        assertThat(grant.getString("status")).isEqualTo("ok");
        assertThat(grant.getInteger("lease_ttl_s")).isEqualTo(5);
        assertThat(statusAndError(post(two, "/v1/locks/k/wait", "{\"timeout_s\":0}")))
                .isEqualTo("409 not_enqueued");
    }

    @Test
    void two_waits_at_once_run_one_after_the_other_and_no_grant_is_lost() {
        String token = lock(one, "/v1/locks/k");
        post(two, "/v1/locks/k/enqueue", null);
        var first = later(two, "/v1/locks/k/wait", "{\"timeout_s\":60}");
        var second = later(two, "/v1/locks/k/wait", "{\"timeout_s\":60}");
        post(one, "/v1/locks/k/release", token(token));

        assertThat(java.util.List.of(statusAndError(first.join()), statusAndError(second.join())))
                .containsExactlyInAnyOrder("200", "409 not_enqueued");
    }

    @Test
    void a_semaphore_has_as_many_holders_as_its_limit() {
        assertThat(statusAndError(post(one, "/v1/semaphores/s", "{\"limit\":2}"))).isEqualTo("200");
        String token = lock2(two);

        assertThat(post(one, "/v1/semaphores/s", "{\"limit\":2}").body())
                .isEqualTo("{\"status\":\"timeout\"}\n");
        assertThat(statusAndError(post(one, "/v1/semaphores/s", "{\"limit\":3}")))
                .isEqualTo("409 limit_mismatch");
        assertThat(json(post(one, "/v1/semaphores/s/enqueue", "{\"limit\":2}")).getString("status"))
                .isEqualTo("queued");
        assertThat(statusAndError(post(two, "/v1/semaphores/s/release", token(token))))
                .isEqualTo("204");
        assertThat(
                        json(post(one, "/v1/semaphores/s/wait", "{\"timeout_s\":60}"))
                                .getString("status"))
                .isEqualTo("ok");
    }

    private String lock2(String session) {
        return json(post(session, "/v1/semaphores/s", "{\"limit\":2}")).getString("token");
    }

    @Test
    void a_semaphore_requires_a_limit() {
        assertThat(statusAndError(post(one, "/v1/semaphores/s", "{}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/semaphores/s", "{\"limit\":0}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/semaphores/s/enqueue", null)))
                .isEqualTo("400 bad_request");
    }

    @Test
    void readers_share_a_lock_that_a_writer_holds_exclusively() {
        String reading = "{\"mode\":\"read\",\"acquire_timeout_s\":0}";
        String writing = "{\"mode\":\"write\",\"acquire_timeout_s\":0}";
        String first = json(post(one, "/v1/rwlocks/c", reading)).getString("token");
        String second = json(post(two, "/v1/rwlocks/c", reading)).getString("token");

        assertThat(json(post(two, "/v1/rwlocks/c", writing)).getString("status"))
                .isEqualTo("timeout");
        post(one, "/v1/rwlocks/c/release", token(first));
        post(two, "/v1/rwlocks/c/release", token(second));
        assertThat(json(post(two, "/v1/rwlocks/c", writing)).getString("status")).isEqualTo("ok");
        assertThat(json(post(one, "/v1/rwlocks/c", reading)).getString("status"))
                .isEqualTo("timeout");
        assertThat(statusAndError(post(one, "/v1/rwlocks/c", "{\"mode\":\"both\"}")))
                .isEqualTo("400 bad_request");
    }

    @Test
    void a_shared_lock_counts_its_holders() {
        assertThat(post(one, "/v1/shared/s", null).body())
                .isEqualTo("{\"status\":\"ok\",\"holders\":1}\n");
        assertThat(json(post(two, "/v1/shared/s", "{}")).getInteger("holders")).isEqualTo(2);
        assertThat(json(post(two, "/v1/shared/s", "{}")).getInteger("holders")).isEqualTo(2);
        assertThat(statusAndError(post(two, "/v1/shared/s/release", null))).isEqualTo("204");
        assertThat(statusAndError(post(two, "/v1/shared/s/release", null)))
                .isEqualTo("404 not_held");
    }

    @Test
    void a_lease_needs_no_session_and_its_token_works_from_anywhere() {
        JsonObject grant =
                json(http.post("/v1/leases/job", "{\"acquire_timeout_s\":0,\"lease_ttl_s\":60}"));
        assertThat(grant.getString("status")).isEqualTo("ok");
        await().until(
                        () ->
                                http.driver.openSessions()
                                        <= 2); // the session of the lease request has ended
        assertThat(json(http.post("/v1/leases/job", "{}")).getString("status"))
                .isEqualTo("timeout");
        String token = grant.getString("token");

        assertThat(statusAndError(http.post("/v1/leases/job/renew", token(token))))
                .isEqualTo("200");
        assertThat(statusAndError(post(one, "/v1/locks/job/release", token(token))))
                .isEqualTo("204");
        assertThat(statusAndError(http.post("/v1/leases/job/release", token(token))))
                .isEqualTo("404 not_held");
    }

    @Test
    void a_lease_may_be_a_permit_of_a_semaphore() {
        String post = "{\"limit\":2,\"lease_ttl_s\":60}";
        String token = json(http.post("/v1/leases/pool", post)).getString("token");
        http.post("/v1/leases/pool", post);

        assertThat(json(http.post("/v1/leases/pool", post)).getString("status"))
                .isEqualTo("timeout");
        assertThat(
                        statusAndError(
                                http.post(
                                        "/v1/leases/pool/release",
                                        "{\"kind\":\"semaphore\",\"token\":\"" + token + "\"}")))
                .isEqualTo("204");
    }

    @Test
    void routes_of_Holdfast_accept_any_key_and_those_of_dflockd_only_plain_keys() {
        assertThat(statusAndError(http.post("/v1/leases/-?key=", "{}"))).isEqualTo("200");
        assertThat(statusAndError(http.post("/v1/leases/a%20b%FF%2F", "{}"))).isEqualTo("200");
        assertThat(http.driver.queries().view(ResourceKind.LOCK, Key.of(""), 1)).isNotNull();
        assertThat(
                        http.driver
                                .queries()
                                .view(
                                        ResourceKind.LOCK,
                                        Key.of(
                                                io.holdfast.engine.Namespace.DEFAULT,
                                                new byte[] {'a', ' ', 'b', (byte) 0xff, '/'}),
                                        1))
                .isNotNull();
        assertThat(statusAndError(post(one, "/v1/locks/a%20b", "{}"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/locks/a%0ab", "{}"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/locks/" + "k".repeat(257), "{}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/locks/" + "k".repeat(256), "{}")))
                .isEqualTo("200");
        assertThat(statusAndError(post(one, "/v1/locks/a%2Fb", "{}"))).isEqualTo("200");
        assertThat(statusAndError(post(one, "/v1/locks/%2e%2e", "{}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/locks//k", "{}"))).isEqualTo("400 bad_request");
    }

    @Test
    void a_body_must_be_one_object_with_known_fields_of_the_right_types() {
        for (String body :
                new String[] {
                    "",
                    "null",
                    "[]",
                    "{",
                    "{}{}",
                    "{} x",
                    "{\"acquire_timeout\":1}",
                    "{\"acquire_timeout_s\":\"1\"}",
                    "{\"acquire_timeout_s\":1.5}",
                    "{\"acquire_timeout_s\":1.0}",
                    "{\"acquire_timeout_s\":-1}",
                    "{\"acquire_timeout_s\":9223372037}",
                    "{\"acquire_timeout_s\":99999999999999999999}",
                    "{\"lease_ttl_s\":-1}",
                    "{\"lease_ttl_s\":true}",
                    " ".repeat((1 << 20) + 1) + "{}"
                }) {
            assertThat(statusAndError(post(one, "/v1/locks/k", body)))
                    .as(body.strip())
                    .isEqualTo("400 bad_request");
        }
        assertThat(statusAndError(post(one, "/v1/locks/k", "{\"acquire_timeout_s\":9223372036}")))
                .isEqualTo("200");
    }

    @Test
    void a_token_with_a_line_break_is_refused_and_does_nothing_else() {
        String token = lock(one, "/v1/locks/k");

        assertThat(
                        statusAndError(
                                post(
                                        one,
                                        "/v1/locks/k/release",
                                        "{\"token\":\"x\\nr\\nk\\n" + token + "\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(post(one, "/v1/locks/k/release", "{\"token\":\"\"}")))
                .isEqualTo("400 bad_request");
        assertThat(http.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNotNull();
    }

    @Test
    void a_problem_has_all_fields_and_its_own_content_type_if_accepted() {
        HttpResponse<String> plain = http.post("/v1/locks/k", "{}");
        HttpResponse<String> withType =
                http.post("/v1/locks/k", "{}", "Accept", "application/problem+json");

        assertThat(plain.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(json(plain).fieldNames())
                .containsExactly("type", "title", "status", "error", "detail");
        assertThat(json(plain).getString("error")).isEqualTo("bad_request");
        assertThat(withType.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
    }

    @Test
    void more_locks_than_allowed_are_refused() {
        for (int i = 0; i < 100; i++) {
            post(one, "/v1/locks/k" + i, "{}");
        }

        assertThat(statusAndError(post(one, "/v1/locks/more", "{}"))).isEqualTo("503 max_locks");
    }
}
