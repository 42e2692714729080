package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.function.Consumer;

@DisplayName("The end of a connection's subscriptions")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class ListenerEndIT {
    private final IoTransport ioTransport;
    private TestServer server;

    ListenerEndIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
        server = TestServer.start(new TestConfig().transport(ioTransport));
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Ends one of two listeners, and checks that only the other one is left. */
    private void assertEndedBy(Consumer<TestClient> end) {
        TestClient staying = server.connect().listen("a").listen("a.>", "g");
        TestClient listener =
                server.connect().listen("a").listen("a", "g").listen("*").listen("a.>", "g");
        assertThat(server.stats().listeners("a.>")).isEqualTo(2);

        end.accept(listener);

        server.awaitStats(
                stats ->
                        stats.listeners("a") == 1
                                && stats.listeners("*") == 0
                                && stats.listeners("a.>") == 1);
        TestClient emitter = server.connect();
        assertThat(emitter.request("signal", "a", "x")).isEqualTo("ok 1");
        assertThat(staying.line()).isEqualTo("sig a x");
        for (int i = 0; i < 2; i++) { // the group's turn never falls on the ended one
            assertThat(emitter.request("signal", "a.b", "y")).isEqualTo("ok 1");
            assertThat(staying.line()).isEqualTo("sig a.b y");
        }
        staying.assertServed();
    }

    @Test
    void the_subscriptions_of_a_closed_connection_end() {
        assertEndedBy(TestClient::close);
    }

    @Test
    void the_subscriptions_of_a_reset_connection_end() {
        assertEndedBy(TestClient::reset);
    }

    @Test
    void the_subscriptions_of_a_half_closed_connection_end() {
        assertEndedBy(listener -> assertThat(listener.halfClose().rest()).isEmpty());
    }

    @Test
    void subscriptions_end_with_an_overlong_line() {
        assertEndedBy(
                listener -> {
                    listener.sendIfOpen("x".repeat(300) + "\n");
                    assertThat(listener.rest()).isEqualTo("error\n");
                });
    }

    @Test
    void the_subscriptions_of_a_waiter_that_disconnects_end() {
        server.connect().acquire("k");
        assertEndedBy(
                listener -> {
                    listener.send("l", "k", "60");
                    server.awaitWaiters("k", 1);
                    listener.reset();
                });
    }

    @Test
    void the_subscriptions_end_when_a_client_disconnects_during_a_long_response() {
        TestClient holder = server.connect();
        String push = "rpush\nlist\n" + "x".repeat(250) + "\n";
        Thread.startVirtualThread(() -> holder.sendRaw(push.repeat(4000)));
        for (int i = 1; i <= 4000; i++) {
            assertThat(holder.line()).isEqualTo("ok " + i);
        }
        assertEndedBy(
                listener -> {
                    listener.sendRaw("lrange\nlist\n0 -1\n".repeat(20));
                    assertThat(listener.rest(9)).isEqualTo("ok [\"xxxx");
                    listener.reset();
                });
    }

    @Test
    void subscriptions_end_with_the_read_timeout() {
        server.close();
        server =
                TestServer.start(
                        new TestConfig()
                                .transport(ioTransport)
                                .readTimeout(Duration.ofMillis(900)));
        TestClient listener = server.connect().listen("a").listen("*", "g");
        assertThat(listener.rest()).isEqualTo("error\n");
        server.awaitStats(stats -> stats.entries("signal_channels").isEmpty());
    }

    /** Too many to be ended on the event loop. */
    @Test
    void very_many_subscriptions_of_a_closed_connection_end() {
        TestClient listener = server.connect();
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            requests.append("listen\nchannel.").append(i).append("\n\n");
            requests.append("listen\n*.").append(i).append(".>\ngroup\n");
        }
        Thread.startVirtualThread(() -> listener.sendRaw(requests.toString()));
        for (int i = 0; i < 10_000; i++) {
            assertThat(listener.line()).isEqualTo("ok");
        }
        assertThat(server.stats().entries("signal_channels")).hasSize(10_000);
        assertEndedBy(
                other -> {
                    listener.reset();
                    other.close();
                });
        server.awaitStats(stats -> stats.entries("signal_channels").size() == 2);
        assertThat(server.connect().request("signal", "channel.77", "x")).isEqualTo("ok 0");
    }
}
