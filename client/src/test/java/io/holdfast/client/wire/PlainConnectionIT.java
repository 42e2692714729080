package io.holdfast.client.wire;

import static io.holdfast.client.wire.PlainClient.get;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.GrantedHold.Loss;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.SignalSink;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("The connections to a plain dflockd")
class PlainConnectionIT {
    private FakePlainServer peer;
    private PlainClient client;

    @BeforeEach
    void connect() throws Exception {
        peer = new FakePlainServer();
        client = new PlainClient(peer, 4);
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        client.close();
    }

    private static void failsWith(Kind kind, CompletableFuture<?> future) {
        assertThatThrownBy(() -> get(future))
                .cause()
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }

    /** Time passes until something is true. */
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
                        return peer.next();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** The next request, while time passes. */
    private FakePlainServer.Request later(String text) throws Exception {
        var next = nextRequest();
        until(next);
        assertThat(get(next).text()).isEqualTo(text);
        return get(next);
    }

    @Test
    void begin_with_hello_unless_told_not_to() throws Exception {
        var config = PlainClient.config(peer.address(), 4, false);
        var connected = PlainClient.connect(config, new Silent(), client.clock);
        peer.next("hello _ 1 grace=3 label=test").answer("error");

        try (var service = get(connected)) {
            assertThat(service.abilities().tagged()).isFalse();
            var answer = service.command("get", "c", "_");
            peer.next("get c _").answer("ok 5");
            assertThat(get(answer)).isEqualTo("ok 5");
        }
    }

    @Test
    void to_a_server_that_wants_a_token_need_one() throws Exception {
        for (boolean plain : new boolean[] {true, false}) {
            var config = PlainClient.config(peer.address(), 4, plain);
            var connected = PlainClient.connect(config, new Silent(), client.clock);
            peer.next().answer("error_auth");

            failsWith(Kind.AUTHENTICATION, connected);
        }
    }

    @Test
    void are_kept_alive_by_a_ping_at_a_third_of_the_read_timeout() throws Exception {
        client.clock.advance(ofMillis(7999));
        assertThat(peer.isQuiet()).isTrue();
        client.clock.advance(ofMillis(1));

        peer.next("ping _ _").answer("error"); // old servers do not know it

        var answer = client.service.command("get", "c", "_");
        peer.next("get c _").answer("ok 5");
        assertThat(get(answer)).isEqualTo("ok 5");
    }

    @Test
    void end_when_the_server_is_silent_and_holds_are_lost_with_them() throws Exception {
        var asked = client.lock("k", ofSeconds(0));
        var first = peer.next("l k 0").answer("ok abc 33");
        var lost = new CompletableFuture<Loss>();
        asked.hold().onLost(lost::complete);
        var waiting = client.lock("w", ofSeconds(500));
        peer.next("l w 0").answer("timeout");
        peer.next("e w ").answer("queued");
        var blocked = peer.next("w w 500").connection();

        client.clock.advance(ofSeconds(8));
        peer.next("ping _ _");
        client.clock.advance(ofSeconds(24));

        assertThat(get(lost)).isEqualTo(Loss.CONNECTION);
        first.awaitEnd();
        blocked.awaitEnd();
        later("ping _ _").answer("ok");
        await().until(() -> client.events.contains("reconnected"));
        assertThat(client.events).containsExactly("connected", "suspended", "lost", "reconnected");
        peer.next("l w 0").answer("ok def 33");
        assertThat(waiting.hold().token()).isEqualTo("def");
    }

