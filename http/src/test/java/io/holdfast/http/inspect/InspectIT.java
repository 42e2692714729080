package io.holdfast.http.inspect;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.DriverClient;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Inspection over HTTP")
class InspectIT {
    private final TestHttp http = TestHttp.start();
    private final DriverClient ann = new DriverClient(http, "ann");
    private final DriverClient bob = new DriverClient(http, "bob");

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void the_list_of_keys_has_the_holder_and_the_number_of_waiters() {
        Effect.Granted grant = (Effect.Granted) ann.lock("deploy");
        bob.lock("deploy");

        JsonObject row = keys("").getFirst();

        assertThat(row.fieldNames())
                .containsExactly(
                        "kind",
                        "namespace",
                        "key",
                        "limit",
                        "holders",
                        "waiters",
                        "holder",
                        "held_s",
                        "lease_left_s");
        assertThat(row.getString("kind")).isEqualTo("lock");
        assertThat(row.getString("key")).isEqualTo("deploy");
        assertThat(row.getInteger("limit")).isEqualTo(1);
        assertThat(row.getInteger("holders")).isEqualTo(1);
        assertThat(row.getInteger("waiters")).isEqualTo(1);
        assertThat(row.getJsonObject("holder"))
                .isEqualTo(
                        new JsonObject()
                                .put("connection", ann.id())
                                .put("name", "ann")
                                .put("protocol", "dflockd")
                                .put("mode", "write")
                                .put("fence", Long.toString(grant.token().fence())));
        assertThat(row.getDouble("lease_left_s")).isBetween(1.0, 60.0);
    }

    @Test
    void keys_are_searched_filtered_and_sorted() {
        ann.lock("web.b");
        ann.lock("WEB.a");
        bob.lock("web.b");
        ann.slot("db", 2);
        ann.share("web.c");
        ann.lock(Key.of(new Namespace("other"), bytes("web.b")));

        assertThat(names("")).containsExactly("WEB.a", "db", "web.b", "web.c", "web.b");
        assertThat(names("?namespace=")).containsExactly("WEB.a", "db", "web.b", "web.c");
        assertThat(names("?namespace=other")).containsExactly("web.b");
        assertThat(names("?q=web&namespace=")).containsExactly("WEB.a", "web.b", "web.c");
        assertThat(names("?kind=semaphore")).containsExactly("db");
        assertThat(names("?kind=shared&state=held")).containsExactly("web.c");
        assertThat(names("?state=waited")).containsExactly("web.b");
        assertThat(names("?key=web.b")).containsExactly("web.b");
        assertThat(names("?key=nothing")).isEmpty();
        assertThat(names("?sort=waiters&order=desc&limit=1")).containsExactly("web.b");
        assertThat(names("?offset=1&limit=2&namespace=")).containsExactly("db", "web.b");
        assertThat(json(http.get("/v1/keys?offset=1&limit=2")).getInteger("total")).isEqualTo(5);
        assertThat(names("?sort=lease&order=desc&namespace=")).first().isEqualTo("web.c");
        assertThat(names("?sort=held&limit=0")).isEmpty();
        assertThat(keys("?kind=shared").getFirst().getValue("limit")).isNull();
        assertThat(keys("?kind=shared").getFirst().getValue("lease_left_s")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/keys?kind=door",
                "/v1/keys?sort=size",
                "/v1/keys?order=up",
                "/v1/keys?limit=20001",
                "/v1/keys?offset=-1",
                "/v1/keys/key?kind=door",
                "/v1/keys/key?limit=many",
                "/v1/connections?sort=size",
                "/v1/connections/ann",
                "/v1/events?type=sneezed",
                "/v1/events?connection=ann",
            })
    void malformed_queries_are_refused(String path) {
        assertThat(statusAndError(http.get(path))).isEqualTo("400 bad_request");
    }

