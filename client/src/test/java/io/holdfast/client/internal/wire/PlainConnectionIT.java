package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.PlainClient.get;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.GrantedHold.Loss;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.SignalSink;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("The connections to a plain dflockd")
class PlainConnectionIT {
    private FakePlainServer server;
    private PlainClient client;

    @BeforeEach
    void connect() throws Exception {
        server = new FakePlainServer();
        client = new PlainClient(server, 4);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        client.close();
    }

    private static void failsWith(Kind kind, CompletableFuture<?> future) {
        assertThatThrownBy(() -> get(future))
                .cause()
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }

    /** Advances the clock until the future is done. */
    private void until(CompletableFuture<?> future) {
        await().until(
                        () -> {
                            client.clock.advance(ofMillis(20));
                            return future.isDone();
                        });
    }

    private CompletableFuture<FakePlainServer.Request> nextRequest() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return server.next();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** The next request, which must be {@code text}; advances the clock until it arrives. */
    private FakePlainServer.Request later(String text) throws Exception {
        var next = nextRequest();
        until(next);
        assertThat(get(next).text()).isEqualTo(text);
        return get(next);
    }

    @Test
    void a_connection_begins_with_hello_unless_plain_is_set() throws Exception {
        var config = PlainClient.config(server.address(), 4, false);
        var connected = PlainClient.connect(config, new NoEvents(), client.clock);
        server.next("hello _ 1 grace=3 label=test").respond("error");

        try (var service = get(connected)) {
            assertThat(service.features().tagged()).isFalse();
            var response = service.command("get", "c", "_");
            server.next("get c _").respond("ok 5");
            assertThat(get(response)).isEqualTo("ok 5");
        }
    }

    @Test
    void a_connection_without_a_token_fails_if_the_server_requires_one() throws Exception {
        for (boolean plain : new boolean[] {true, false}) {
            var config = PlainClient.config(server.address(), 4, plain);
            var connected = PlainClient.connect(config, new NoEvents(), client.clock);
            server.next().respond("error_auth");

            failsWith(Kind.AUTHENTICATION, connected);
        }
    }

    @Test
    void an_idle_connection_is_pinged_at_a_third_of_the_read_timeout() throws Exception {
        client.clock.advance(ofMillis(7999));
        assertThat(server.isQuiet()).isTrue();
        client.clock.advance(ofMillis(1));

        server.next("ping _ _").respond("error"); // as old servers do

        var response = client.service.command("get", "c", "_");
        server.next("get c _").respond("ok 5");
        assertThat(get(response)).isEqualTo("ok 5");
    }

