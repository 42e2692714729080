package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@DisplayName("A session in tagged mode")
class TaggedSessionIT {
    private static final Pattern WELCOME =
            Pattern.compile("ok 1 session=(\\d+) secret=([0-9a-f]{32}) .*");

    private TestServer server = TestServer.start(new TestConfig());

    @AfterEach
    void close() {
        server.close();
    }

    /** What a client needs to resume a session. */
    private record Ticket(String session, String secret) {
        static Ticket of(String welcome) {
            Matcher fields = WELCOME.matcher(welcome);
            assertThat(fields.matches()).as(welcome).isTrue();
            return new Ticket(fields.group(1), fields.group(2));
        }

        String hello() {
            return request("hello", "_", "1 grace=30 resume=" + session + ":" + secret);
        }
    }

    private static String request(String command, String key, String argument) {
        return command + "\n" + key + "\n" + argument + "\n";
    }

    private TestClient tagged(String more) {
        TestClient client = server.connect();
        Ticket _ = greet(client, more);
        return client;
    }

    private static Ticket greet(TestClient client, String more) {
        client.sendRaw(request("hello", "_", ("1 " + more).strip()));
        return Ticket.of(client.line());
    }

    @Test
    void a_tagged_session_keeps_its_position_without_a_connection_until_its_grace_ends() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = tagged("grace=200ms");
        gone.sendRaw(request("1 l", "k", "60"));
        server.awaitWaiters("k", 1);
        gone.close();
        server.awaitWaiters("k", 0); // at the end of the grace, as the session was not resumed
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.connect().request("l", "k", "0")).startsWith("ok ");
    }

    @Test
    void a_tagged_session_is_ended_at_once_by_bye_whatever_its_grace() {
        TestClient client = tagged("grace=60");
        client.sendRaw(request("1 l", "k", "0") + request("2 bye", "_", "_"));
        assertThat(client.line()).startsWith("1 ok ");
        assertThat(client.line()).isEqualTo("2 ok");
        assertThat(client.rest()).isEmpty();
        assertThat(server.connect().request("l", "k", "20")).startsWith("ok ");
    }

    @Test
    void a_tagged_session_does_not_outlive_its_connection_longer_than_the_server_allows() {
        server.close();
        server = TestServer.start(new TestConfig().maxSessionGrace(Duration.ZERO));
        TestClient client = server.connect();
        client.sendRaw(request("hello", "_", "1 grace=60"));
        assertThat(client.line()).contains(" grace=0 ");
        client.sendRaw(request("1 l", "k", "0"));
        assertThat(client.line()).startsWith("1 ok ");
        client.close();
        assertThat(server.connect().request("l", "k", "20")).startsWith("ok ");
    }

    @Test
    void a_tagged_session_resumed_by_several_at_once_belongs_to_one_connection() throws Exception {
        for (int round = 0; round < 20; round++) {
            TestClient first = server.connect();
            Ticket ticket = greet(first, "grace=30");
            first.sendRaw(request("1 l", "k" + round, "0"));
            assertThat(first.line()).startsWith("1 ok ");
            CyclicBarrier start = new CyclicBarrier(3);
            List<CompletableFuture<Boolean>> owners = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                TestClient rival = server.connect();
                owners.add(
                        CompletableFuture.supplyAsync(
                                () -> isOwner(rival, ticket, start), Thread::startVirtualThread));
            }
            int found = 0;
            for (CompletableFuture<Boolean> owner : owners) {
                found += owner.get(60, TimeUnit.SECONDS) ? 1 : 0;
            }
            assertThat(found).isEqualTo(1);
            assertThat(first.rest()).isEmpty();
        }
    }

    /** A client that never received a response to its hello can only repeat it. */
    @Test
    void a_tagged_session_is_resumed_with_its_old_secret_if_the_new_one_was_lost() {
        TestClient first = server.connect();
        Ticket ticket = greet(first, "grace=30");
        for (int round = 0; round < 4; round++) {
            TestClient again = server.connect();
            again.sendRaw(ticket.hello());
            assertThat(again.line()).as("round " + round).endsWith(" resumed");
        }
    }

    @Test
    void a_read_timeout_closes_the_connection_but_fails_no_wait_of_its_tagged_session() {
        server.close();
        server = TestServer.start(new TestConfig().readTimeout(Duration.ofMillis(300)));
        TestClient waiter = tagged("");
        waiter.sendRaw(request("1 l", "k", "0") + request("2 l", "k", "60"));
        assertThat(waiter.line()).startsWith("1 ok ");
        assertThat(waiter.rest()).isEqualTo("0 error\n");
    }

    /** Whether it resumes the session and no other connection takes it over. */
    private static boolean isOwner(TestClient rival, Ticket ticket, CyclicBarrier start) {
        try {
            start.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        rival.sendRaw(ticket.hello());
        String welcome = rival.line();
        rival.sendIfOpen(request("2 mine", "_", "0"));
        return welcome.endsWith(" resumed") && rival.rest(1).equals("2");
    }

    @Test
    void a_tagged_session_is_not_resumed_by_its_old_secret_once_the_new_one_has_arrived() {
        TestClient first = server.connect();
        Ticket old = greet(first, "grace=30");
        TestClient second = server.connect();
        second.sendRaw(old.hello());
        assertThat(second.line()).endsWith(" resumed"); // this response may have been lost
        TestClient third = server.connect();
        third.sendRaw(old.hello());
        assertThat(third.line()).endsWith(" resumed");
        third.sendRaw(request("1 ping", "_", "_"));
        assertThat(third.line()).isEqualTo("1 ok");
        TestClient fourth = server.connect();
        fourth.sendRaw(old.hello());
        assertThat(fourth.line()).doesNotEndWith(" resumed");
    }

    @Test
    void a_tagged_session_leaves_no_unbound_hold_whose_grant_was_not_sent() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = tagged("");
        gone.sendRaw(request("1 l", "k", "60 3600 unbound"));
        server.awaitWaiters("k", 1);
        gone.close();
        server.awaitWaiters("k", 0);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.connect().request("l", "k", "0")).startsWith("ok ");
    }

    @Test
    void the_number_of_unused_detached_sessions_is_limited() {
        List<Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 1010; i++) {
            TestClient client = server.connect();
            tickets.add(greet(client, "grace=60"));
            client.close();
        }
        server.awaitConnections(0);
        int resumed = 0;
        for (Ticket ticket : tickets) {
            TestClient client = server.connect();
            client.sendRaw(ticket.hello());
            resumed += client.line().endsWith(" resumed") ? 1 : 0;
        }
        assertThat(resumed).isEqualTo(1000);
    }

    @Test
    void a_tagged_session_is_notified_of_draining_and_may_still_release() {
        TestClient holder = tagged("grace=30");
        holder.sendRaw(request("1 l", "k", "0"));
        String token = holder.line().split(" ", -1)[2];
        TestClient waiter = tagged("grace=30");
        waiter.sendRaw(request("1 l", "k", "60") + request("2 sl", "s", "0 1"));
        String slot = waiter.line().split(" ", -1)[2];
        server.awaitWaiters("k", 1);
        CompletableFuture<Void> drained = server.drain();
        assertThat(waiter.line()).isEqualTo("1 error_draining");
        waiter.sendRaw(request("3 l", "other", "0") + request("4 sr", "s", slot));
        assertThat(waiter.line()).isEqualTo("3 error_draining");
        assertThat(waiter.line()).isEqualTo("4 ok");
        assertThat(waiter.rest()).isEmpty();
        holder.sendRaw(request("2 r", "k", token));
        assertThat(holder.line()).isEqualTo("2 ok");
        assertThat(holder.rest()).isEmpty();
        assertThat(drained).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void responses_after_a_streamed_one_are_whole_lines() {
        TestClient client = tagged("");
        for (int i = 1; i <= 300; i++) {
            client.sendRaw(request(i + " l", "k" + i, "0"));
            assertThat(client.line()).startsWith(i + " ok ");
        }
        TestClient rival = tagged("");
        rival.sendRaw(request("1 l", "k1", "60"));
        server.awaitWaiters("k1", 1);
        rival.sendRaw(request("2 stats", "_", "_"));
        client.sendRaw(request("301 bye", "_", "_"));
        List<String> lines = List.of(rival.line(), rival.line());
        assertThat(lines).anyMatch(line -> line.startsWith("2 ok {") && line.endsWith("}"));
        assertThat(lines).anyMatch(line -> line.matches("1 ok [0-9a-f]{32} 33"));
    }

    @Test
    void a_tagged_session_is_shown_to_others_by_its_label() {
        TestClient holder = tagged("label=billing:17");
        holder.sendRaw(request("1 l", "k", "0"));
        assertThat(holder.line()).startsWith("1 ok ");
        TestClient other = tagged("");
        other.sendRaw(request("1 info", "k", "_"));
        assertThat(other.line()).contains("\"label\":\"billing:17\"");
    }

    @Test
    void ten_thousand_waits_of_a_tagged_session_are_granted_in_order() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient many = tagged("");
        StringBuilder requests = new StringBuilder();
        int waits = 10_000;
        for (int i = 1; i <= waits; i++) {
            requests.append(request(i + " l", "k", "600"));
        }
        CompletableFuture<TestClient> sent =
                CompletableFuture.supplyAsync(() -> many.sendRaw(requests.toString()));
        server.awaitWaiters("k", waits);
        assertThat(sent).succeedsWithin(Duration.ofSeconds(60));
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        for (int i = 1; i <= waits; i++) {
            String[] grant = many.line().split(" ", -1);
            assertThat(grant[0]).isEqualTo("" + i);
            many.sendRaw(request((waits + i) + " r", "k", grant[2]));
            assertThat(many.line()).isEqualTo((waits + i) + " ok");
        }
    }
}