    @Test
    void a_key_that_is_not_UTF_8_can_be_requested_by_its_encoded_form() {
        Key raw = Key.of(Namespace.DEFAULT, new byte[] {'a', (byte) 0xff, '/'});
        ann.lock(raw);

        JsonObject row = keys("").getFirst();

        assertThat(row.getString("key")).isEqualTo("a\ufffd/");
        assertThat(row.getString("key_encoded")).isEqualTo("a%FF%2F");
        assertThat(statusAndError(http.get("/v1/keys/" + row.getString("key_encoded"))))
                .isEqualTo("200");
        assertThat(names("?key=" + row.getString("key_encoded"))).hasSize(1);
    }

    @Test
    void a_key_shows_its_holders_its_queue_in_order_and_its_history() {
        ann.lock(Key.of("db"), ReadWriteMode.READ);
        bob.lock(Key.of("db"), ReadWriteMode.READ);
        DriverClient cid = new DriverClient(http, "cid");
        DriverClient dan = new DriverClient(http, "dan");
        cid.lock("db");
        dan.lock(Key.of("db"), ReadWriteMode.READ);

        JsonObject response = json(http.get("/v1/keys/db"));
        JsonObject lock = response.getJsonArray("resources").getJsonObject(0);

        assertThat(response.getString("key")).isEqualTo("db");
        assertThat(response.getJsonArray("resources")).hasSize(1);
        assertThat(lock.getString("kind")).isEqualTo("lock");
        assertThat(lock.getInteger("holders_total")).isEqualTo(2);
        assertThat(lock.getInteger("waiters_total")).isEqualTo(2);
        assertThat(all(lock, "holders", "name")).containsExactly("ann", "bob");
        assertThat(all(lock, "holders", "mode")).containsOnly("read");
        assertThat(all(lock, "holders", "state")).containsOnly("held");
        assertThat(all(lock, "waiters", "name")).containsExactly("cid", "dan");
        assertThat(all(lock, "waiters", "position")).containsExactly(1, 2);
        assertThat(all(lock, "waiters", "mode")).containsExactly("write", "read");
        assertThat(all(lock, "history", "event"))
                .containsExactly("acquired", "acquired", "waiting", "waiting");

        JsonObject second =
                json(http.get("/v1/keys/db?offset=1&limit=1"))
                        .getJsonArray("resources")
                        .getJsonObject(0);
        assertThat(all(second, "waiters", "position")).containsExactly(2);
    }

    @Test
    void a_key_that_is_no_longer_in_use_has_a_history() {
        ann.release(ann.lock("done"));

        JsonObject lock =
                json(http.get("/v1/keys/done")).getJsonArray("resources").getJsonObject(0);

        assertThat(lock.getJsonArray("holders")).isEmpty();
        assertThat(all(lock, "history", "event")).containsExactly("acquired", "released");
        assertThat(statusAndError(http.get("/v1/keys/never"))).isEqualTo("404 unknown_key");
        assertThat(statusAndError(http.get("/v1/keys/done?kind=shared")))
                .isEqualTo("404 unknown_key");
    }

    @Test
    void the_empty_key_is_sent_as_a_query_parameter() {
        ann.lock(Key.of(""));

        JsonObject response = json(http.get("/v1/keys/-?key="));

        assertThat(response.getString("key")).isEmpty();
        assertThat(response.getJsonArray("resources")).hasSize(1);
    }

    @Test
    void connections_are_listed_with_the_number_of_their_holds_and_waits() {
        ann.lock("a");
        ann.slot("s", 3);
        bob.lock("a");

        JsonObject response = json(http.get("/v1/connections?sort=holds&order=desc"));
        JsonObject first = response.getJsonArray("connections").getJsonObject(0);

        assertThat(first.getLong("connection")).isEqualTo(ann.id());
        assertThat(first.getInteger("holds")).isEqualTo(2);
        assertThat(first.getInteger("waits")).isZero();
        assertThat(all(json(http.get("/v1/connections?q=BO")), "connections", "name"))
                .containsExactly("bob");
        assertThat(json(http.get("/v1/connections?protocol=lockd")).getInteger("total")).isZero();
    }

