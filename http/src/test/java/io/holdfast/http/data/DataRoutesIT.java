package io.holdfast.http.data;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.http.DriverClient;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.Base64;

@DisplayName("Data over HTTP")
class DataRoutesIT {
    private TestHttp http = TestHttp.start();

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void a_value_is_stored_until_it_is_deleted() {
        assertThat(statusAndError(http.get("/v1/kv/colour"))).isEqualTo("404 no_value");
        assertThat(statusAndError(put("/v1/kv/colour", "{\"value\":\"green & <b>\"}")))
                .isEqualTo("204");
        assertThat(json(http.get("/v1/kv/colour")))
                .isEqualTo(new JsonObject().put("value", "green & <b>"));
        assertThat(statusAndError(http.send("DELETE", "/v1/kv/colour", null))).isEqualTo("204");
        assertThat(statusAndError(http.send("DELETE", "/v1/kv/colour", null))).isEqualTo("204");
        assertThat(statusAndError(http.get("/v1/kv/colour"))).isEqualTo("404 no_value");
    }

    @Test
    void an_empty_value_is_a_value() {
        assertThat(statusAndError(put("/v1/kv/none", "{\"value\":\"\",\"ttl_s\":100}")))
                .isEqualTo("204");
        assertThat(json(http.get("/v1/kv/none")).getString("value")).isEmpty();
    }

