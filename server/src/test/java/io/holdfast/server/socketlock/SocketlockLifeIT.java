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
    @TempDir private Path folder;
    private SocketlockTestServer server;
    private SocketlockTestClient client;

    @BeforeEach
    void start() {
        start(SocketlockTestServer.USUAL);
    }

    private void start(SocketlockTimeouts socketlockTimeouts) {
        close();
        server = SocketlockTestServer.start(folder.resolve("s"), socketlockTimeouts);
        client = server.connect();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    /** Brings the client's lock l1 into a state. */
    private void bring(String state) {
        switch (state) {
            case "queued" -> {
                server.connect().holds("WRITE", "other");
                client.waits("WRITE", "l1");
            }
            case "offered" -> client.offered("WRITE", "l1");
            case "held" -> client.holds("WRITE", "l1");
            case "expired" -> {
                client.say("REQWRITE l1 1").expect("WRITELOCK l1").confirms("l1");
                // The next one is offered it the moment when its time is over.
                SocketlockTestClient next = server.connect();
                next.say("REQWRITE next").expect("WRITELOCK next").say("REJECT next");
                next.expect("REQFAIL offer rejected").barrier();
            }
            default -> {}
        }
    }

    /** The table of the specification; what is left afterwards is seen by STATUS and RELEASE. */
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
    void is_answered_as_its_state_says(
            String state, String verb, String answer, String status, String release) {
        bring(state);
        client.say(verb + " l1");
        if (!answer.isEmpty()) {
            client.expect(answer);
        }
        client.say("STATUS l1").expect(status + " l1");
        client.say("RELEASE l1");
        if (!release.isEmpty()) {
            client.expect("REQFAIL " + release);
        }
        client.barrier();
    }

    @Test
    void whose_time_is_over_can_be_released_silently_before_it_is_asked_for() {
        bring("expired");
        client.say("RELEASE l1").barrier();
        client.say("RELEASE l1").expect("REQFAIL invalid lock id");
    }

    @Test
    void fails_when_it_has_waited_too_long() {
        start(SocketlockTestServer.limits(Duration.ofMillis(200), Duration.ofSeconds(30)));
        bring("queued");
        client.expect("REQFAIL timeout waiting for lock");
        client.say("CONFIRM l1").expect("REQFAIL invalid lock id");
        client.waits("READ", "l1").expect("REQFAIL timeout waiting for lock");
    }

    @Test
    void fails_when_its_offer_is_not_confirmed_and_the_next_is_served() {
        start(SocketlockTestServer.limits(Duration.ofSeconds(30), Duration.ofMillis(300)));
        client.offered("WRITE", "l1");
        SocketlockTestClient next = server.connect().say("REQWRITE l2");
        client.expect("REQFAIL timeout waiting for confirm");
        next.expect("WRITELOCK l2").confirms("l2");
        client.say("CONFIRM l1").expect("REQFAIL invalid lock id");
    }

    @Test
    @DisplayName("H5: is refused if its lock id is in use, and only then")
    void is_refused_if_its_lock_id_is_in_use() {
        client.holds("READ", "l1");
        client.say("REQREAD l1").expect("REQFAIL invalid lock id");
        client.say("REQWRITE l1 5").expect("REQFAIL invalid lock id");
        client.assertHeld("l1");
        SocketlockTestClient other = server.connect().holds("READ", "l1");
        client.releases("l1").holds("READ", "l1");
        other.close();
        client.releases("l1").holds("WRITE", "l1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "9223372037", "18446744074", "9223372036854775807", "+3", "0003"})
    @DisplayName("H7: is refused if it wants more than the longest time")
    void is_refused_if_it_wants_more_than_the_longest_time(String seconds) {
        start(
                new SocketlockTimeouts(
                        Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(2)));
        client.say("REQWRITE l1 " + seconds).expect("REQFAIL timeout too long");
        client.say("REQWRITE l1 2").expect("WRITELOCK l1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372037", "9223372036854775807"})
    void may_want_any_time_if_there_is_no_longest(String seconds) {
        client.say("REQWRITE l1 " + seconds).expect("WRITELOCK l1").confirms("l1");
        client.assertHeld("l1");
    }

    @Test
    @DisplayName("H6: is served when the time of a silent holder is over")
    void is_served_when_the_time_of_a_silent_holder_is_over() {
        client.say("REQWRITE l1 1").expect("WRITELOCK l1").say("CONFIRM l1").barrier();
        long since = System.nanoTime();
        server.connect().say("REQWRITE l2").expect("WRITELOCK l2").confirms("l2");
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(20));
        client.assertNotHeld("l1");
    }

    @Test
    @DisplayName("H4: is not changed by a second CONFIRM")
    void is_not_changed_by_a_second_confirm() {
        client.holds("READ", "l1").say("CONFIRM l1", "CONFIRM l1").barrier();
        SocketlockTestClient reader = server.connect().offered("READ", "l2");
        client.say("CONFIRM l1").barrier();
        server.connect().waits("READ", "l3"); // the offer still stands
        reader.say("REJECT l2").expect("REQFAIL offer rejected");
        client.close();
    }

    @Test
    @DisplayName("H3: changes nothing for others when it is given up in line")
    void changes_nothing_for_others_when_it_is_given_up_in_line() {
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
    void names_its_lock_itself_or_lets_the_server_do_it() {
        String offer = client.say("REQREAD").line();
        assertThat(offer).matches("node-1 READLOCK l[0-9a-f]{12}");
        client.confirms(offer.substring(offer.lastIndexOf(' ') + 1));
        assertThat(client.say("REQREAD 7").line()).matches("node-1 READLOCK l[0-9a-f]{12}");
    }

    @Test
    void speaks_both_dialects_on_one_server() {
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
    void is_echoed_byte_for_byte() {
        client.holds("READ", "\u00ff\u0000\u00e4");
        client.say("STATUS one   two").expect("LOCKTIMEOUT one two");
        client.say("CONFIRM \u00ff\u0000\u00e4 please").expect("REQFAIL invalid lock id");
    }

    @Test
    void may_be_one_of_many_but_not_of_too_many() {
        client.holds("WRITE", "l0");
        for (int i = 1; i < SocketlockHandler.MAX_LOCKS; i++) {
            client.say("REQREAD l" + i);
        }
        client.barrier().say("REQREAD more").expect("REQFAIL too many requests");
        client.say("RELEASE l1", "REQREAD more").barrier();
        client.say("RELEASE l0").expect("READLOCK l2");
        server.close();
        server = SocketlockTestServer.start(folder.resolve("s2"), QueuePolicy.FIFO);
        server.connect().holds("WRITE", "l1");
    }

    @Test
    void may_be_long_but_not_too_long_with_all_others() {
        client.holds("WRITE", "l0");
        String longOne = "x".repeat(60 * 1024);
        int most = SocketlockHandler.MAX_LOCK_BYTES / longOne.length();
        for (int i = 0; i < most; i++) {
            client.say("REQREAD " + longOne.substring(2) + (10 + i));
        }
        client.barrier().say("REQREAD " + longOne).expect("REQFAIL too many requests");
        client.say("RELEASE " + longOne.substring(2) + 10, "REQREAD " + longOne).barrier();
    }

    @Test
    void ends_with_eol() {
        client.holds("WRITE", "l1");
        SocketlockTestClient next = server.connect().waits("READ", "l2");
        client.say("EOL now", "PING").assertClosed();
        next.expect("READLOCK l2");
    }

    @Test
    void tells_its_fence_and_the_epoch_to_those_who_ask() {
        long before = 0;
        for (int i = 0; i < 3; i++) {
            client.offered("WRITE", "l1").say("TOKEN l1").expect("LOCKTIMEOUT l1").confirms("l1");
            String answer = client.say("TOKEN l1").line();
            assertThat(answer).startsWith("node-1 TOKEN l1 ");
            long fence = Long.parseLong(answer.substring("node-1 TOKEN l1 ".length()));
            assertThat(fence).isGreaterThan(before);
            before = fence;
            client.releases("l1").say("TOKEN l1").expect("LOCKTIMEOUT l1");
        }
        assertThat(client.say("EPOCH").line()).matches("node-1 EPOCH \\d+");
        client.say("PROCESS", "REASSERT l9 READ x", "SETTLED", "TOKEN").barrier();
    }
}