    @Test
    void a_connection_shows_its_holds_and_its_queue_positions() {
        ann.lock("a");
        bob.lock("b");
        new DriverClient(http, "cid").lock("a");
        bob.lock("a");

        JsonObject response = json(http.get("/v1/connections/" + bob.id()));

        assertThat(response.getString("name")).isEqualTo("bob");
        assertThat(all(response, "holding", "key")).containsExactly("b");
        assertThat(all(response, "waiting", "key")).containsExactly("a");
        assertThat(all(response, "waiting", "position")).containsExactly(2);
        assertThat(statusAndError(http.get("/v1/connections/999999")))
                .isEqualTo("404 no_connection");
    }

    @Test
    void waits_are_listed_with_their_blockers() {
        ann.lock("a");
        bob.lock("a");

        JsonObject response = json(http.get("/v1/waits"));
        JsonObject wait = response.getJsonArray("waits").getJsonObject(0);

        assertThat(wait.getString("name")).isEqualTo("bob");
        assertThat(wait.getString("key")).isEqualTo("a");
        assertThat(wait.getInteger("position")).isEqualTo(1);
        assertThat(wait.getJsonArray("blocked_by"))
                .isEqualTo(
                        JsonArray.of(
                                new JsonObject().put("connection", ann.id()).put("name", "ann")));
        assertThat(response.getJsonArray("cycles")).isEmpty();
        assertThat(response.getBoolean("truncated")).isFalse();
    }

    @Test
    void a_deadlock_is_returned_as_a_cycle() {
        ann.lock("a");
        bob.lock("b");
        ann.lock("b");
        bob.lock("a");

        JsonArray cycles = json(http.get("/v1/waits")).getJsonArray("cycles");
        JsonObject alone = json(http.get("/v1/waits?limit=0"));

        assertThat(alone.getJsonArray("cycles")).isEqualTo(cycles);
        assertThat(alone.getJsonArray("waits")).isEmpty();
        assertThat(alone.getBoolean("truncated")).isTrue();
        assertThat(cycles).hasSize(1);
        JsonObject steps = new JsonObject().put("steps", cycles.getJsonArray(0));
        assertThat(all(steps, "steps", "name")).containsExactly("ann", "bob");
        assertThat(all(steps, "steps", "key")).containsExactly("b", "a");
    }

    @Test
    void a_deadlock_of_two_readers_that_wait_to_write_is_found() {
        ann.lock(Key.of("a"), ReadWriteMode.READ);
        bob.lock(Key.of("a"), ReadWriteMode.READ);
        ann.lock("a");
        bob.lock("a");
        assertThat(json(http.get("/v1/waits")).getJsonArray("cycles")).isNotEmpty();
    }

    @Test
    void responses_with_long_keys_are_truncated() {
        byte[] key = new byte[64 * 1024];
        for (byte i = 0; i < 40; i++) {
            key[0] = i;
            ann.lock(Key.of(Namespace.DEFAULT, key.clone()));
            bob.lock(Key.of(Namespace.DEFAULT, key.clone()));
        }
        JsonObject keys = json(http.get("/v1/keys"));
        JsonObject waits = json(http.get("/v1/waits"));
        JsonObject detail = json(http.get("/v1/connections/" + ann.id()));
        assertThat(keys.getInteger("total")).isEqualTo(40);
        assertThat(keys.getBoolean("truncated")).isTrue();
        assertThat(keys.getJsonArray("keys")).isNotEmpty().hasSizeLessThan(40);
        assertThat(waits.getBoolean("truncated")).isTrue();
        assertThat(waits.getJsonArray("waits")).isNotEmpty().hasSizeLessThan(40);
        assertThat(detail.getBoolean("truncated")).isTrue();
        assertThat(detail.getJsonArray("holding")).isNotEmpty().hasSizeLessThan(40);
    }

    @Test
    void a_cycle_shows_which_members_are_concurrent() {
        DriverClient many = new DriverClient(http, "many", true);
        many.lock("a");
        bob.lock("b");
        many.lock("a");
        assertThat(json(http.get("/v1/waits")).getJsonArray("cycles")).isEmpty();
        many.lock("b");
        bob.lock("a");

        JsonArray cycles = json(http.get("/v1/waits")).getJsonArray("cycles");

        assertThat(cycles).hasSize(1);
        assertThat(cycles.getJsonArray(0))
                .extracting(step -> ((JsonObject) step).getBoolean("concurrent"))
                .containsExactlyInAnyOrder(true, false);
    }

