package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.lagging.LaggingDriver;
import io.holdfast.engine.Namespace;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@DisplayName("A connection whose requests are applied later")
class LaggingDriverIT {
    private static final Pattern WELCOME =
            Pattern.compile("ok 1 session=(\\d+) secret=([0-9a-f]{32}) .*");

    private final TestServer server =
            TestServer.start(
                    new TestConfig()
                            .listeners(
                                    DflockdProtocol.endpoint("127.0.0.1", 0, false),
                                    new ListenEndpoint(
                                            LockdProtocol.TCP,
                                            new ListenAddress.Tcp("127.0.0.1", 0),
                                            new LockdOptions(Namespace.DEFAULT, true, true))),
                    LaggingDriver.source(1, Duration.ZERO));
    private final LaggingDriver driver = (LaggingDriver) server.backend().driver();

    @AfterEach
    void close() {
        driver.thaw();
        server.close();
    }

    private static String request(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }

    /** Stops applying, and waits until this number of commands has been submitted since. */
    private void freezeUntilSubmitted(int submitted, Runnable doing) {
        driver.freeze();
        doing.run();
        TestServer.soon().until(() -> driver.submitted() >= submitted);
    }

    @Test
    void many_pipelined_requests_are_answered_when_they_are_applied_later() {
        TestClient client = server.connect();
        freezeUntilSubmitted(1, () -> client.sendRaw(request("incr", "n", "1").repeat(3000)));
        driver.thaw();
        for (int i = 1; i <= 3000; i++) {
            assertThat(client.line()).isEqualTo("ok " + i);
        }
    }

    @Test
    void responses_follow_after_the_end_of_input() {
        TestClient client = server.connect();
        freezeUntilSubmitted(
                1,
                () ->
                        client.sendRaw(
                                        request("incr", "n", "1")
                                                + request("incr", "n", "1")
                                                + request("kget", "n", ""))
                                .halfClose());
        driver.thaw();
        assertThat(client.rest()).isEqualTo("ok 1\nok 2\nnil\n");
    }