    @Test
    void a_value_that_is_not_UTF_8_is_also_returned_as_base64() {
        byte[] bytes = {'a', (byte) 0xff, (byte) 0xe2, (byte) 0x82};
        DriverClient driverClient = new DriverClient(http, "guest");
        driverClient.session.submit(
                new Command.Data(
                        driverClient.id(),
                        1,
                        Key.of("raw"),
                        new DataOperation.SetValue(ByteString.of(bytes), Command.FOREVER)));

        assertThat(json(http.get("/v1/kv/raw")))
                .isEqualTo(
                        new JsonObject()
                                .put("value", "a\ufffd\ufffd\ufffd")
                                .put("value_base64", Base64.getEncoder().encodeToString(bytes)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "{\"value\":1}",
                "{\"value\":\"a\\nb\"}",
                "{\"value\":\"a\\r\"}",
                "{\"value\":\"a\",\"ttl_s\":-1}",
                "{\"value\":\"a\",\"ttl_s\":9223372037}",
                "{\"value\":\"a\",\"more\":1}",
            })
    void a_value_that_does_not_fit_a_line_of_the_line_protocol_is_refused(String body) {
        assertThat(statusAndError(put("/v1/kv/key", body))).isEqualTo("400 bad_request");
        assertThat(statusAndError(http.get("/v1/kv/key"))).isEqualTo("404 no_value");
    }

    @Test
    void a_value_may_have_256_bytes_and_so_may_its_name() {
        String longest = "x".repeat(256);

        assertThat(statusAndError(put("/v1/kv/" + longest, "{\"value\":\"" + longest + "\"}")))
                .isEqualTo("204");
        assertThat(statusAndError(put("/v1/kv/key", "{\"value\":\"" + longest + "x\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(put("/v1/kv/x" + longest, "{\"value\":\"\"}")))
                .isEqualTo("400 bad_request");
    }

    @Test
    void any_bytes_may_be_a_name() {
        String[] names = {"%FF", "%FE", "a%2Fb", "a%20b", "-?key=", "-?key=..", "%00", "%C3%A9"};
        for (String name : names) {
            assertThat(statusAndError(put("/v1/kv/" + name, "{\"value\":\"" + name + "\"}")))
                    .isEqualTo("204");
        }
        for (String name : names) {
            assertThat(json(http.get("/v1/kv/" + name)).getString("value")).isEqualTo(name);
        }
    }

    @Test
    void a_counter_counts_in_64_bits() {
        assertThat(http.get("/v1/counters/n").body()).isEqualTo("{\"value\":0}\n");
        assertThat(http.post("/v1/counters/n", "{\"add\":3}").body()).isEqualTo("{\"value\":3}\n");
        assertThat(http.post("/v1/counters/n", "{\"add\":-5}").body())
                .isEqualTo("{\"value\":-2}\n");
        assertThat(statusAndError(put("/v1/counters/n", "{\"value\":" + Long.MAX_VALUE + "}")))
                .isEqualTo("204");
        assertThat(statusAndError(http.post("/v1/counters/n", "{\"add\":1}")))
                .isEqualTo("409 out_of_range");
        assertThat(json(http.get("/v1/counters/n")).getLong("value")).isEqualTo(Long.MAX_VALUE);
        assertThat(statusAndError(http.post("/v1/counters/n", "{}"))).isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post("/v1/counters/n", "{\"add\":1.5}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post("/v1/counters/n", "{\"add\":9223372036854775808}")))
                .isEqualTo("400 bad_request");
    }

    @Test
    void a_list_has_two_ends() {
        assertThat(http.post("/v1/lists/l/push", "{\"item\":\"b\"}").body())
                .isEqualTo("{\"length\":1}\n");
        assertThat(http.post("/v1/lists/l/push", "{\"item\":\"c\",\"end\":\"back\"}").body())
                .isEqualTo("{\"length\":2}\n");
        assertThat(http.post("/v1/lists/l/push", "{\"item\":\"a\",\"end\":\"front\"}").body())
                .isEqualTo("{\"length\":3}\n");
        assertThat(json(http.get("/v1/lists/l")))
                .isEqualTo(
                        new JsonObject()
                                .put("items", JsonArray.of("a", "b", "c"))
                                .put("length", 3));
        assertThat(json(http.get("/v1/lists/l?first=-2&last=-2")).getJsonArray("items"))
                .isEqualTo(JsonArray.of("b"));
        assertThat(json(http.get("/v1/lists/l?first=1&last=100")).getJsonArray("items"))
                .isEqualTo(JsonArray.of("b", "c"));
        assertThat(json(http.get("/v1/lists/l?first=-100&last=0")).getJsonArray("items"))
                .isEqualTo(JsonArray.of("a"));
        assertThat(json(http.get("/v1/lists/l?first=2&last=1")).getJsonArray("items")).isEmpty();
        assertThat(http.post("/v1/lists/l/pop", null).body()).isEqualTo("{\"item\":\"a\"}\n");
        assertThat(http.post("/v1/lists/l/pop", "{\"end\":\"back\"}").body())
                .isEqualTo("{\"item\":\"c\"}\n");
        assertThat(http.post("/v1/lists/l/pop", "{}").body()).isEqualTo("{\"item\":\"b\"}\n");
        assertThat(statusAndError(http.post("/v1/lists/l/pop", null))).isEqualTo("404 empty_list");
        assertThat(http.get("/v1/lists/l").body()).isEqualTo("{\"items\":[],\"length\":0}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"item\":\"\"}",
                "{\"item\":\"a\\nb\"}",
                "{}",
                "{\"item\":\"a\",\"end\":\"middle\"}",
            })
    void an_item_that_does_not_fit_a_line_of_the_line_protocol_is_refused(String body) {
        assertThat(statusAndError(http.post("/v1/lists/l/push", body)))
                .isEqualTo("400 bad_request");
    }

    @Test
    void a_long_list_is_truncated_and_read_in_parts() {
        DriverClient driverClient = new DriverClient(http, "guest");
        for (int i = 0; i <= DataRoutes.MAX_ITEMS; i++) {
            driverClient.session.submit(
                    new Command.Data(
                            driverClient.id(),
                            i + 1,
                            Key.of("long"),
                            new DataOperation.Push(
                                    DataOperation.End.BACK, ByteString.of("item" + i))));
        }

        JsonObject first = json(http.get("/v1/lists/long"));
        JsonObject rest = json(http.get("/v1/lists/long?first=" + DataRoutes.MAX_ITEMS));

        assertThat(first.getJsonArray("items")).hasSize(DataRoutes.MAX_ITEMS);
        assertThat(first.getBoolean("truncated")).isTrue();
        assertThat(rest.getJsonArray("items")).containsExactly("item" + DataRoutes.MAX_ITEMS);
        assertThat(rest.containsKey("truncated")).isFalse();
    }

    @Test
    void data_above_the_limits_is_refused() {
        http.close();
        EngineSettings engineSettings = new EngineSettings(0, 1, true, 1);
        http =
                TestHttp.start(
                        engineSettings, new KeyCountLimits(0, 0, 2), () -> true, config -> config);
        assertThat(statusAndError(put("/v1/kv/one", "{\"value\":\"1\"}"))).isEqualTo("204");
        assertThat(statusAndError(http.post("/v1/lists/two/push", "{\"item\":\"2\"}")))
                .isEqualTo("200");

        assertThat(statusAndError(http.post("/v1/lists/two/push", "{\"item\":\"2\"}")))
                .isEqualTo("409 list_full");
        assertThat(statusAndError(http.post("/v1/lists/three/push", "{\"item\":\"3\"}")))
                .isEqualTo("503 max_keys");
        assertThat(statusAndError(put("/v1/kv/one", "{\"value\":\"2\"}"))).isEqualTo("204");
    }

    @Test
    void a_draining_server_refuses_to_store_data_but_returns_it() {
        assertThat(statusAndError(put("/v1/kv/key", "{\"value\":\"kept\"}"))).isEqualTo("204");
        http.draining.set(true);

        assertThat(statusAndError(put("/v1/kv/key", "{\"value\":\"lost\"}")))
                .isEqualTo("503 draining");
        assertThat(statusAndError(http.post("/v1/counters/n", "{\"add\":1}")))
                .isEqualTo("503 draining");
        assertThat(json(http.get("/v1/kv/key")).getString("value")).isEqualTo("kept");
        assertThat(statusAndError(http.send("DELETE", "/v1/kv/key", null))).isEqualTo("204");
    }

    private HttpResponse<String> put(String path, String body) {
        return http.send("PUT", path, body);
    }
}