    @Test
    void a_queued_acquire_without_a_wait_is_not_part_of_a_deadlock() {
        ann.lock("a");
        bob.lock("b");
        ann.enqueue("b");
        bob.lock("a");
        assertThat(json(http.get("/v1/waits")).getJsonArray("cycles")).isEmpty();

        ann.awaitGrant("b");
        assertThat(json(http.get("/v1/waits")).getJsonArray("cycles")).hasSize(1);
    }

    @Test
    void a_deadlock_is_found_although_a_member_is_far_back_in_a_queue() {
        DriverClient cid = new DriverClient(http, "cid");
        cid.lock("a");
        bob.lock("b");
        for (int i = 0; i < WaitGraph.MAX_QUEUE_LENGTH; i++) {
            new DriverClient(http, "crowd").lock("a");
        }
        bob.lock("a");
        cid.lock("b");

        JsonObject response = json(http.get("/v1/waits"));

        assertThat(response.getJsonArray("cycles")).hasSize(1);
        assertThat(response.getBoolean("truncated")).isTrue();
    }

    @Test
    void stats_equal_those_of_the_line_protocol() {
        http.connections.set(7);
        ann.lock("l<");
        ann.slot("s", 2);
        ann.session.submit(
                new Command.Data(
                        ann.id(),
                        100,
                        Key.of("list"),
                        new DataOperation.Push(DataOperation.End.BACK, ByteString.of("x"))));
        ann.lock(Key.of(new Namespace("other"), bytes("hidden")));

        String text = http.get("/v1/stats").body();

        assertThat(text.replaceAll("(_s|ttl)\":[0-9.e-]+", "$1\":0"))
                .isEqualTo(
                        "{\"connections\":7,\"locks\":[{\"key\":\"l\\u003c\",\"owner_conn_id\":"
                                + ann.id()
                                + ",\"lease_expires_in_s\":0,\"waiters\":0}],\"semaphores\":"
                                + "[{\"key\":\"s\",\"limit\":2,\"holders\":1,\"waiters\":0}],"
                                + "\"idle_locks\":[],\"idle_semaphores\":[],\"counters\":[],"
                                + "\"kv_entries\":[],\"lists\":[{\"key\":\"list\",\"len\":1,"
                                + "\"idle_s\":0}],\"signal_channels\":[]}\n");
    }

    @Test
    void long_stats_are_sent_in_chunks_and_complete() {
        for (int i = 0; i < 3000; i++) {
            ann.lock("lock" + i);
        }

        assertThat(json(http.get("/v1/stats")).getJsonArray("locks")).hasSize(3000);
        assertThat(keys("?limit=20000")).hasSize(3000);
    }

    @Test
    void admin_routes_are_not_found_where_they_are_disabled() {
        assertThat(statusAndError(http.get("/v1/admin/audit"))).isEqualTo("404 not_found");
        assertThat(statusAndError(http.post("/v1/admin/keys/a/release", "{}")))
                .isEqualTo("404 not_found");
        assertThat(statusAndError(http.send("DELETE", "/v1/admin/connections/1", null)))
                .isEqualTo("404 not_found");
        assertThat(http.driver.queries().view(ResourceKind.LOCK, Key.of("a"), 1)).isNull();
    }

    private List<JsonObject> keys(String query) {
        List<JsonObject> rows = new ArrayList<>();
        json(http.get("/v1/keys" + query))
                .getJsonArray("keys")
                .forEach(row -> rows.add((JsonObject) row));
        return rows;
    }

    private List<String> names(String query) {
        return keys(query).stream().map(row -> row.getString("key")).toList();
    }

    private static List<Object> all(JsonObject of, String array, String field) {
        return of.getJsonArray(array).stream()
                .map(item -> ((JsonObject) item).getValue(field))
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
