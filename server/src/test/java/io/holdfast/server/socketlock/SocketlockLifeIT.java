package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.QueuePolicy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;

@DisplayName("A socketlock request")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SocketlockLifeIT {
    @TempDir private Path directory;
    private SocketlockTestServer server;
    private SocketlockTestClient client;

    @BeforeEach
    void start() {
        start(SocketlockTestServer.DEFAULT_TIMEOUTS);
    }

    private void start(SocketlockTimeouts socketlockTimeouts) {
        close();
        server = SocketlockTestServer.start(directory.resolve("s"), socketlockTimeouts);
        client = server.connect();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    /** Puts the client's lock l1 into a state. */
    private void putInto(String state) {
        switch (state) {
            case "queued" -> {
                server.connect().holds("WRITE", "other");
                client.waits("WRITE", "l1");
            }
            case "offered" -> client.offered("WRITE", "l1");
            case "held" -> client.holds("WRITE", "l1");
            case "expired" -> {
                client.sendLine("REQWRITE l1 1").expect("WRITELOCK l1").confirms("l1");
                // The next request is offered the lock when the TTL has ended.
                SocketlockTestClient next = server.connect();
                next.sendLine("REQWRITE next").expect("WRITELOCK next").sendLine("REJECT next");
                next.expect("REQFAIL offer rejected").barrier();
            }
            default -> {}
        }
    }

    /** The table of the specification; STATUS and RELEASE show the state afterwards. */
    @ParameterizedTest(name = "{1} when {0}")
    @CsvSource({
        "queued, CONFIRM, '', LOCKTIMEOUT, ''",
        "queued, REJECT, '', LOCKTIMEOUT, invalid lock id",
        "queued, RELEASE, '', LOCKTIMEOUT, invalid lock id",
        "queued, STATUS, LOCKTIMEOUT l1, LOCKTIMEOUT, ''",
        "offered, CONFIRM, '', LOCKOK, ''",
        "offered, REJECT, REQFAIL offer rejected, LOCKTIMEOUT, invalid lock id",
        "offered, RELEASE, '', LOCKTIMEOUT, invalid lock id",
        "offered, STATUS, LOCKTIMEOUT l1, LOCKTIMEOUT, ''",
        "held, CONFIRM, '', LOCKOK, ''",
        "held, REJECT, '', LOCKOK, ''",
        "held, RELEASE, '', LOCKTIMEOUT, invalid lock id",
        "held, STATUS, LOCKOK l1, LOCKOK, ''",
        "expired, CONFIRM, '', LOCKTIMEOUT, invalid lock id",
        "expired, REJECT, '', LOCKTIMEOUT, invalid lock id",
        "expired, RELEASE, '', LOCKTIMEOUT, invalid lock id",
        "expired, STATUS, LOCKTIMEOUT l1, LOCKTIMEOUT, invalid lock id",
        "unknown, CONFIRM, REQFAIL invalid lock id, LOCKTIMEOUT, invalid lock id",
        "unknown, REJECT, REQFAIL invalid lock id, LOCKTIMEOUT, invalid lock id",
        "unknown, RELEASE, REQFAIL invalid lock id, LOCKTIMEOUT, invalid lock id",
        "unknown, STATUS, LOCKTIMEOUT l1, LOCKTIMEOUT, invalid lock id"
    })
    void responses_to_a_socketlock_request_follow_its_state(
            String state, String verb, String response, String status, String release) {
        putInto(state);
        client.sendLine(verb + " l1");
        if (!response.isEmpty()) {
            client.expect(response);
        }
        client.sendLine("STATUS l1").expect(status + " l1");
        client.sendLine("RELEASE l1");
        if (!release.isEmpty()) {
            client.expect("REQFAIL " + release);
        }
        client.barrier();
    }

    @Test
    void an_expired_request_can_be_released_silently_before_its_status_is_queried() {
        putInto("expired");
        client.sendLine("RELEASE l1").barrier();
        client.sendLine("RELEASE l1").expect("REQFAIL invalid lock id");
    }

    @Test
    void a_socketlock_request_fails_when_its_wait_times_out() {
        start(SocketlockTestServer.limits(Duration.ofMillis(200), Duration.ofSeconds(30)));
        putInto("queued");
        client.expect("REQFAIL timeout waiting for lock");
        client.sendLine("CONFIRM l1").expect("REQFAIL invalid lock id");
        client.waits("READ", "l1").expect("REQFAIL timeout waiting for lock");
    }

    @Test
    void a_socketlock_request_fails_when_its_offer_is_not_confirmed_and_the_next_is_served() {
        start(SocketlockTestServer.limits(Duration.ofSeconds(30), Duration.ofMillis(300)));
        client.offered("WRITE", "l1");
        SocketlockTestClient next = server.connect().sendLine("REQWRITE l2");
        client.expect("REQFAIL timeout waiting for confirm");
        next.expect("WRITELOCK l2").confirms("l2");
        client.sendLine("CONFIRM l1").expect("REQFAIL invalid lock id");
    }

    @Test
    @DisplayName("H5: a request is refused if its lock id is in use, and only then")
    void a_socketlock_request_is_refused_if_its_lock_id_is_in_use() {
        client.holds("READ", "l1");
        client.sendLine("REQREAD l1").expect("REQFAIL invalid lock id");
        client.sendLine("REQWRITE l1 5").expect("REQFAIL invalid lock id");
        client.assertHeld("l1");
        SocketlockTestClient other = server.connect().holds("READ", "l1");
        client.releases("l1").holds("READ", "l1");
        other.close();
        client.releases("l1").holds("WRITE", "l1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "9223372037", "18446744074", "9223372036854775807", "+3", "0003"})
    @DisplayName("H7: a request is refused if its TTL exceeds the maximum")
    void a_socketlock_request_is_refused_if_its_ttl_exceeds_the_maximum(String seconds) {
        start(
                new SocketlockTimeouts(
                        Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(2)));
        client.sendLine("REQWRITE l1 " + seconds).expect("REQFAIL timeout too long");
        client.sendLine("REQWRITE l1 2").expect("WRITELOCK l1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372037", "9223372036854775807"})
    void a_socketlock_request_may_have_any_ttl_without_a_maximum(String seconds) {
        client.sendLine("REQWRITE l1 " + seconds).expect("WRITELOCK l1").confirms("l1");
        client.assertHeld("l1");
    }

    @Test
    @DisplayName("H6: a request is served when the TTL of a silent holder ends")
    void a_socketlock_request_is_served_when_the_ttl_of_a_silent_holder_ends() {
        client.sendLine("REQWRITE l1 1").expect("WRITELOCK l1").sendLine("CONFIRM l1").barrier();
        long since = System.nanoTime();
        server.connect().sendLine("REQWRITE l2").expect("WRITELOCK l2").confirms("l2");
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(20));
        client.assertNotHeld("l1");
    }

    @Test
    @DisplayName("H4: a request is not changed by a second CONFIRM")
    void a_socketlock_request_is_not_changed_by_a_second_confirm() {
        client.holds("READ", "l1").sendLine("CONFIRM l1", "CONFIRM l1").barrier();
        SocketlockTestClient reader = server.connect().offered("READ", "l2");
        client.sendLine("CONFIRM l1").barrier();
        server.connect().waits("READ", "l3"); // the offer is still valid
        reader.sendLine("REJECT l2").expect("REQFAIL offer rejected");
        client.close();
    }

    @Test
    @DisplayName("H3: a queued request that is cancelled does not affect others")
    void a_cancelled_queued_request_does_not_affect_others() {
        client.holds("WRITE", "l1");
        SocketlockTestClient second = server.connect().waits("WRITE", "l2");
        SocketlockTestClient third = server.connect().waits("WRITE", "l3");
        second.releases("l2");
        third.barrier();
        client.assertHeld("l1");
        client.releases("l1");
        third.expect("WRITELOCK l3");
    }

    @Test
    void a_socketlock_request_has_the_lock_id_of_the_client_or_of_the_server() {
        String offer = client.sendLine("REQREAD").line();
        assertThat(offer).matches("node-1 READLOCK l[0-9a-f]{12}");
        client.confirms(offer.substring(offer.lastIndexOf(' ') + 1));
        assertThat(client.sendLine("REQREAD 7").line()).matches("node-1 READLOCK l[0-9a-f]{12}");
    }

    @Test
    void clients_that_choose_their_id_and_clients_that_do_not_work_on_one_server() {
        SocketlockTestClient assigned = server.open();
        String greeting = assigned.send("x PING\nEOL\nHELLO there\nHELLO\n").line();
        assertThat(greeting).matches("CONNECTED c[0-9a-f]{16}-\\d+");
        String id = greeting.substring("CONNECTED ".length());
        assigned.send(id + " HELLO\n" + id + " REQREAD\n" + id + " REQREAD 5\n");
        assertThat(assigned.line()).isEqualTo("CONNECTED " + id);
        assertThat(assigned.line()).isEqualTo(id + " REQFAIL invalid ttl");
        assertThat(assigned.line()).isEqualTo(id + " READLOCK 5");

        client.send("HELLO\nnode-1 HELLO\nother HELLO\nother PING\n");
        assertThat(client.line()).isEqualTo("CONNECTED node-1");
        client.expect("CONNECTED").barrier();
    }

    @Test
    void a_socketlock_request_is_echoed_byte_for_byte() {
        client.holds("READ", "\u00ff\u0000\u00e4");
        client.sendLine("STATUS one   two").expect("LOCKTIMEOUT one two");
        client.sendLine("CONFIRM \u00ff\u0000\u00e4 please").expect("REQFAIL invalid lock id");
    }

    @Test
    void the_number_of_socketlock_requests_of_a_connection_is_limited() {
        client.holds("WRITE", "l0");
        for (int i = 1; i < SocketlockHandler.MAX_LOCKS; i++) {
            client.sendLine("REQREAD l" + i);
        }
        client.barrier().sendLine("REQREAD more").expect("REQFAIL too many requests");
        client.sendLine("RELEASE l1", "REQREAD more").barrier();
        client.sendLine("RELEASE l0").expect("READLOCK l2");
        server.close();
        server = SocketlockTestServer.start(directory.resolve("s2"), QueuePolicy.FIFO);
        server.connect().holds("WRITE", "l1");
    }

    @Test
    void the_total_length_of_lock_ids_of_a_connection_is_limited() {
        client.holds("WRITE", "l0");
        String longOne = "x".repeat(60 * 1024);
        int most = SocketlockHandler.MAX_LOCK_BYTES / longOne.length();
        for (int i = 0; i < most; i++) {
            client.sendLine("REQREAD " + longOne.substring(2) + (10 + i));
        }
        client.barrier().sendLine("REQREAD " + longOne).expect("REQFAIL too many requests");
        client.sendLine("RELEASE " + longOne.substring(2) + 10, "REQREAD " + longOne).barrier();
    }

    @Test
    void a_socketlock_connection_ends_with_eol() {
        client.holds("WRITE", "l1");
        SocketlockTestClient next = server.connect().waits("READ", "l2");
        client.sendLine("EOL now", "PING").assertClosed();
        next.expect("READLOCK l2");
    }

    @Test
    void fence_and_epoch_are_returned_on_request() {
        long before = 0;
        for (int i = 0; i < 3; i++) {
            client.offered("WRITE", "l1")
                    .sendLine("TOKEN l1")
                    .expect("LOCKTIMEOUT l1")
                    .confirms("l1");
            String response = client.sendLine("TOKEN l1").line();
            assertThat(response).startsWith("node-1 TOKEN l1 ");
            long fence = Long.parseLong(response.substring("node-1 TOKEN l1 ".length()));
            assertThat(fence).isGreaterThan(before);
            before = fence;
            client.releases("l1").sendLine("TOKEN l1").expect("LOCKTIMEOUT l1");
        }
        assertThat(client.sendLine("EPOCH").line()).matches("node-1 EPOCH \\d+");
        client.sendLine("PROCESS", "REASSERT l9 READ x", "SETTLED", "TOKEN").barrier();
    }
}
