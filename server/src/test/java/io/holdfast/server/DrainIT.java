package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("While the server drains")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Execution(ExecutionMode.CONCURRENT)
class DrainIT {
    private final IoTransport ioTransport;
    private TestServer server;
    private TestClient holder;
    private String token;
    private CompletableFuture<Void> drained;

    DrainIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
        start(new TestConfig());
    }

    private void start(TestConfig config) {
        server = TestServer.start(config.transport(ioTransport));
        holder = server.connect();
        token = holder.acquire("held");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void drain() {
        drained = server.drain();
    }

    private void assertDrained() throws Exception {
        server.closeClients();
        drained.get(60, TimeUnit.SECONDS);
        server.server().awaitEnd();
    }

    @Test
    void a_draining_server_refuses_new_connections() {
        drain();
        assertThatThrownBy(() -> server.connect()).isInstanceOf(UncheckedIOException.class);
        holder.assertServed();
    }

    @Test
    void every_waiting_request_gets_an_error_when_the_server_drains() throws Exception {
        holder.request("sl", "sem", "0 1");
        TestClient lock = server.connect();
        lock.send("l", "held", "60");
        TestClient semaphore = server.connect();
        semaphore.send("sl", "sem", "60 1");
        TestClient enqueued = server.connect();
        assertThat(enqueued.request("e", "held", "")).isEqualTo("queued");
        enqueued.send("w", "held", "60");
        server.awaitWaiters("held", 2);
        server.awaitWaiters("sem", 1);

        drain();

        assertThat(lock.rest()).isEqualTo("error\n");
        assertThat(semaphore.rest()).isEqualTo("error\n");
        assertThat(enqueued.rest()).isEqualTo("error\n");
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        holder.close();
        assertDrained();
    }

    @Test
    void a_wait_of_a_holder_ends_when_the_server_drains_but_its_connection_stays()
            throws Exception {
        TestClient both = server.connect();
        String own = both.acquire("own");
        both.send("l", "held", "60");
        server.awaitWaiters("held", 1);
        both.send("ping", "", "").send("nonsense", "", "");

        drain();

        assertThat(both.line()).isEqualTo("error");
        assertThat(both.line()).isEqualTo("ok");
        assertThat(both.line()).isEqualTo("error");
        assertThat(both.request("r", "own", own)).isEqualTo("ok");
        both.assertClosed();
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        assertDrained();
    }

    @Test
    void a_draining_holder_may_renew_query_and_release_and_is_then_closed() throws Exception {
        drain();
        holder.assertServed();
        assertThat(holder.request("n", "held", token + " 30")).isEqualTo("ok 30");
        assertThat(holder.request("sn", "held", token)).isEqualTo("error");
        assertThat(holder.request("sr", "held", token)).isEqualTo("error");
        assertThat(Stats.parse(holder.request("stats", "", "")).isHeld("held")).isTrue();
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        holder.assertClosed();
        assertDrained();
    }

    @Test
    void a_draining_holder_of_several_locks_is_closed_after_the_last_release() throws Exception {
        String second = holder.acquire("second");
        String slot = TestClient.token(holder.request("sl", "sem", "0 3"));
        drain();
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        assertThat(holder.request("r", "second", second)).isEqualTo("ok");
        assertThat(holder.request("sr", "sem", slot)).isEqualTo("ok");
        holder.assertClosed();
        assertDrained();
    }

    @Test
    void requests_that_create_state_are_refused_and_close_while_draining() throws Exception {
        String[][] requests = {
            {"l", "k", "0"},
            {"l", "held", "0"},
            {"sl", "k", "0 2"},
            {"e", "k", ""},
            {"se", "k", "2"},
            {"w", "k", "0"},
            {"sw", "k", "0"},
            {"listen", "a", ""},
            {"listen", "known", ""},
            {"incr", "n", "1"},
            {"decr", "n", "0"},
            {"cset", "n", "1"},
            {"kset", "v", "x 0"},
            {"lpush", "l", "x"},
            {"rpush", "l", "x"},
        };
        TestClient[] holders = new TestClient[requests.length];
        for (int i = 0; i < requests.length; i++) {
            holders[i] = server.connect();
            holders[i].acquire("held" + i);
        }
        drain();
        for (int i = 0; i < requests.length; i++) {
            holders[i].send(requests[i][0], requests[i][1], requests[i][2]);
            assertThat(holders[i].rest()).isEqualTo("error_draining\n");
        }
        holder.close();
        assertDrained();
    }

    @Test
    void requests_that_create_nothing_are_served_to_a_holder_while_draining() throws Exception {
        for (String[] request :
                new String[][] {
                    {"incr", "n", "7"}, {"kset", "v", "value 0"}, {"kset", "w", "value 0"},
                    {"rpush", "l", "a"}, {"rpush", "l", "b"}, {"rpush", "l", "c"},
                }) {
            assertThat(holder.request(request[0], request[1], request[2])).startsWith("ok");
        }
        TestClient listener = server.connect().listen("news");
        listener.acquire("listener");
        drain();
        String[][] served = {
            {"get", "n", "", "ok 7"},
            {"kget", "v", "", "ok value"},
            {"kdel", "v", "", "ok"},
            {"kget", "v", "", "nil"},
            {"llen", "l", "", "ok 3"},
            {"lrange", "l", "0 -1", "ok [\"a\",\"b\",\"c\"]"},
            {"lpop", "l", "", "ok a"},
            {"rpop", "l", "", "ok c"},
            {"signal", "news", "last", "ok 1"},
            {"unlisten", "news", "", "ok"},
            {"incr", "n", "x", "error"},
            {"listen", "a", "", "error_draining"},
        };
        for (String[] each : served) {
            assertThat(holder.request(each[0], each[1], each[2])).as(each[0]).isEqualTo(each[3]);
        }
        assertThat(listener.line()).isEqualTo("sig news last");
        holder.assertClosed();
        listener.close();
        assertDrained();
    }

    @Test
    void a_draining_connection_that_only_listens_is_closed_at_once() throws Exception {
        TestClient listener = server.connect().listen("a").listen("*", "g");
        TestClient blocked = server.connect().listen("a");
        blocked.send("l", "held", "60");
        server.awaitWaiters("held", 1);
        drain();
        assertThat(listener.rest()).isEmpty();
        assertThat(blocked.rest()).isEqualTo("error\n");
        assertThat(Stats.parse(holder.request("stats", "", "")).entries("signal_channels"))
                .isEmpty();
        holder.close();
        assertDrained();
    }

    @Test
    void a_malformed_request_while_draining_is_an_error_and_closes_nothing() {
        drain();
        assertThat(holder.request("nonsense", "k", "")).isEqualTo("error");
        assertThat(holder.request("l", "bad key", "0")).isEqualTo("error");
        assertThat(holder.request("l", "k", "-1")).isEqualTo("error");
        assertThat(holder.request("auth", "", "x")).isEqualTo("error");
        holder.assertServed();
    }

    @Test
    void draining_closes_connections_without_holds_at_once() {
        TestClient idle = server.connect();
        idle.assertServed();
        TestClient half = server.connect();
        half.sendRaw("l\nk\n");
        TestClient enqueued = server.connect();
        assertThat(enqueued.request("e", "held", "")).isEqualTo("queued");
        TestClient released = server.connect();
        assertThat(released.request("r", "k", released.acquire("k"))).isEqualTo("ok");
        server.awaitConnections(5);

        drain();

        idle.assertClosed();
        half.assertClosed();
        enqueued.assertClosed();
        released.assertClosed();
        holder.assertServed();
    }

    @Test
    void a_draining_holder_whose_lock_another_releases_is_closed() throws Exception {
        TestClient other = server.connect();
        other.acquire("other");
        drain();
        assertThat(other.request("r", "held", token)).isEqualTo("ok");
        assertThat(holder.rest()).isEmpty();
    }

    @Test
    void a_lock_released_while_draining_is_not_granted() {
        TestClient waiting = server.connect();
        String own = waiting.acquire("own");
        waiting.send("l", "held", "60");
        server.awaitWaiters("held", 1);
        drain();
        assertThat(waiting.line()).isEqualTo("error");
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
        assertThat(Stats.parse(waiting.request("stats", "", "")).isHeld("held")).isFalse();
        assertThat(waiting.request("r", "own", own)).isEqualTo("ok");
    }

    @Test
    void draining_ends_at_once_without_connections() throws Exception {
        holder.close();
        server.awaitConnections(0);
        drained = CompletableFuture.runAsync(server.server()::drain);
        assertDrained();
    }

    @Test
    void draining_ends_at_once_when_the_last_holder_disconnects() throws Exception {
        drain();
        holder.reset();
        assertDrained();
    }

    @Test
    void draining_closes_a_connection_that_is_not_authenticated_yet() {
        server.close();
        server = TestServer.start(new TestConfig().transport(ioTransport).secret("open"));
        TestClient locked = server.connect();
        locked.sendRaw("auth\n");
        holder = server.connect();
        assertThat(holder.request("auth", "", "open")).isEqualTo("ok");
        token = holder.acquire("held");
        drain();
        locked.assertClosed();
        assertThat(holder.request("r", "held", token)).isEqualTo("ok");
    }
}
