package io.holdfast.http.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.lagging.LaggingDriver;
import io.holdfast.driver.monitor.ProtocolTraffic;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.KeyView;
import io.holdfast.http.RawHttp;
import io.holdfast.http.TestHttp;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

@DisplayName("HTTP on a driver that applies commands later")
final class LaggingDriverHttpIT {
    private static final Key KEY = Key.of(Namespace.DEFAULT, "k".getBytes(StandardCharsets.UTF_8));

    private final TestHttp http = TestHttp.startLagging();
    private final LaggingDriver driver = Objects.requireNonNull(http.lagging);

    @AfterEach
    void stop() {
        driver.thaw();
        http.close();
    }

    private String session() {
        return TestHttp.json(http.post("/v1/sessions", null)).getString("session_id");
    }

    private String post(String path, String body, String session) {
        return TestHttp.statusAndError(http.post(path, body, "X-Dflockd-Session", session));
    }

    /** Sends a request whose client disconnects before the command is applied. */
    private void sendAndLeave(String path, String session, String body) {
        await().until(() -> driver.submitted() == 0);
        ProtocolTraffic protocolTraffic = http.monitor.traffic("http");
        long others = protocolTraffic.connections();
        driver.freeze();
        try (RawHttp client = new RawHttp(http)) {
            client.post(path, session, body);
            await().until(() -> driver.submitted() > 0);
        }
        await().until(() -> protocolTraffic.connections() == others);
        driver.thaw();
        await().until(
                        () ->
                                driver.submitted() == 0
                                        && waiters() == 0
                                        && held(ResourceKind.SHARED) == 0);
    }

    private int held(ResourceKind resourceKind) {
        KeyView view = http.driver.queries().view(resourceKind, KEY, 1);
        return view == null ? 0 : view.held();
    }

    private int waiters() {
        KeyView view = http.driver.queries().view(ResourceKind.LOCK, KEY, 1);
        return view == null ? 0 : view.waiters();
    }

    @Test
    void a_grant_to_a_client_that_has_left_is_released() {
        String session = session();
        sendAndLeave("/v1/leases/k", "", "{}");
        await().until(() -> held(ResourceKind.LOCK) == 0);
        sendAndLeave("/v1/shared/k", session, "");
        sendAndLeave("/v1/locks/k", session, "{}");
        await().until(() -> held(ResourceKind.LOCK) == 0);
    }

    @Test
    void a_client_that_has_left_is_removed_from_the_queue() {
        assertThat(TestHttp.statusAndError(http.post("/v1/leases/k", "{}"))).isEqualTo("200");
        String session = session();
        sendAndLeave("/v1/locks/k", session, "{\"acquire_timeout_s\":600}");
        sendAndLeave("/v1/locks/k/enqueue", session, "");
        assertThat(post("/v1/locks/k", "{}", session)).isEqualTo("200");
    }

    @Test
    void requests_of_a_session_are_executed_one_after_another() {
        String session = session();
        assertThat(post("/v1/locks/k/enqueue", "", session)).isEqualTo("200");
        assertThat(post("/v1/locks/k/wait", "{\"timeout_s\":5}", session)).isEqualTo("200");
        assertThat(post("/v1/shared/k", "", session)).isEqualTo("200");
        assertThat(post("/v1/shared/k/release", "", session)).isEqualTo("204");
    }

    @Test
    void data_and_force_releases_work_on_a_driver_that_applies_commands_later() {
        assertThat(TestHttp.statusAndError(http.send("PUT", "/v1/kv/k", "{\"value\":\"v\"}")))
                .isEqualTo("204");
        assertThat(TestHttp.json(http.get("/v1/kv/k")).getString("value")).isEqualTo("v");
        http.post("/v1/lists/k/push", "{\"item\":\"a\"}");
        http.post("/v1/lists/k/push", "{\"item\":\"b\"}");
        assertThat(TestHttp.json(http.get("/v1/lists/k")).getJsonArray("items"))
                .containsExactly("a", "b");
        assertThat(TestHttp.statusAndError(http.post("/v1/lists/none/pop", "")))
                .isEqualTo("404 empty_list");
    }

    @Test
    void a_request_that_is_not_applied_in_time_is_unavailable() {
        String session = session();
        driver.losesItsMajority();
        assertThat(post("/v1/locks/k", "{}", session)).isEqualTo("503 unavailable");
        assertThat(TestHttp.statusAndError(http.post("/v1/leases/k", "{}")))
                .isEqualTo("503 unavailable");
        assertThat(TestHttp.statusAndError(http.get("/v1/kv/k"))).isEqualTo("503 unavailable");
    }
}
