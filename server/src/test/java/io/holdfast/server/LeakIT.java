package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.LineOutput;
import io.holdfast.server.dflockd.DflockdHandler;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Ended connections")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class LeakIT {
    private final TestServer server;
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final List<String> leaks = new CopyOnWriteArrayList<>();

    LeakIT(IoTransport ioTransport) {
        server =
                TestServer.start(
                        new TestConfig()
                                .transport(ioTransport)
                                .idle(Duration.ZERO)
                                .collectEvery(Duration.ofMillis(50))
                                .readTimeout(Duration.ofHours(1))
                                .writeTimeout(Duration.ofHours(1)));
    }

    @AfterEach
    void close() {
        server.close();
        ResourceLeakDetector.setLevel(level);
        ByteBufUtil.setLeakListener(null);
    }

    @BeforeEach
    void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> leaks.add(type + " " + records));
    }

    @Test
    void ended_connections_leave_neither_objects_nor_buffers_nor_keys() {
        TestClient holder = server.connect();
        String token = holder.acquire("held");
        for (int i = 0; i < 60; i++) {
            String own = "own" + i;
            server.connect().close();
            server.connect().reset();
            server.connect().send("l", own, "0").close();
            server.connect().send("l", own + "b", "0").send("l", "held", "60").close();
            server.connect().send("e", "held", "").send("w", "held", "60").reset();
            server.connect().sendRaw("l\nk").close();
            server.connect().sendRaw("x".repeat(300) + "\nping\n\n\n").close();
            server.connect().sendRaw("POST / HTTP/1.1\r\n\r\n").close();
            server.connect().sendRaw("l\nheld\n60\n" + "x".repeat(5000)).halfClose();
            server.connect().sendRaw("stats\n\n\n".repeat(20)).reset();
            server.connect().sendRaw("ping\n\n\n".repeat(3000)).reset();
            server.connect().sendRaw("ping\n\n\n".repeat(50)).halfClose();
        }
        server.awaitConnections(1);
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        Stats after =
                server.awaitStats(
                        stats ->
                                stats.keys("locks").isEmpty()
                                        && stats.keys("idle_locks").isEmpty());
        assertThat(after.keys("semaphores")).isEmpty();
        holder.close();
        assertNothingLeft();
    }

    @Test
    void ended_connections_leave_no_pushed_line() {
        TestClient emitter = server.connect();
        TestClient healthy = server.connect().listen("all");
        String large = "x".repeat(60_000);
        for (int i = 0; i < 5; i++) {
            List<TestClient> listeners = new ArrayList<>();
            for (int j = 0; j < 6; j++) {
                listeners.add(server.connectNarrow().listen("all").listen("some"));
            }
            listeners.get(0).sendRaw("stats\n\n\n".repeat(500));
            // Some lines are in the kernel then, some in Netty, some in the queue.
            for (int j = 0; j < 60; j++) {
                emitter.send("signal", "some", large);
            }
            for (int j = 0; j < 60; j++) {
                assertThat(emitter.line()).isEqualTo("ok 6");
            }
            listeners.get(1).close();
            listeners.get(2).reset();
            listeners.get(3).halfClose();
            listeners.get(4).sendIfOpen("x".repeat(300) + "\n");
            Thread leaving = Thread.startVirtualThread(listeners.get(5)::reset);
            String response = "";
            while (!response.equals("ok 1")) { // the others are disconnected in time
                response = emitter.request("signal", "all", large);
                assertThat(healthy.line()).hasSize(60_008);
            }
            TestServer.soon().until(() -> !leaving.isAlive());
            listeners.forEach(TestClient::close);
        }
        server.awaitConnections(2);
        TestServer.soon().until(() -> server.pushedBytes() == 0);
        emitter.close();
        healthy.close();
        assertNothingLeft();
    }

    private void assertNothingLeft() {
        String dflockd = DflockdHandler.class.getPackageName();
        for (String type :
                List.of(
                        DflockdHandler.class.getName(),
                        Connection.class.getName(),
                        LineOutput.class.getName(),
                        dflockd + ".PushQueue",
                        dflockd + ".PushLine",
                        dflockd + ".StatsStream")) {
            TestServer.soon()
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> LiveObjects.of(type) == 0);
        }
        ByteBufAllocator.DEFAULT.buffer().release(); // reports leaked buffers
        assertThat(leaks).isEmpty();
    }
}