    @Test
    void connections_to_a_silent_server_are_closed_and_their_holds_are_lost() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(0));
        var first = server.next("l k 0").respond("ok abc 33");
        var lost = new CompletableFuture<Loss>();
        startedAcquire.hold().onLost(lost::complete);
        var waiting = client.lock("w", ofSeconds(500));
        server.next("l w 0").respond("timeout");
        server.next("e w ").respond("queued");
        var blocked = server.next("w w 500").connection();

        client.clock.advance(ofSeconds(8));
        server.next("ping _ _");
        client.clock.advance(ofSeconds(24));

        assertThat(get(lost)).isEqualTo(Loss.CONNECTION);
        first.awaitEnd();
        blocked.awaitEnd();
        later("ping _ _").respond("ok");
        await().until(() -> client.events.contains("reconnected"));
        assertThat(client.events).containsExactly("connected", "suspended", "lost", "reconnected");
        server.next("l w 0").respond("ok def 33");
        assertThat(waiting.hold().token()).isEqualTo("def");
    }

    @Test
    void an_unused_connection_without_holds_is_closed_after_the_idle_timeout() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(50));
        server.next("l k 0").respond("timeout");
        server.next("e k ").respond("queued");
        var own = server.next("w k 50").respond("ok abc 33");
        var released = startedAcquire.hold().release();
        assertThat(server.next("r k abc").respond("ok")).isSameAs(own);
        get(released);

        // The times at which the connection became idle and pings are due depend on its thread, so
        // the clock advances in small steps.
        int seconds = 0;
        for (; seconds < 60 && own.isOpen(); seconds++) {
            client.clock.advance(ofSeconds(1));
            for (var ping = server.poll(ofMillis(20));
                    ping != null;
                    ping = server.poll(ofMillis(20))) {
                assertThat(ping.text()).isEqualTo("ping _ _");
                ping.respond("ok");
            }
        }
        assertThat(seconds).isGreaterThanOrEqualTo(30);
        own.awaitEnd();
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void after_a_broken_connection_a_sent_command_is_unknown_and_unsent_ones_are_sent()
            throws Exception {
        var sent = client.service.command("incr", "c", "1");
        var request = server.next("incr c 1");
        var unsent = client.service.command("incr", "d", "1");
        request.connection().cut();

        failsWith(Kind.OUTCOME_UNKNOWN, sent);
        later("ping _ _").respond("ok");
        server.next("incr d 1").respond("ok 1");
        assertThat(get(unsent)).isEqualTo("ok 1");
    }

    @Test
    void commands_fail_after_the_connect_timeout_when_the_server_cannot_be_reached()
            throws Exception {
        var waiting = client.lock("k", ofSeconds(8));
        server.next("l k 0");
        var tried = client.lock("k", ofSeconds(0));
        server.close();
        await().until(() -> client.events.contains("lost"));
        var command = client.service.command("get", "c", "_");
        client.clock.advance(ofSeconds(5));

        failsWith(Kind.UNREACHABLE, command);
        assertThat(tried.end())
                .isInstanceOfSatisfying(
                        AcquireOutcome.Failed.class,
                        failed -> assertThat(failed.failure().kind()).isEqualTo(Kind.UNREACHABLE));
        assertThat(waiting.outcome()).isNotDone();
        client.clock.advance(ofSeconds(3));
        assertThat(waiting.end()).isInstanceOf(AcquireOutcome.TimedOut.class);
    }

    @Test
    void a_subscription_is_restored_after_a_reconnect_and_reports_the_gap() throws Exception {
        var recordingSink = new RecordingSink();
        var signalSubscription = client.service.listen("a.*", "", recordingSink);
        var own = server.next("listen a.* ").respond("ok");
        get(signalSubscription.accepted());
        own.send("sig a.b  hello ");
        own.send("sig b.b no");
        await().until(() -> recordingSink.all.equals(List.of("a.b: hello ")));

        own.cut();
        later("listen a.* ").respond("ok").send("sig a.c x");
        await().until(() -> recordingSink.all.equals(List.of("a.b: hello ", "gap", "a.c:x")));
        signalSubscription.close();
        await().until(() -> server.openConnections() == 1);
    }

    @Test
    void each_signal_goes_to_one_member_of_a_queue_group() throws Exception {
        var alone = new RecordingSink();
        var one = new RecordingSink();
        var two = new RecordingSink();
        client.service.listen("a", "", alone);
        server.next("listen a ").respond("ok");
        var first = client.service.listen("a", "g", one);
        var group = server.next("listen a g").respond("ok");
        get(first.accepted());
        get(client.service.listen("a", "g", two).accepted());

        group.send("sig a 1");
        group.send("sig a 2");
        group.send("sig a 3");

        await().until(() -> one.all.size() == 2 && two.all.size() == 1);
        assertThat(alone.all).isEmpty();
    }

    @Test
    void a_refused_pattern_fails_the_subscription() throws Exception {
        var signalSubscription = client.service.listen("a.>.b", "", new RecordingSink());
        server.next("listen a.>.b ").respond("error");

        failsWith(Kind.REFUSED, signalSubscription.accepted());
    }

    @Test
    void close_releases_holds_and_leaves_no_connection_or_thread() throws Exception {
        var held = client.lock("k", ofSeconds(0));
        server.next("l k 0").respond("ok abc 33");
        held.hold();
        var waiting = client.lock("w", ofSeconds(50));
        server.next("l w 0").respond("timeout");
        server.next("e w ").respond("queued");
        server.next("w w 50");
        var signalSubscription = client.service.listen("a", "", new RecordingSink());
        server.next("listen a ");

        var closed = CompletableFuture.runAsync(client::close);
        server.next("r k abc"); // without a response: the server is stuck

        get(closed);
        assertThat(waiting.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(signalSubscription.accepted()).isCompletedExceptionally();
        await().until(() -> server.openConnections() == 0);
        failsWith(Kind.CLOSED, client.service.command("get", "c", "_"));
        assertThat(client.lock("k", ofSeconds(5)).end()).isInstanceOf(AcquireOutcome.Failed.class);
        await().until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .map(Thread::getName)
                                        .noneMatch(
                                                name ->
                                                        name.startsWith(
                                                                "holdfast-"
                                                                        + client.service
                                                                                .address())));
        assertThat(client.events).containsExactly("connected");
    }

    private static final class RecordingSink implements SignalSink {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void signal(String channel, String payload) {
            all.add(channel + ":" + payload);
        }

        @Override
        public void gap() {
            all.add("gap");
        }
    }

    private static final class NoEvents implements ServiceEvents {
        @Override
        public void connected() {}

        @Override
        public void suspended() {}

        @Override
        public void restored() {}

        @Override
        public void lost() {}

        @Override
        public void reconnected() {}
    }
}
