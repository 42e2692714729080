package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;

@DisplayName("A listener that does not read")
@Execution(ExecutionMode.CONCURRENT)
class StreamingSlowListenerIT {
    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_slow_listener_is_disconnected_during_a_long_response(IoTransport ioTransport) {
        try (TestServer server =
                TestServer.start(
                        new TestConfig()
                                .transport(ioTransport)
                                .writeTimeout(Duration.ofHours(1)))) {
            TestClient client = server.connect();
            int items = 20_000;
            String push = "rpush\nlist\n" + "i".repeat(250) + "\n";
            Thread.startVirtualThread(() -> client.sendRaw(push.repeat(items)));
            for (int i = 1; i <= items; i++) {
                assertThat(client.line()).isEqualTo("ok " + i);
            }
            TestClient slow = server.connectNarrow().listen("a");
            slow.acquire("k");
            slow.send("lrange", "list", "0 -1");
            assertThat(slow.rest(10)).isEqualTo("ok [\"iiiii");
            String large = "x".repeat(60_000);
            String response = "ok 1";
            for (int i = 0; i < 500 && response.equals("ok 1"); i++) {
                response = client.request("signal", "a", large);
            }
            assertThat(response).isEqualTo("ok 0"); // after 30 MB
            server.awaitStats(stats -> !stats.isHeld("k") && stats.listeners("a") == 0);
            slow.skipToEnd();
        }
    }
}
