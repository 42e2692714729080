package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("Pipelined requests")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class PipelineIT {
    private final TestServer server;

    PipelineIT(IoTransport ioTransport) {
        server = TestServer.start(new TestConfig().transport(ioTransport).eventLoops(1));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void thousands_of_pipelined_requests_are_answered_in_order() {
        TestClient client = server.connect();
        StringBuilder requests = new StringBuilder();
        for (int i = 1; i <= 5000; i++) {
            requests.append("l\nk").append(i).append("\n0 ").append(i).append("\n");
            requests.append("ping\n\n\n").append("nonsense\n\n\n");
        }
        Thread.startVirtualThread(() -> client.sendRaw(requests.toString()));
        for (int i = 1; i <= 5000; i++) {
            assertThat(client.line()).endsWith(" " + i);
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("error");
        }
        client.assertServed();
    }

    @Test
    void pipelined_requests_that_arrive_byte_by_byte_are_answered() {
        TestClient client = server.connect();
        for (int i = 1; i <= 100; i++) {
            for (char c : ("l\r\nkey" + i + "\n30 " + i + "\r\n").toCharArray()) {
                client.sendRaw(String.valueOf(c));
            }
        }
        for (int i = 1; i <= 100; i++) {
            assertThat(client.line()).endsWith(" " + i);
        }
    }

    @Test
    void pipelined_requests_behind_a_wait_keep_their_order() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\nl\nk\n60 11\nping\n\n\nl\nj\n0 12\nstats\n\n\nl\nk\n0\n");
        assertThat(client.line()).isEqualTo("ok");
        server.awaitWaiters("k", 1);
        assertThat(server.stats().keys("locks")).doesNotContain("j");
        client.sendRaw("nonsense\n\n\n");

        assertThat(holder.request("r", "k", token)).isEqualTo("ok");

        assertThat(client.line()).endsWith(" 11");
        assertThat(client.line()).isEqualTo("ok");
        assertThat(client.line()).endsWith(" 12");
        assertThat(Stats.parse(client.line()).keys("locks")).contains("k", "j");
        assertThat(client.line()).isEqualTo("timeout");
        assertThat(client.line()).isEqualTo("error");
    }

    /** Both connections are on one event loop. */
    @Test
    void pipelined_requests_do_not_stall_another_connection() throws InterruptedException {
        TestClient greedy = server.connect();
        String requests = "l\ngreedy\n0 9\nping\n\n\n".repeat(2000);
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicLong responses = new AtomicLong();
        Thread writer =
                Thread.startVirtualThread(
                        () -> {
                            while (!stopped.get()) {
                                greedy.sendIfOpen(requests);
                            }
                        });
        Thread reader =
                Thread.startVirtualThread(
                        () -> {
                            try {
                                while (!stopped.get()) {
                                    greedy.line();
                                    responses.incrementAndGet();
                                }
                            } catch (UncheckedIOException e) {
                                assertThat(stopped).isTrue();
                            }
                        });
        TestClient modest = server.connect();
        long before = responses.get();
        try {
            for (int i = 0; i < 100 || responses.get() - before < 5000; i++) {
                String token = modest.acquire("modest");
                assertThat(modest.request("r", "modest", token)).isEqualTo("ok");
            }
        } finally {
            stopped.set(true);
            greedy.close();
        }
        writer.join();
        reader.join();
    }
}
