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

@DisplayName("Requests sent without waiting for answers")
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
    void are_answered_in_order_though_thousands_come_at_once() {
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
    void are_answered_though_they_come_one_byte_at_a_time() {
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
    void wait_behind_one_that_waits_and_keep_their_order() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\nl\nk\n60 11\nping\n\n\nl\nj\n0 12\nstats\n\n\nl\nk\n0\n");
        assertThat(client.line()).isEqualTo("ok");
        server.awaitWaiters("k", 1);
        assertThat(server.stats().keys("locks")).doesNotContain("j");
        client.sendRaw("nonsense\n\n\n");

        assertThat(holder.ask("r", "k", token)).isEqualTo("ok");

        assertThat(client.line()).endsWith(" 11");
        assertThat(client.line()).isEqualTo("ok");
        assertThat(client.line()).endsWith(" 12");
        assertThat(Stats.parse(client.line()).keys("locks")).contains("k", "j");
        assertThat(client.line()).isEqualTo("timeout");
        assertThat(client.line()).isEqualTo("error");
    }

    /** Both connections live on one event loop. */
    @Test
    void do_not_stall_another_connection() throws InterruptedException {
        TestClient greedy = server.connect();
        String requests = "l\ngreedy\n0 9\nping\n\n\n".repeat(2000);
        AtomicBoolean enough = new AtomicBoolean();
        AtomicLong answers = new AtomicLong();
        Thread writer =
                Thread.startVirtualThread(
                        () -> {
                            while (!enough.get()) {
                                greedy.sendIfOpen(requests);
                            }
                        });
        Thread reader =
                Thread.startVirtualThread(
                        () -> {
                            try {
                                while (!enough.get()) {
                                    greedy.line();
                                    answers.incrementAndGet();
                                }
                            } catch (UncheckedIOException e) {
                                assertThat(enough).isTrue();
                            }
                        });
        TestClient modest = server.connect();
        long before = answers.get();
        try {
            for (int i = 0; i < 100 || answers.get() - before < 5000; i++) {
                String token = modest.acquire("modest");
                assertThat(modest.ask("r", "modest", token)).isEqualTo("ok");
            }
        } finally {
            enough.set(true);
            greedy.close();
        }
        writer.join();
        reader.join();
    }
}