    @Test
    void that_carry_nothing_are_closed_after_a_while() throws Exception {
        var asked = client.lock("k", ofSeconds(50));
        peer.next("l k 0").answer("timeout");
        peer.next("e k ").answer("queued");
        var own = peer.next("w k 50").answer("ok abc 33");
        var released = asked.hold().release();
        assertThat(peer.next("r k abc").answer("ok")).isSameAs(own);
        get(released);

        // When it fell idle, and when pings are due, only its thread knows: so small steps.
        int seconds = 0;
        for (; seconds < 60 && own.isOpen(); seconds++) {
            client.clock.advance(ofSeconds(1));
            for (var ping = peer.poll(ofMillis(20)); ping != null; ping = peer.poll(ofMillis(20))) {
                assertThat(ping.text()).isEqualTo("ping _ _");
                ping.answer("ok");
            }
        }
        assertThat(seconds).isGreaterThanOrEqualTo(30);
        own.awaitEnd();
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void that_break_leave_the_outcome_of_a_sent_command_unknown_and_send_the_others_later()
            throws Exception {
        var sent = client.service.command("incr", "c", "1");
        var request = peer.next("incr c 1");
        var unsent = client.service.command("incr", "d", "1");
        request.connection().cut();

        failsWith(Kind.OUTCOME_UNKNOWN, sent);
        later("ping _ _").answer("ok");
        peer.next("incr d 1").answer("ok 1");
        assertThat(get(unsent)).isEqualTo("ok 1");
    }

    @Test
    void that_cannot_be_opened_again_fail_commands_after_the_connect_timeout() throws Exception {
        var waiting = client.lock("k", ofSeconds(8));
        peer.next("l k 0");
        var tried = client.lock("k", ofSeconds(0));
        peer.close();
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
    void that_listen_listen_again_and_tell_of_the_gap() throws Exception {
        var heard = new Heard();
        var signalSubscription = client.service.listen("a.*", "", heard);
        var own = peer.next("listen a.* ").answer("ok");
        get(signalSubscription.accepted());
        own.say("sig a.b  hello ");
        own.say("sig b.b no");
        await().until(() -> heard.all.equals(List.of("a.b: hello ")));

        own.cut();
        later("listen a.* ").answer("ok").say("sig a.c x");
        await().until(() -> heard.all.equals(List.of("a.b: hello ", "gap", "a.c:x")));
        signalSubscription.close();
        await().until(() -> peer.openConnections() == 1);
    }

    @Test
    void share_a_registration_and_give_one_member_of_a_group_each_signal() throws Exception {
        var alone = new Heard();
        var one = new Heard();
        var two = new Heard();
        client.service.listen("a", "", alone);
        peer.next("listen a ").answer("ok");
        var first = client.service.listen("a", "g", one);
        var group = peer.next("listen a g").answer("ok");
        get(first.accepted());
        get(client.service.listen("a", "g", two).accepted());

        group.say("sig a 1");
        group.say("sig a 2");
        group.say("sig a 3");

        await().until(() -> one.all.size() == 2 && two.all.size() == 1);
        assertThat(alone.all).isEmpty();
    }

    @Test
    void tell_of_a_pattern_that_is_refused() throws Exception {
        var signalSubscription = client.service.listen("a.>.b", "", new Heard());
        peer.next("listen a.>.b ").answer("error");

        failsWith(Kind.REFUSED, signalSubscription.accepted());
    }

    @Test
    void are_closed_with_their_holds_released_and_nothing_left() throws Exception {
        var held = client.lock("k", ofSeconds(0));
        peer.next("l k 0").answer("ok abc 33");
        held.hold();
        var waiting = client.lock("w", ofSeconds(50));
        peer.next("l w 0").answer("timeout");
        peer.next("e w ").answer("queued");
        peer.next("w w 50");
        var signalSubscription = client.service.listen("a", "", new Heard());
        peer.next("listen a ");

        var closed = CompletableFuture.runAsync(client::close);
        peer.next("r k abc"); // and no answer: the server is stuck

        get(closed);
        assertThat(waiting.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(signalSubscription.accepted()).isCompletedExceptionally();
        await().until(() -> peer.openConnections() == 0);
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

    private static final class Heard implements SignalSink {
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

    private static final class Silent implements ServiceEvents {
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
