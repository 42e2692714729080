package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Listener and emitter are on the same event loop or on different ones. */
@DisplayName("A burst of signals")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class SignalBurstIT {
    private final IoTransport ioTransport;

    SignalBurstIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
    }

    @ParameterizedTest
    @CsvSource({"1000, 100, 1", "1000, 100, 2", "10000, 5, 1", "10000, 5, 2"})
    void a_burst_of_signals_does_not_disconnect_a_listener_that_reads_later(
            int count, int length, int eventLoops) {
        try (TestServer server = start(eventLoops)) {
            TestClient listener = server.connect().listen("a");
            TestClient emitter = server.connect();
            String filler = "x".repeat(length);
            emitter.sendRaw(burst(count, filler));
            for (int i = 0; i < count; i++) {
                assertThat(emitter.line()).isEqualTo("ok 1");
            }
            assertReceived(listener, count, filler);
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void a_burst_of_8_KB_signals_does_not_disconnect_a_listener_that_reads(int eventLoops)
            throws Exception {
        try (TestServer server = start(eventLoops)) {
            TestClient listener = server.connect().listen("a");
            TestClient emitter = server.connect();
            String filler = "x".repeat(8192);
            String burst = burst(200, filler);
            for (int round = 0; round < 5; round++) {
                Thread sending = Thread.startVirtualThread(() -> emitter.sendRaw(burst));
                assertReceived(listener, 200, filler);
                for (int i = 0; i < 200; i++) {
                    assertThat(emitter.line()).isEqualTo("ok 1");
                }
                sending.join();
            }
        }
    }

    private TestServer start(int eventLoops) {
        return TestServer.start(new TestConfig().transport(ioTransport).eventLoops(eventLoops));
    }

    private static String burst(int count, String filler) {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append("signal\na\n").append(i).append(filler).append('\n');
        }
        return requests.toString();
    }

    private static void assertReceived(TestClient listener, int count, String filler) {
        for (int i = 0; i < count; i++) {
            assertThat(listener.line().equals("sig a " + i + filler)).as("number " + i).isTrue();
        }
        listener.assertServed();
    }
}
