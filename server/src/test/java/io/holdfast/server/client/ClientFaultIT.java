package io.holdfast.server.client;

import static io.holdfast.server.TestServer.soon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.ConnectionEvent;
import io.holdfast.client.ConnectionEvent.State;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.client.LossReason;
import io.holdfast.client.OutcomeUnknownException;
import io.holdfast.client.Signals;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** The guarantees of the client behind a faulty network. */
@DisplayName("The Java client behind a faulty network")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ClientFaultIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final List<State> events = new CopyOnWriteArrayList<>();
    private TestServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = TestServer.start();
        proxy = new FaultProxy(server.address());
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private HoldfastBuilder builder() {
        return Holdfast.builder()
                .address(proxy.address())
                .grace(LONG)
                .readTimeout(LONG)
                .onConnection((ConnectionEvent event) -> events.add(event.state()));
    }

    private void await(State state) {
        soon().until(() -> events.contains(state));
    }

    private void assertHeld(String key) {
        try (TestClient rival = server.connect()) {
            assertThat(rival.request("l", key, "0")).isEqualTo("timeout");
        }
    }

    private void awaitFree(String key) {
        try (TestClient rival = server.connect()) {
            assertThat(rival.request("l", key, "20")).startsWith("ok ");
        }
    }

    // ---- holds

    @Test
    void a_client_keeps_its_hold_over_a_disconnect_within_the_grace() throws Exception {
        try (Holdfast client = builder().connect()) {
            Hold hold = client.lock("kept").acquire(TIMEOUT);
            var fence = hold.fence();
            proxy.cut();
            await(State.RESTORED);
            assertThat(hold.isHeld()).isTrue();
            assertThat(hold.fence()).isEqualTo(fence).isPresent();
            assertHeld("kept");
            hold.renew();
            hold.close();
            awaitFree("kept");
            assertThat(hold.lossReason()).isEmpty();
            assertThat(events).containsExactly(State.CONNECTED, State.SUSPENDED, State.RESTORED);
        }
    }

    @Test
    void a_client_keeps_its_hold_over_many_resets() throws Exception {
        try (Holdfast client = builder().connect();
                Hold hold = client.lock("often").acquire(TIMEOUT)) {
            for (int times = 1; times <= 5; times++) {
                int restored = times;
                proxy.reset();
                soon().until(
                                () ->
                                        events.stream()
                                                        .filter(state -> state == State.RESTORED)
                                                        .count()
                                                == restored);
                hold.renew();
            }
            assertThat(events).doesNotContain(State.LOST);
            assertHeld("often");
        }
    }

    @Test
    void a_client_reports_a_lost_hold_when_the_grace_is_over() throws Exception {
        var reasons = new CopyOnWriteArrayList<LossReason>();
        try (Holdfast client = builder().grace(Duration.ofMillis(300)).connect()) {
            Hold lost = client.lock("lost").onLost(reasons::add).acquire(TIMEOUT);
            proxy.refuse();
            proxy.cut();
            await(State.LOST);
            soon().until(() -> !reasons.isEmpty());
            assertThat(lost.isHeld()).isFalse();
            assertThat(lost.lossReason()).contains(LossReason.CONNECTION_LOST);
            awaitFree("lost");
            proxy.heal();
            await(State.RECONNECTED);
            try (Hold again = client.lock("lost").acquire(TIMEOUT)) {
                assertThat(again.fence().orElseThrow()).isGreaterThan(lost.fence().orElseThrow());
            }
            lost.close();
            assertThat(reasons).containsExactly(LossReason.CONNECTION_LOST);
            assertThat(events)
                    .containsExactly(
                            State.CONNECTED, State.SUSPENDED, State.LOST, State.RECONNECTED);
        }
    }

    @Test
    void a_client_without_a_connection_loses_its_hold_when_the_lease_ends() throws Exception {
        try (Holdfast client = builder().connect()) {
            Hold hold = client.lock("lease").lease(Duration.ofSeconds(1)).acquire(TIMEOUT);
            proxy.refuse();
            proxy.cut();
            soon().until(() -> hold.lossReason().isPresent());
            assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
            assertThat(hold.isHeld()).isFalse();
            assertThat(events).doesNotContain(State.LOST);
            awaitFree("lease");
        }
    }

    @Test
    void a_client_of_a_plain_server_loses_its_hold_on_disconnect() throws Exception {
        var reasons = new CopyOnWriteArrayList<LossReason>();
        try (Holdfast client = builder().plain().connect()) {
            Hold hold = client.lock("plain").onLost(reasons::add).acquire(TIMEOUT);
            assertThat(hold.fence()).isEmpty();
            proxy.cut();
            soon().until(() -> !reasons.isEmpty());
            assertThat(hold.isHeld()).isFalse();
            assertThat(reasons).containsExactly(LossReason.CONNECTION_LOST);
            awaitFree("plain");
            client.lock("plain").acquire(TIMEOUT).close();
        }
    }

    @Test
    void a_client_counts_a_lease_from_before_its_request() throws Exception {
        try (Holdfast client = builder().connect()) {
            client.counter("warm").get();
            proxy.delay(FaultProxy.Direction.TO_SERVER, Duration.ofMillis(100));
            proxy.delay(FaultProxy.Direction.TO_CLIENT, Duration.ofMillis(100));
            try (Hold hold =
                    client.lock("slow")
                            .renew(false)
                            .lease(Duration.ofSeconds(20))
                            .acquire(TIMEOUT)) {
                assertThat(hold.isHeld()).isTrue();
                assertThat(hold.heldForAtLeast(Duration.ofMillis(19_850))).isFalse();
            }
        }
    }

    // ---- dead connections

    @ParameterizedTest
    @EnumSource
    void a_client_detects_a_half_open_connection_by_its_pings(FaultProxy.Direction direction)
            throws Exception {
        try (Holdfast client = builder().readTimeout(Duration.ofMillis(600)).connect();
                Hold hold = client.lock("half").acquire(TIMEOUT)) {
            proxy.stall(direction);
            await(State.RESTORED);
            assertThat(hold.isHeld()).isTrue();
            hold.renew();
            assertHeld("half");
        }
        awaitFree("half");
    }

    @Test
    void a_client_detects_a_close_that_only_the_server_noticed() throws Exception {
        try (Holdfast client = builder().readTimeout(Duration.ofMillis(600)).connect();
                Hold hold = client.lock("orphan").acquire(TIMEOUT)) {
            proxy.orphan();
            await(State.RESTORED);
            assertThat(hold.isHeld()).isTrue();
            hold.renew();
            assertHeld("orphan");
        }
        awaitFree("orphan");
    }

    @Test
    void a_client_releases_through_a_dead_network_without_waiting_for_it() throws Exception {
        try (Holdfast client = builder().grace(Duration.ofMillis(500)).connect()) {
            Hold hold = client.lock("dead").acquire(TIMEOUT);
            proxy.refuse();
            proxy.stall(FaultProxy.Direction.TO_SERVER);
            proxy.stall(FaultProxy.Direction.TO_CLIENT);
            hold.close(); // the test's timeout is shorter than a wait for the response
            assertThat(hold.isHeld()).isFalse();
            assertHeld("dead");
            proxy.reset();
            awaitFree("dead");
        }
    }

    @Test
    void a_client_closes_on_a_dead_network_without_waiting_for_it() throws Exception {
        Holdfast client = builder().grace(Duration.ofMillis(500)).connect();
        Hold hold = client.lock("closing").acquire(TIMEOUT);
        proxy.refuse();
        proxy.stall(FaultProxy.Direction.TO_SERVER);
        proxy.stall(FaultProxy.Direction.TO_CLIENT);
        client.close();
        assertThat(hold.isHeld()).isFalse();
        proxy.reset();
        awaitFree("closing");
    }

    @ParameterizedTest
    @EnumSource
    void a_lost_request_has_an_unknown_outcome(FaultProxy.Direction direction) {
        try (Holdfast client = builder().readTimeout(Duration.ofMillis(600)).connect()) {
            assertThat(client.counter("swallowed").increment()).isEqualTo(1);
            proxy.drop(direction);
            assertThatThrownBy(() -> client.counter("swallowed").increment())
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            failure -> assertThat(failure.isRetrySafe()).isFalse());
            proxy.heal();
            await(State.RESTORED);
            assertThat(client.counter("swallowed").get())
                    .isEqualTo(direction == FaultProxy.Direction.TO_SERVER ? 1 : 2);
        }
    }

    // ---- waits

    @Test
    void a_client_keeps_its_queue_position_over_a_disconnect() throws Exception {
        try (Holdfast client = builder().connect()) {
            TestClient first = server.connect();
            String token = first.acquire("line");
            CompletableFuture<Hold> second = client.lock("line").acquireAsync(LONG);
            server.awaitWaiters("line", 1);
            TestClient third = server.connect().send("l", "line", "30");
            server.awaitWaiters("line", 2);
            proxy.cut();
            await(State.RESTORED);
            assertThat(first.request("r", "line", token)).isEqualTo("ok");
            try (Hold hold = second.get()) {
                assertThat(hold.isHeld()).isTrue();
                assertThat(third.available()).isZero();
            }
            assertThat(third.line()).startsWith("ok ");
        }
    }

    @Test
    void a_client_finds_a_grant_made_while_it_had_no_connection() throws Exception {
        try (Holdfast client = builder().connect()) {
            TestClient first = server.connect();
            String token = first.acquire("away");
            CompletableFuture<Hold> second = client.lock("away").acquireAsync(LONG);
            server.awaitWaiters("away", 1);
            proxy.refuse();
            proxy.cut();
            await(State.SUSPENDED);
            assertThat(first.request("r", "away", token)).isEqualTo("ok");
            assertHeld("away");
            proxy.heal();
            try (Hold hold = second.get()) {
                assertThat(hold.isHeld()).isTrue();
                hold.renew();
            }
            awaitFree("away");
        }
    }

    @Test
    void a_client_enqueues_again_when_its_session_is_lost() throws Exception {
        try (Holdfast client = builder().grace(Duration.ofMillis(200)).connect()) {
            TestClient first = server.connect();
            String token = first.acquire("again");
            CompletableFuture<Hold> second = client.lock("again").acquireAsync(LONG);
            server.awaitWaiters("again", 1);
            proxy.refuse();
            proxy.cut();
            await(State.LOST);
            server.awaitWaiters("again", 0);
            proxy.heal();
            server.awaitWaiters("again", 1);
            assertThat(first.request("r", "again", token)).isEqualTo("ok");
            try (Hold hold = second.get()) {
                assertThat(hold.isHeld()).isTrue();
            }
        }
    }

    @Test
    void a_client_releases_a_grant_that_arrives_after_its_caller_has_timed_out() throws Exception {
        try (Holdfast client = builder().connect()) {
            TestClient first = server.connect();
            String token = first.acquire("late");
            CompletableFuture<Hold> second = client.lock("late").acquireAsync(LONG);
            server.awaitWaiters("late", 1);
            proxy.stall(FaultProxy.Direction.TO_CLIENT);
            assertThat(first.request("r", "late", token)).isEqualTo("ok");
            assertHeld("late");
            second.cancel(true);
            assertThat(second).isCancelled();
            proxy.heal();
            awaitFree("late");
        }
    }

    // ---- signals

    @Test
    void a_client_subscribes_again_after_a_disconnect_and_reports_the_gap() {
        var received = new CopyOnWriteArrayList<Signals.Signal>();
        try (Holdfast client = builder().connect();
                Holdfast other = Holdfast.connect("127.0.0.1:" + server.address().getPort());
                Signals.Subscription _ = client.signals().listen("news.*", received::add)) {
            assertThat(other.signals().send("news.one", "before")).isEqualTo(1);
            soon().until(() -> received.size() == 1);
            proxy.cut();
            soon().until(() -> received.contains(new Signals.Gap()));
            assertThat(other.signals().send("news.two", "after")).isEqualTo(1);
            soon().until(() -> received.size() == 3);
            assertThat(received)
                    .containsExactly(
                            new Signals.Message("news.one", "before"),
                            new Signals.Gap(),
                            new Signals.Message("news.two", "after"));
        }
    }
}
