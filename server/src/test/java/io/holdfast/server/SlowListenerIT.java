package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The kernel buffers some megabytes for a client that does not read; the server has to buffer the
 * rest.
 */
@DisplayName("A listener that does not read")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SlowListenerIT {
    private static final String LARGE = "x".repeat(60_000);

    private final IoTransport ioTransport;
    private TestServer server;

    SlowListenerIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
        start(new TestConfig());
    }

    private void start(TestConfig config) {
        server = TestServer.start(config.transport(ioTransport).writeTimeout(Duration.ofHours(1)));
    }

    private void restart(TestConfig config) {
        server.close();
        start(config);
    }

    @AfterEach
    void close() {
        server.closeClients();
        TestServer.soon().until(() -> server.pushedBytes() == 0);
        server.close();
    }

    /** Emits until fewer listeners receive a signal; returns the number of signals. */
    private static int emitUntil(int receivers, TestClient emitter, String channel) {
        for (int i = 1; i < 1000; i++) {
            String response = emitter.request("signal", channel, LARGE);
            if (response.equals("ok " + receivers)) {
                return i;
            }
            assertThat(response).isEqualTo("ok " + (receivers + 1));
        }
        throw new AssertionError("no listener was disconnected");
    }

    @Test
    void a_listener_that_does_not_read_is_closed_and_not_counted() {
        TestClient slow = server.connectNarrow().listen("a").listen("b.*").listen("c", "g");
        slow.acquire("k");
        TestClient next = server.connect();
        next.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        TestClient emitter = server.connect();

        int signals = emitUntil(0, emitter, "a");

        assertThat(signals).isGreaterThan(64);
        assertThat(next.line()).startsWith("ok ");
        server.awaitStats(stats -> stats.entries("signal_channels").isEmpty());
        server.awaitConnections(2);
        assertThat(slow.skipToEnd()).isLessThan(signals * 60_010L);
        assertThat(emitter.request("signal", "b.x", "x")).isEqualTo("ok 0");
        assertThat(emitter.request("signal", "c", "x")).isEqualTo("ok 0");
    }

    @Test
    void a_slow_listener_costs_no_other_listener_a_signal() {
        List<TestClient> others = new ArrayList<>();
        others.add(server.connect().listen("a"));
        others.add(server.connect().listen("*"));
        TestClient slow = server.connectNarrow().listen("a");
        others.add(server.connect().listen("a", "g"));
        TestClient emitter = server.connect();
        boolean cut = false;
        for (int i = 0; !cut || i % 10 != 0; i++) {
            assertThat(i).isLessThan(1000);
            String response = emitter.request("signal", "a", i + LARGE);
            assertThat(response).isEqualTo(cut || response.equals("ok 3") ? "ok 3" : "ok 4");
            cut |= response.equals("ok 3");
            for (TestClient other : others) {
                assertThat(other.line().equals("sig a " + i + LARGE)).as("number " + i).isTrue();
            }
        }
        slow.skipToEnd();
        server.awaitListeners("a", 2);
        others.forEach(TestClient::assertServed);
    }

    @Test
    void a_slow_listener_delays_no_emitter() throws Exception {
        server.connectNarrow().listen("a");
        TestClient slow = server.connectNarrow().listen(">");
        List<CompletableFuture<Void>> emitting = new ArrayList<>();
        List<TestClient> emitters = new ArrayList<>();
        int count = 700;
        String requests = ("signal\na\n" + "y".repeat(8000) + "\n").repeat(count);
        for (int i = 0; i < 2; i++) {
            TestClient emitter = server.connect();
            emitters.add(emitter);
            emitting.add(
                    CompletableFuture.runAsync(
                            () -> emitter.sendRaw(requests), Thread.ofVirtual()::start));
        }
        for (TestClient emitter : emitters) {
            for (int i = 0; i < count; i++) {
                assertThat(emitter.line()).isIn("ok 0", "ok 1", "ok 2");
            }
        }
        for (CompletableFuture<Void> sent : emitting) {
            sent.get(60, TimeUnit.SECONDS);
        }
        for (TestClient emitter : emitters) {
            assertThat(emitter.request("signal", "a", "x")).isEqualTo("ok 0");
            emitter.assertServed();
        }
        slow.skipToEnd();
        server.awaitStats(stats -> stats.entries("signal_channels").isEmpty());
    }

    @Test
    void a_slow_group_member_is_skipped_and_disconnected_when_it_is_the_only_one() {
        restart(new TestConfig().maxPushBytes(1));
        TestClient slow = server.connectNarrow().listen("a", "g");
        TestClient healthy = server.connect().listen("a", "g");
        TestClient emitter = server.connect();
        List<Integer> received = new ArrayList<>();
        for (int sent = 0; !endsWithRow(received); sent++) {
            assertThat(sent).isLessThan(1000);
            assertThat(emitter.request("signal", "a", sent + " " + LARGE)).isEqualTo("ok 1");
            healthy.send("ping", "", "");
            for (String line = healthy.line(); !line.equals("ok"); line = healthy.line()) {
                received.add(Integer.parseInt(line.split(" ", 4)[2]));
            }
        }
        int turns = 0;
        while (received.get(turns) == 2 * turns + 1) {
            turns++; // every other one, until the slow one is full for the first time
        }
        assertThat(turns).isGreaterThanOrEqualTo(64);
        assertThat(server.stats().listeners("a")).isEqualTo(2);
        healthy.send("unlisten", "a", "g");
        while (!healthy.line().equals("ok")) {} // the last signal may precede it
        assertThat(emitter.request("signal", "a", "x")).isEqualTo("ok 0");
        server.awaitListeners("a", 0);
        slow.skipToEnd();
        healthy.assertServed();
    }

    /** Whether the last ten numbers are consecutive: no other member receives any. */
    private static boolean endsWithRow(List<Integer> numbers) {
        int size = numbers.size();
        return size > 10 && numbers.get(size - 1) - numbers.get(size - 10) == 9;
    }

    @Test
    void a_slow_listener_may_leave_64_lines_undelivered_however_long() {
        restart(new TestConfig().maxPushBytes(1));
        TestClient late = server.connectNarrow().listen("a");
        TestClient emitter = server.connect();
        for (int i = 0; i < 64; i++) {
            assertThat(emitter.request("signal", "a", i + LARGE)).isEqualTo("ok 1");
        }
        for (int i = 0; i < 64; i++) {
            assertThat(late.line().equals("sig a " + i + LARGE)).as("number " + i).isTrue();
        }
        late.assertServed();
        assertThat(emitter.request("signal", "a", "x")).isEqualTo("ok 1");
        assertThat(late.line()).isEqualTo("sig a x");
    }

    @Test
    void a_slow_listener_gets_every_signal_when_it_reads_again_in_time() {
        restart(new TestConfig().maxPushBytes(32 << 20));
        TestClient late = server.connectNarrow().listen("a");
        TestClient emitter = server.connect();
        String filler = "z".repeat(1500);
        int count = 6000; // more than the kernel buffers
        for (int i = 0; i < count; i++) {
            emitter.send("signal", "a", i + filler);
        }
        for (int i = 0; i < count; i++) {
            assertThat(emitter.line()).isEqualTo("ok 1");
        }
        for (int i = 0; i < count; i++) {
            assertThat(late.line().equals("sig a " + i + filler)).as("number " + i).isTrue();
        }
        late.assertServed();
        assertThat(emitter.request("signal", "a", "next")).isEqualTo("ok 1");
        assertThat(late.line()).isEqualTo("sig a next");
    }

    @Test
    void a_slow_listener_is_disconnected_while_it_waits_for_a_lock() {
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient slow = server.connectNarrow().listen("a");
        slow.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        emitUntil(0, server.connect(), "a");
        server.awaitWaiters("k", 0);
        slow.skipToEnd();
    }

    @Test
    void a_slow_listener_below_its_limit_is_closed_at_the_write_timeout() {
        startWithWriteTimeout();
        TestClient slow = server.connectNarrow().listen("a");
        assertEndsWithWriteTimeout(slow);
    }

    @Test
    void a_slow_listener_is_closed_at_the_write_timeout_during_a_long_response() {
        startWithWriteTimeout();
        TestClient client = server.connect();
        int items = 20_000;
        String push = "rpush\nlist\n" + "i".repeat(250) + "\n";
        Thread.startVirtualThread(() -> client.sendRaw(push.repeat(items)));
        for (int i = 1; i <= items; i++) {
            assertThat(client.line()).isEqualTo("ok " + i);
        }
        TestClient slow = server.connectNarrow().listen("a");
        slow.send("lrange", "list", "0 -1");
        assertThat(slow.rest(10)).isEqualTo("ok [\"iiiii");
        assertEndsWithWriteTimeout(slow);
    }

    private void startWithWriteTimeout() {
        server.close();
        server =
                TestServer.start(
                        new TestConfig()
                                .transport(ioTransport)
                                .maxPushBytes(1 << 30)
                                .writeTimeout(Duration.ofMillis(700)));
    }

    private void assertEndsWithWriteTimeout(TestClient slow) {
        TestClient emitter = server.connect();
        for (int i = 0; i < 150; i++) { // more than the kernel buffers
            assertThat(emitter.request("signal", "a", LARGE)).isIn("ok 0", "ok 1");
        }
        server.awaitListeners("a", 0);
        assertThat(emitter.request("signal", "a", LARGE)).isEqualTo("ok 0");
        slow.skipToEnd();
        TestServer.soon().until(() -> server.pushedBytes() == 0);
    }

    /** Lines are shared: lines that a hundred listeners do not read are in memory once. */
    @Test
    void several_slow_listeners_are_disconnected() {
        List<TestClient> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            slow.add(server.connectNarrow().listen("a"));
        }
        TestClient healthy = server.connect().listen("a");
        TestClient emitter = server.connect();
        String response = "";
        for (int i = 0; !response.equals("ok 1"); i++) {
            assertThat(i).isLessThan(1000);
            assertThat(server.pushedBytes()).isLessThan(10_000_000);
            response = emitter.request("signal", "a", LARGE);
            assertThat(healthy.line()).hasSize(60_006);
        }
        server.awaitListeners("a", 1);
        server.awaitConnections(2);
        TestServer.soon().until(() -> server.pushedBytes() == 0);
        healthy.assertServed();
        slow.forEach(TestClient::skipToEnd);
    }
}
