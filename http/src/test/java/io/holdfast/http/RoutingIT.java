package io.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.frontend.ClusterView;
import io.holdfast.engine.Namespace;
import io.holdfast.testsupport.FreePorts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

final class RoutingIT {
    private final TestHttp http = TestHttp.start();

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void health_and_readiness_are_one_line_of_JSON() {
        HttpResponse<String> response = http.get("/health");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("{\"status\":\"ok\"}\n");
        assertThat(response.headers().map())
                .containsEntry("content-type", List.of("application/json"))
                .containsEntry("x-content-type-options", List.of("nosniff"));
        assertThat(http.get("/ready").body()).isEqualTo("{\"status\":\"ok\"}\n");
    }

    @Test
    void a_draining_server_is_healthy_but_not_ready() {
        http.draining.set(true);

        HttpResponse<String> response = http.get("/ready");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).isEqualTo("{\"status\":\"draining\"}\n");
        assertThat(http.get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void a_node_that_cannot_commit_is_not_ready_opens_no_session_and_shows_it_in_its_metrics() {
        AtomicReference<String> reason = new AtomicReference<>();
        try (TestHttp node =
                TestHttp.start(
                        config ->
                                config.cluster(
                                        () ->
                                                new ClusterView(
                                                        "c",
                                                        "n1",
                                                        false,
                                                        "candidate",
                                                        7,
                                                        null,
                                                        42,
                                                        42,
                                                        1,
                                                        1,
                                                        reason.get(),
                                                        Path.of("."),
                                                        0,
                                                        0,
                                                        false,
                                                        List.of())))) {
            assertThat(node.get("/ready").body()).isEqualTo("{\"status\":\"ok\"}\n");
            assertThat(node.get("/metrics").body())
                    .contains("\nholdfast_cluster_serving 1.0\n", "\ndflockd_ready 1.0\n");
            assertThat(node.post("/v1/sessions", "").statusCode()).isEqualTo(200);

            reason.set("no leader");
            HttpResponse<String> response = node.get("/ready");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body())
                    .isEqualTo("{\"status\":\"unavailable\",\"reason\":\"no leader\"}\n");
            assertThat(TestHttp.json(node.get("/v1/cluster")).getString("reason"))
                    .isEqualTo("no leader");
            assertThat(TestHttp.statusAndError(node.post("/v1/sessions", "")))
                    .isEqualTo("503 unavailable");
            assertThat(node.get("/metrics").body())
                    .contains("\nholdfast_cluster_serving 0.0\n", "\ndflockd_ready 0.0\n");

            reason.set(null);
            node.draining.set(true);
            assertThat(node.get("/ready").body()).isEqualTo("{\"status\":\"draining\"}\n");
            assertThat(node.get("/metrics").body()).contains("\nholdfast_cluster_serving 0.0\n");
        }
    }

    @Test
    void an_unknown_path_is_not_found() {
        assertThat(TestHttp.statusAndError(http.get("/v1/nothing"))).isEqualTo("404 not_found");
        assertThat(TestHttp.statusAndError(http.get("/health/"))).isEqualTo("400 bad_request");
    }

    @Test
    void an_unsupported_method_is_refused_with_the_allowed_methods() {
        HttpResponse<String> response = http.post("/health", "");

        assertThat(TestHttp.statusAndError(response)).isEqualTo("405 method_not_allowed");
        assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
    }

    @Test
    void a_disabled_admin_route_is_not_found_by_any_method() {
        assertThat(TestHttp.statusAndError(http.get("/v1/admin/audit"))).isEqualTo("404 not_found");
        assertThat(TestHttp.statusAndError(http.post("/v1/admin/audit", "")))
                .isEqualTo("404 not_found");
    }

    @Test
    void HEAD_returns_the_headers_of_GET_without_a_body() {
        HttpResponse<String> response = http.send("HEAD", "/health", null);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(response.headers().firstValue("Content-Length")).hasValue("16");
    }

    @Test
    void an_address_can_be_bound_only_once_whatever_its_name() {
        HttpAddress again = new HttpAddress("127.0.0.1", http.port(), false, new Namespace("b"));
        HttpAddress first = HttpAddress.of("127.0.0.1", FreePorts.next());
        HttpAddress second = new HttpAddress("localhost", first.port(), false, new Namespace("b"));

        assertThatThrownBy(
                        () ->
                                HttpFrontEnd.start(
                                        HttpConfig.at(first, second).build(), null, http.backend))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(
                        () -> HttpFrontEnd.start(HttpConfig.at(again).build(), null, http.backend))
                .isInstanceOf(IOException.class);
    }
}
