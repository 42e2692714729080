package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A listener that reads continuously")
@Timeout(120)
class ReadingListenerIT {
    /** Lines that wait for the end of a response do not count as unwritable. */
    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_reading_listener_is_not_disconnected_while_the_server_writes_its_stats(
            IoTransport ioTransport) {
        try (TestServer server = TestServer.start(new TestConfig().transport(ioTransport))) {
            TestClient holder = server.connect();
            StringBuilder locks = new StringBuilder();
            for (int i = 0; i < 10_000; i++) {
                locks.append("l\na-key-of-some-length-").append(i).append("\n0 600\n");
            }
            Thread.startVirtualThread(() -> holder.sendRaw(locks.toString()));
            for (int i = 0; i < 10_000; i++) {
                assertThat(holder.line()).startsWith("ok ");
            }
            TestClient listener = server.connect().listen("a");
            TestClient emitter = server.connect();
            String burst = ("signal\na\n" + "x".repeat(8192) + "\n").repeat(400);
            for (int round = 0; round < 2; round++) {
                listener.send("stats", "", "");
                Thread.startVirtualThread(() -> emitter.sendRaw(burst));
                for (int i = 0; i < 401; i++) {
                    listener.line();
                }
                for (int i = 0; i < 400; i++) {
                    assertThat(emitter.line()).isEqualTo("ok 1");
                }
            }
        }
    }

    /** Many others leave lines unread, on one channel or on one each. */
    @ParameterizedTest
    @CsvSource({"false, 1000", "true, 60000"})
    void a_reading_listener_is_not_disconnected_because_others_do_not_read(
            boolean apart, int length) throws Exception {
        int frozen = 24;
        List<TestClient> clients = new ArrayList<>();
        try (ServerProcess server =
                ServerProcess.start(
                        List.of(),
                        List.of(apart ? "-Xmx22m" : "-Xmx64m", "-XX:+ExitOnOutOfMemoryError"),
                        IoTransport.AUTO,
                        Duration.ZERO)) {
            TestClient healthy = TestClient.connect(server.address()).listen("a.*");
            TestClient emitter = TestClient.connect(server.address());
            for (int i = 0; i < frozen; i++) {
                TestClient one = TestClient.connect(server.address(), 4096);
                clients.add(one.listen(apart ? "a." + i : "a.0"));
            }
            String payload = "x".repeat(length);
            boolean cut = false;
            for (int i = 0; !cut; i++) {
                assertThat(i).isLessThan(10_000);
                String response =
                        emitter.request("signal", "a." + (apart ? i % frozen : 0), payload);
                assertThat(response).as("signal " + i).isNotEqualTo("ok 0");
                assertThat(healthy.line()).endsWith(payload);
                cut = response.equals("ok 1"); // no other listener is left
            }
            healthy.assertServed();
        } finally {
            clients.forEach(TestClient::close);
        }
    }
}
