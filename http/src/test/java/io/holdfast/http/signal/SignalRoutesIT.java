package io.holdfast.http.signal;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.http.EventReader;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Signals over HTTP")
class SignalRoutesIT {
    private final TestHttp http = TestHttp.start();

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void a_signal_reaches_listeners_of_other_protocols() {
        List<String> received = new CopyOnWriteArrayList<>();
        Subscriber subscriber =
                hub().open(
                                new SignalListener() {
                                    @Override
                                    public boolean isFull() {
                                        return false;
                                    }

                                    @Override
                                    public void deliver(Signal signal) {
                                        received.add(signal.channel() + "=" + signal.payload());
                                        signal.release();
                                    }

                                    @Override
                                    public void overrun() {}
                                });
        subscriber.listen(Key.of("deploy.*"), ByteString.EMPTY);

        assertThat(http.post("/v1/signals/deploy.web", "{\"payload\":\" v2 \"}").body())
                .isEqualTo("{\"delivered\":1}\n");
        assertThat(http.post("/v1/signals/deploy", "{\"payload\":\"v2\"}").body())
                .isEqualTo("{\"delivered\":0}\n");
        assertThat(received).containsExactly("deploy.web= v2 ");
    }

    @ParameterizedTest
    @CsvSource({
        "a.*, x",
        "'a.%3E', x",
        "a%20b, x",
        "a%0Ab, x",
        "a, ''",
        "a, '   '",
        "a, 'x\\ny'",
        "a, 'x\\r'",
    })
    void a_signal_that_does_not_fit_a_line_of_the_line_protocol_is_refused(
            String channel, String payload) {
        assertThat(
                        statusAndError(
                                http.post(
                                        "/v1/signals/" + channel,
                                        "{\"payload\":\"" + payload + "\"}")))
                .isEqualTo("400 bad_request");
    }