    @Test
    void a_request_is_not_queued_after_the_end_of_input() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient client = server.connect();
        freezeUntilSubmitted(1, () -> client.send("l", "k", "60").halfClose());
        driver.thaw();
        assertThat(client.rest()).isEmpty();
        server.awaitWaiters("k", 0);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.connect().request("l", "k", "20")).startsWith("ok ");
    }

    @Test
    void a_connection_that_ends_before_its_response_leaves_no_lock() {
        TestClient client = server.connect();
        freezeUntilSubmitted(1, () -> client.send("l", "k", "0"));
        client.close();
        driver.thaw();
        assertThat(server.connect().request("l", "k", "20")).startsWith("ok ");
    }

    @Test
    void too_much_input_behind_a_request_that_waits_closes_the_connection() {
        server.connect().acquire("k");
        TestClient client = server.connect();
        freezeUntilSubmitted(
                1,
                () ->
                        client.sendRaw(
                                request("l", "k", "60") + request("ping", "", "").repeat(999)));
        driver.thaw();
        client.assertClosed();
        server.awaitWaiters("k", 0);
    }

    // ---- draining

    @Test
    void a_grant_that_arrives_while_the_server_drains_is_kept() throws Exception {
        TestClient client = server.connect();
        freezeUntilSubmitted(1, () -> client.send("l", "k", "60"));
        CompletableFuture<Void> drained = server.drain();
        driver.thaw();
        String token = TestClient.token(client.line());
        assertThat(client.request("r", "k", token)).isEqualTo("ok");
        client.assertClosed();
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_request_that_turns_out_to_wait_while_the_server_drains_is_refused() throws Exception {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient client = server.connect();
        freezeUntilSubmitted(1, () -> client.send("l", "k", "60"));
        CompletableFuture<Void> drained = server.drain();
        driver.thaw();
        assertThat(client.rest()).isEqualTo("error\n");
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        drained.get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_wait_cancelled_by_draining_gets_one_response() throws Exception {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient client = server.connect();
        client.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        driver.freeze();
        CompletableFuture<Void> drained = server.drain();
        TestServer.soon().until(() -> driver.submitted() >= 1); // the cancellation
        driver.thaw();
        assertThat(client.rest()).isEqualTo("error\n");
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        drained.get(60, TimeUnit.SECONDS);
    }

    // ---- tagged mode

    private TestClient tagged() {
        TestClient client = server.connect().sendRaw(request("hello", "_", "1 grace=30"));
        assertThat(client.line()).matches(WELCOME);
        return client;
    }

    @Test
    void responses_follow_after_the_end_of_input_in_tagged_mode() {
        TestClient client = tagged();
        freezeUntilSubmitted(
                2,
                () ->
                        client.sendRaw(request("1 incr", "n", "1") + request("2 incr", "n", "1"))
                                .halfClose());
        driver.thaw();
        assertThat(client.rest()).isEqualTo("1 ok 1\n2 ok 2\n");
    }

    @Test
    void mine_reports_the_state_after_all_earlier_requests() {
        server.connect().acquire("k");
        TestClient client = tagged();
        freezeUntilSubmitted(
                1, () -> client.sendRaw(request("1 l", "k", "60") + request("2 mine", "_", "0")));
        driver.thaw();
        assertThat(client.line()).isEqualTo("2 ok 1:w");
    }

    @Test
    void a_request_in_flight_can_be_cancelled() {
        server.connect().acquire("k");
        TestClient client = tagged();
        freezeUntilSubmitted(
                1, () -> client.sendRaw(request("1 l", "k", "60") + request("2 cancel", "_", "1")));
        driver.thaw();
        assertThat(client.line()).isEqualTo("1 cancelled");
        assertThat(client.line()).isEqualTo("2 ok");
    }

    @Test
    void any_number_of_requests_can_be_pipelined_in_tagged_mode() {
        TestClient client = tagged();
        StringBuilder all = new StringBuilder();
        for (int i = 1; i <= 2000; i++) {
            all.append(request(i + " incr", "n", "1"));
        }
        // Hello closes the first session of the connection, which is a command too.
        TestServer.soon().until(() -> driver.submitted() == 0);
        freezeUntilSubmitted(256, () -> client.sendRaw(all.toString()));
        assertThat(driver.submitted()).isLessThanOrEqualTo(256);
        driver.thaw();
        for (int i = 1; i <= 2000; i++) {
            assertThat(client.line()).isEqualTo(i + " ok " + i);
        }
    }

    @Test
    void a_session_is_resumed_after_all_earlier_requests_are_applied() {
        TestClient client = server.connect().sendRaw(request("hello", "_", "1 grace=30"));
        Matcher welcome = WELCOME.matcher(client.line());
        assertThat(welcome.matches()).isTrue();
        freezeUntilSubmitted(1, () -> client.sendRaw(request("1 l", "k", "0")));
        TestClient next =
                server.connect()
                        .sendRaw(
                                request(
                                        "hello",
                                        "_",
                                        "1 grace=30 resume=%s:%s"
                                                .formatted(welcome.group(1), welcome.group(2))));
        client.assertClosed(); // it was replaced, and its requests are still in flight
        driver.thaw();
        assertThat(next.line()).startsWith("ok 1 session=" + welcome.group(1));
        next.sendRaw(request("2 mine", "_", "0"));
        assertThat(next.line()).startsWith("2 ok 1:h:");
    }

    // ---- no majority

    @Test
    void a_request_that_is_not_committed_in_time_gets_an_error() {
        TestClient client = server.connect();
        driver.losesItsMajority();
        assertThat(client.request("l", "k", "0")).isEqualTo("error");
        assertThat(client.request("incr", "n", "1")).isEqualTo("error");
        client.assertServed();
        TestClient tagged = tagged();
        assertThat(tagged.request("1 l", "k", "0")).isEqualTo("1 error");
    }

    @Test
    void a_lockd_connection_gets_no_guess_when_a_request_is_not_committed() {
        TestClient client = TestClient.connect(server.server().addresses().getLast());
        driver.losesItsMajority();
        client.sendRaw("g k\nsg k\nr k\n");
        assertThat(client.line()).isEqualTo("0 Lock Get Failure: k\r");
        assertThat(client.line()).isEqualTo("0 Shared Lock Get Failure: k\r");
        assertThat(client.line()).isEqualTo("0 Lock Release Failure: k");
        client.sendRaw("i k\n");
        client.assertClosed();
        client.close();
    }
}
