package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A client that does not read")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class SlowReaderIT {
    private static final int BATCH = 500;
    private static final long MB = 1024 * 1024;

    private final IoTransport ioTransport;
    private TestServer server;

    SlowReaderIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void start(Duration writeTimeout) {
        server =
                TestServer.start(
                        new TestConfig()
                                .transport(ioTransport)
                                .eventLoops(1)
                                .writeTimeout(writeTimeout));
    }

    /** Sends requests in its own thread until it is stopped or the server closes. */
    private static final class Sender {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final AtomicInteger sent = new AtomicInteger();
        private final Thread thread;

        Sender(TestClient client, String requests) {
            thread =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    while (!stopped.get()) {
                                        client.sendRaw(requests);
                                        sent.incrementAndGet();
                                    }
                                } catch (UncheckedIOException e) {
                                    stopped.set(true); // closed
                                }
                            });
        }

        /** Waits until the server has stopped reading requests. */
        void awaitStuck() {
            int[] last = {-1};
            TestServer.soon()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> last[0] == (last[0] = sent.get()) && last[0] > 0);
        }

        boolean isAtWork() {
            return thread.isAlive();
        }
    }

    @Test
    void a_client_that_does_not_read_is_not_read_from_and_gets_every_response_later()
            throws Exception {
        start(Duration.ZERO); // no limit
        TestClient other = server.connect();
        other.acquire("k");
        long before = directMemory();
        TestClient slow = server.connectNarrow();
        Sender sender = new Sender(slow, "l\nk\n0\nn\nk\nx\n".repeat(BATCH));

        sender.awaitStuck();
        assertThat(directMemory() - before).isLessThan(4 * MB);
        assertThat(13L * BATCH * sender.sent.get()).isLessThan(40 * MB);
        other.assertServed();
        assertThat(server.connect().request("l", "free", "0")).startsWith("ok ");

        sender.stopped.set(true);
        int responses = 0;
        while (sender.isAtWork() || responses < sender.sent.get() * BATCH) {
            assertThat(slow.line()).isEqualTo("timeout");
            assertThat(slow.line()).isEqualTo("error");
            responses++;
        }
        slow.assertServed();
    }

    @Test
    void a_client_that_does_not_read_is_closed_at_the_write_timeout_and_loses_its_holds() {
        start(Duration.ofMillis(700));
        TestClient slow = server.connectNarrow();
        slow.acquire("k");
        TestClient next = server.connect();
        next.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        Sender sender = new Sender(slow, "l\nk\n0\n".repeat(BATCH));

        assertThat(next.line()).startsWith("ok ");
        next.assertServed();
        TestServer.soon().until(() -> !sender.isAtWork());
        server.awaitConnections(1);
    }

    @Test
    void a_slow_client_gets_long_stats_in_chunks() {
        start(Duration.ZERO);
        TestClient holder = server.connect();
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            requests.append("l\nkey-with-a-rather-long-name-").append(i).append("\n0 60\n");
        }
        holder.sendRaw(requests.toString());
        for (int i = 0; i < 3000; i++) {
            assertThat(holder.line()).startsWith("ok ");
        }
        long before = directMemory();
        TestClient slow = server.connectNarrow();
        slow.sendRaw("stats\n\n\n".repeat(20));
        for (int i = 0; i < 5; i++) { // other clients are served meanwhile, stats included
            holder.assertServed();
            assertThat(server.stats().keys("locks")).hasSize(3000);
        }
        assertThat(directMemory() - before).isLessThan(4 * MB);
        for (int i = 0; i < 20; i++) {
            assertThat(Stats.parse(slow.line()).keys("locks"))
                    .hasSize(3000)
                    .doesNotHaveDuplicates();
        }
        slow.assertServed();
    }

    @Test
    void a_client_that_does_not_read_long_stats_is_closed_at_the_write_timeout() {
        start(Duration.ofMillis(700));
        TestClient holder = server.connect();
        for (int i = 0; i < 2000; i++) {
            holder.send("l", "key-with-a-rather-long-name-" + i, "0 60");
        }
        for (int i = 0; i < 2000; i++) {
            assertThat(holder.line()).startsWith("ok ");
        }
        TestClient slow = server.connectNarrow();
        String token = slow.acquire("k");
        slow.sendRaw("stats\n\n\n".repeat(200));
        server.awaitStats(stats -> !stats.isHeld("k"));
        assertThat(holder.request("r", "k", token)).isEqualTo("error");
    }

    private static long directMemory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }
}