    @Test
    void the_longest_signal_fits_a_line_of_the_line_protocol() {
        String longest = "x".repeat(65536 - 5 - 1);

        assertThat(statusAndError(http.post("/v1/signals/a", "{\"payload\":\"" + longest + "\"}")))
                .isEqualTo("200");
        assertThat(statusAndError(http.post("/v1/signals/a", "{\"payload\":\"" + longest + "x\"}")))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.post("/v1/signals/ab", "{\"payload\":\"" + longest + "\"}")))
                .isEqualTo("400 bad_request");
    }

    @Test
    void a_listener_gets_signals_as_server_sent_events() {
        try (EventReader reader = EventReader.open(http, "/v1/signals?pattern=a.%3E")) {
            assertThat(reader.response().headers().map())
                    .containsEntry("content-type", List.of("text/event-stream"))
                    .containsEntry("cache-control", List.of("no-cache"))
                    .containsEntry("x-accel-buffering", List.of("no"));

            assertThat(http.post("/v1/signals/a.b", "{\"payload\":\"one\"}").body())
                    .isEqualTo("{\"delivered\":1}\n");
            http.post("/v1/signals/a.b.c", "{\"payload\":\"two\"}");

            assertThat(reader.line()).isEqualTo("event: sig");
            assertThat(reader.line()).isEqualTo("data: {\"channel\":\"a.b\",\"payload\":\"one\"}");
            assertThat(reader.line()).isEmpty();
            assertThat(reader.next().getString("channel")).isEqualTo("a.b.c");
        }
    }

    @Test
    void control_characters_are_escaped_in_the_JSON_of_a_signal() {
        String odd = "\u0001\t\u001f\"\\</script>\u2028\u00e9";
        try (EventReader reader = EventReader.open(http, "/v1/signals?pattern=odd")) {
            http.post("/v1/signals/odd", new JsonObject().put("payload", odd).encode());

            assertThat(reader.next().getString("payload")).isEqualTo(odd);
        }
    }

    @Test
    void one_listener_of_a_queue_group_gets_a_signal() {
        try (EventReader first = EventReader.open(http, "/v1/signals?pattern=job&group=%20g%20");
                EventReader second = EventReader.open(http, "/v1/signals?pattern=job&group=g")) {
            for (int i = 1; i <= 2; i++) {
                assertThat(http.post("/v1/signals/job", "{\"payload\":\"" + i + "\"}").body())
                        .isEqualTo("{\"delivered\":1}\n");
            }
            assertThat(first.next().getString("payload")).isEqualTo("1");
            assertThat(second.next().getString("payload")).isEqualTo("2");
            assertThat(json(http.get("/v1/signals/channels")).encode())
                    .isEqualTo(
                            "{\"channels\":[{\"namespace\":\"\",\"pattern\":\"job\","
                                    + "\"group\":\"g\",\"listeners\":2}]}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?pattern=",
                "?pattern=fo*",
                "?pattern=a.%3E.b",
                "?pattern=a+b",
                "?pattern=a%0D%0Ab",
                "?pattern=a&group=g%0Asignal",
                "?pattern=a&group=g%0D",
            })
    void a_malformed_pattern_is_refused_before_a_session_is_opened(String query) {
        int before = http.driver.openSessions();

        assertThat(statusAndError(http.get("/v1/signals" + query))).isEqualTo("400 bad_request");
        assertThat(http.driver.openSessions()).isEqualTo(before);
        assertThat(http.connections).hasValue(0);
    }

    @Test
    void patterns_and_groups_longer_than_256_bytes_are_refused() {
        String longest = "x".repeat(256);
        EventReader.open(http, "/v1/signals?pattern=" + longest + "&group=" + longest).close();

        assertThat(statusAndError(http.get("/v1/signals?pattern=x" + longest)))
                .isEqualTo("400 bad_request");
        assertThat(statusAndError(http.get("/v1/signals?pattern=x&group=x" + longest)))
                .isEqualTo("400 bad_request");
    }

    @Test
    void a_stream_has_a_session_until_its_client_leaves() {
        EventReader reader = EventReader.open(http, "/v1/signals?pattern=a");
        assertThat(http.connections).hasValue(1);

        reader.close();

        await().untilAsserted(() -> assertThat(http.connections).hasValue(0));
        await().untilAsserted(() -> assertThat(hub().list().next()).isEmpty());
    }

    @Test
    void streams_end_when_the_server_shuts_down() {
        try (EventReader reader = EventReader.open(http, "/v1/signals?pattern=a")) {
            http.draining.set(true);
            http.front.drain();

            reader.awaitEnd();
            await().untilAsserted(() -> assertThat(http.connections).hasValue(0));
            assertThat(statusAndError(http.get("/v1/signals?pattern=a"))).isEqualTo("503 draining");
        }
    }

    @Test
    void a_client_that_does_not_read_misses_signals_and_stays_connected() throws IOException {
        String payload = "x".repeat(60_000);
        try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), http.port());
                EventReader quick = EventReader.open(http, "/v1/signals?pattern=big")) {
            slow.getOutputStream()
                    .write(
                            "GET /v1/signals?pattern=big HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                                    .formatted(http.port())
                                    .getBytes(StandardCharsets.US_ASCII));
            await().until(() -> http.connections.get() == 2);

            int sent = 0;
            int delivered = 2;
            while (delivered == 2) {
                assertThat(sent).isLessThan(2000);
                delivered =
                        json(http.post("/v1/signals/big", "{\"payload\":\"" + payload + "\"}"))
                                .getInteger("delivered");
                sent++;
                assertThat(quick.next().getString("payload")).hasSize(60_000);
            }

            assertThat(delivered).isEqualTo(1);
            assertThat(http.connections).hasValue(2);
        }
    }

    @Test
    void HEAD_of_a_stream_returns_its_headers() {
        assertThat(
                        http.send("HEAD", "/v1/signals?pattern=a", null)
                                .headers()
                                .firstValue("content-type"))
                .hasValue("text/event-stream");
        assertThat(http.connections).hasValue(0);
    }

    @Test
    void an_idle_stream_sends_pings() {
        try (TestHttp often = TestHttp.start(config -> config.ping(Duration.ofMillis(5)));
                EventReader reader = EventReader.open(often, "/v1/signals?pattern=a")) {
            assertThat(reader.line()).startsWith(":");
        }
    }

    private SignalHub hub() {
        return http.driver.signals();
    }
}
