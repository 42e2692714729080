package io.holdfast.http.inspect;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.DriverClient;
import io.holdfast.http.EventReader;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Operator actions over HTTP")
class AdminIT {
    private final TestHttp http = TestHttp.start(config -> config.admin(true));
    private final DriverClient ann = new DriverClient(http, "ann");
    private final DriverClient bob = new DriverClient(http, "bob");

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void an_operator_releases_a_lock_and_the_next_waiter_is_granted_it_with_a_higher_fence() {
        Effect.Granted grant = (Effect.Granted) ann.lock("deploy");
        bob.lock("deploy");

        JsonObject response =
                json(
                        http.post(
                                "/v1/admin/keys/deploy/release",
                                "{\"kind\":\"lock\",\"reason\":\"it hangs\"}"));

        assertThat(response.getInteger("released")).isEqualTo(1);
        long fence = Long.parseLong(response.getString("fence"));
        assertThat(fence).isGreaterThan(grant.token().fence());
        assertThat(ann.effects.getLast()).isInstanceOf(Effect.Revoked.class);
        Effect.Granted next = (Effect.Granted) bob.effects.getLast();
        assertThat(next.token().fence()).isGreaterThan(fence);
        JsonObject entry = json(http.get("/v1/admin/audit")).getJsonArray("audit").getJsonObject(0);
        assertThat(entry.getString("at")).endsWith("Z");
        entry.remove("at");
        assertThat(entry)
                .isEqualTo(
                        new JsonObject()
                                .put("action", "release")
                                .put("address", "127.0.0.1")
                                .put("kind", "lock")
                                .put("namespace", "")
                                .put("key", "deploy")
                                .put("connection", null)
                                .put("name", null)
                                .put("protocol", null)
                                .put("released", 1)
                                .put(
                                        "lost",
                                        JsonArray.of(
                                                new JsonObject()
                                                        .put("connection", ann.id())
                                                        .put("name", "ann")
                                                        .put("protocol", "dflockd")
                                                        .put(
                                                                "fence",
                                                                Long.toString(
                                                                        grant.token().fence()))))
                                .put("fence", Long.toString(fence))
                                .put("reason", "it hangs"));
    }

    @Test
    void an_operator_releases_one_permit_of_a_semaphore_by_its_fence() {
        Effect.Granted first = (Effect.Granted) ann.slot("s", 2);
        bob.slot("s", 2);
        String body = "{\"kind\":\"semaphore\",\"fence\":\"%d\"}".formatted(first.token().fence());

        assertThat(json(http.post("/v1/admin/keys/s/release", body)).getInteger("released"))
                .isEqualTo(1);
        assertThat(statusAndError(http.post("/v1/admin/keys/s/release", body)))
                .isEqualTo("404 not_held");
        assertThat(http.driver.queries().view(ResourceKind.SEMAPHORE, Key.of("s"), 2).held())
                .isEqualTo(1);
    }

    @Test
    void an_operator_releases_any_key_of_any_namespace() {
        ann.lock(Key.of(new Namespace("other"), new byte[0]));

        assertThat(statusAndError(http.post("/v1/admin/keys/-/release?key=", "{}")))
                .isEqualTo("404 not_held");
        assertThat(statusAndError(http.post("/v1/admin/keys/-/release?key=&namespace=other", "{}")))
                .isEqualTo("200");
    }

    @Test
    void an_operator_closes_a_connection() {
        assertThat(statusAndError(http.send("DELETE", "/v1/admin/connections/" + ann.id(), null)))
                .isEqualTo("204");
        assertThat(ann.kicked).isTrue();
        assertThat(bob.kicked).isFalse();
        assertThat(
                        statusAndError(
                                http.send(
                                        "DELETE",
                                        "/v1/admin/connections/" + bob.id(),
                                        "{\"reason\":\"rude\"}")))
                .isEqualTo("204");
        assertThat(statusAndError(http.send("DELETE", "/v1/admin/connections/424242", null)))
                .isEqualTo("404 no_connection");
        JsonArray audit = json(http.get("/v1/admin/audit")).getJsonArray("audit");
        assertThat(audit)
                .extracting(entry -> ((JsonObject) entry).getLong("connection"))
                .containsExactly(bob.id(), ann.id());
        assertThat(audit.getJsonObject(0).getString("name")).isEqualTo("bob");
        assertThat(audit.getJsonObject(0).getString("protocol")).isEqualTo("dflockd");
    }

    @Test
    void an_operator_cannot_close_an_internal_session() {
        Session own =
                http.driver.open(
                        new EffectMailbox() {
                            @Override
                            public void add(Effect effect) {}

                            @Override
                            public void wake() {}
                        },
                        new ClientInfo("holdfast", () -> "holdfast"));

        assertThat(statusAndError(http.send("DELETE", "/v1/admin/connections/" + own.id(), null)))
                .isEqualTo("409 not_kickable");
        assertThat(json(http.get("/v1/admin/audit")).getJsonArray("audit")).isEmpty();
    }

    @Test
    void an_audit_event_is_sent_only_to_streams_whose_filter_matches() {
        ann.lock("a");
        bob.lock("b");
        try (EventReader byKey = EventReader.open(http, "/v1/events?type=audit&key=b");
                EventReader byConnection =
                        EventReader.open(http, "/v1/events?type=audit&connection=" + bob.id());
                EventReader byNamespace =
                        EventReader.open(http, "/v1/events?type=audit&namespace=")) {
            http.send("DELETE", "/v1/admin/connections/" + ann.id(), null);
            http.post("/v1/admin/keys/a/release", "{}");
            http.post("/v1/admin/keys/b/release", "{}");

            assertThat(byKey.next().getString("key")).isEqualTo("b");
            assertThat(byConnection.next().getString("key")).isEqualTo("b");
            assertThat(byNamespace.next().getString("key")).isEqualTo("a");
        }
    }

    @Test
    void malformed_operator_actions_are_refused() {
        ann.lock("a");
        String path = "/v1/admin/keys/a/release";

        assertThat(statusAndError(http.post(path, "{\"kind\":\"door\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post(path, "{\"fence\":\"0\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post(path, "{\"fence\":17}"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post(path, "{\"reason\":\"two\\nlines\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post(path, "{\"why\":\"\"}"))).isEqualTo("400 bad_request");
        assertThat(http.driver.queries().view(ResourceKind.LOCK, Key.of("a"), 1).held())
                .isEqualTo(1);
    }

    @Test
    void an_operator_action_is_sent_to_event_streams() {
        ann.lock("a");
        try (EventReader reader = EventReader.open(http, "/v1/events?type=audit,lost")) {
            http.post("/v1/admin/keys/a/release", "{\"reason\":\"watched\"}");

            JsonObject one = reader.next();
            JsonObject other = reader.next();
            JsonObject audit = one.getString(":event").equals("audit") ? one : other;
            assertThat(audit.getString("event")).isEqualTo("audit");
            assertThat(audit.getString("reason")).isEqualTo("watched");
        }
    }

    @Test
    void the_audit_returns_only_the_latest_actions() {
        for (int i = 0; i < OperatorAudit.MAX_RECORDS + 1; i++) {
            ann.lock("key" + i);
            http.post("/v1/admin/keys/key" + i + "/release", null);
        }

        assertThat(json(http.get("/v1/admin/audit")).getJsonArray("audit"))
                .hasSize(OperatorAudit.MAX_RECORDS);
    }
}
