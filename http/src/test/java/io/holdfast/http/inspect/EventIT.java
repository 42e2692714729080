package io.holdfast.http.inspect;

import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.http.DriverClient;
import io.holdfast.http.EventReader;
import io.holdfast.http.TestHttp;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Events over HTTP")
class EventIT {
    private final TestHttp http = TestHttp.start();

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void all_events_are_sent_in_order() {
        try (EventReader reader = EventReader.open(http, "/v1/events")) {
            DriverClient ann = new DriverClient(http, "ann");
            DriverClient bob = new DriverClient(http, "bob");
            Effect grant = ann.lock("a");
            bob.lock("a");
            ann.release(grant);
            bob.leave();

            List<String> received = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                JsonObject event = reader.next();
                assertThat(event.getString(":event")).isEqualTo(event.getString("event"));
                received.add(event.getString("event") + " " + event.getString("name"));
            }
            assertThat(received)
                    .containsExactly(
                            "session_opened ann",
                            "session_opened bob",
                            "acquired ann",
                            "waiting bob",
                            "released ann",
                            "acquired bob",
                            "released bob",
                            "session_closed bob");
        }
    }

    @Test
    void an_event_has_all_its_fields() {
        DriverClient ann = new DriverClient(http, "ann");
        try (EventReader reader = EventReader.open(http, "/v1/events?key=%FFa")) {
            Effect.Granted grant =
                    (Effect.Granted)
                            ann.lock(Key.of(Namespace.DEFAULT, new byte[] {(byte) 0xff, 'a'}));
            ann.leave();

            JsonObject acquired = reader.next();
            assertThat(acquired.getString("at")).matches("....-..-..T..:..:..\\....Z");
            acquired.remove("at");
            assertThat(acquired)
                    .isEqualTo(
                            new JsonObject()
                                    .put("event", "acquired")
                                    .put("kind", "lock")
                                    .put("namespace", "")
                                    .put("key", "\ufffda")
                                    .put("key_encoded", "%FFa")
                                    .put("connection", ann.id())
                                    .put("name", "ann")
                                    .put("protocol", "dflockd")
                                    .put("mode", "write")
                                    .put("fence", Long.toString(grant.token().fence()))
                                    .put("waited_s", 0.0)
                                    .put("holders", 1)
                                    .put("waiters", 0)
                                    .put(":event", "acquired"));
            assertThat(reader.next().containsKey("held_s")).isTrue();
        }
    }

    @Test
    void only_events_that_match_the_filter_are_sent() {
        DriverClient ann = new DriverClient(http, "ann");
        DriverClient bob = new DriverClient(http, "bob");
        try (EventReader byType =
                        EventReader.open(http, "/v1/events?type=released,session_closed");
                EventReader byPrefix = EventReader.open(http, "/v1/events?prefix=we&kind=lock");
                EventReader byConnection =
                        EventReader.open(http, "/v1/events?connection=" + bob.id());
                EventReader byNamespace = EventReader.open(http, "/v1/events?namespace=none")) {
            ann.slot("web", 2);
            ann.release(ann.lock("a"));
            ann.lock("web");
            bob.lock("b");
            http.draining.set(true);
            http.front.drain();

            assertThat(byType.next().getString("key")).isEqualTo("a");
            assertThat(byPrefix.next().getString("key")).isEqualTo("web");
            assertThat(byConnection.next().getString("key")).isEqualTo("b");
            byNamespace.awaitEnd();
        }
    }

    @Test
    void a_slow_reader_gets_the_number_of_missed_events_and_delays_no_one() throws IOException {
        DriverClient ann = new DriverClient(http, "ann");
        Key key = Key.of("x".repeat(900));
        try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), http.port())) {
            slow.getOutputStream()
                    .write(
                            "GET /v1/events?type=acquired HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                                    .formatted(http.port())
                                    .getBytes(StandardCharsets.US_ASCII));
            BufferedReader reader =
                    new BufferedReader(
                            new InputStreamReader(slow.getInputStream(), StandardCharsets.UTF_8));
            while (!reader.readLine().equals(":ok")) {
                // skips the head
            }
            int happened = 20_000;
            for (int i = 0; i < happened; i++) {
                ann.release(ann.lock(key));
            }

            long received = 0;
            long missed = 0;
            while (received + missed < happened) {
                String line = reader.readLine();
                if (line.equals("event: acquired")) {
                    received++;
                } else if (line.startsWith("data: {\"event\":\"gap\"")) {
                    missed += new JsonObject(line.substring("data: ".length())).getLong("missed");
                }
            }
            assertThat(received + missed).isEqualTo(happened);
            assertThat(missed).isPositive();
        }
    }

    @Test
    void the_number_of_event_streams_is_limited() {
        List<EventReader> readers = new ArrayList<>();
        for (int i = 0; i < EventRoute.MAX_STREAMS; i++) {
            readers.add(EventReader.open(http, "/v1/events?type=lost"));
        }

        assertThat(statusAndError(http.get("/v1/events"))).isEqualTo("503 max_streams");

        readers.getFirst().close();
        await().until(
                        () -> {
                            try (EventReader again = EventReader.open(http, "/v1/events")) {
                                return again.response().statusCode() == 200;
                            } catch (AssertionError e) {
                                return false;
                            }
                        });
    }

    @Test
    void streams_end_when_the_server_shuts_down() {
        try (EventReader reader = EventReader.open(http, "/v1/events")) {
            http.draining.set(true);
            http.front.drain();

            reader.awaitEnd();
            assertThat(statusAndError(http.get("/v1/events"))).isEqualTo("503 draining");
        }
    }
}
