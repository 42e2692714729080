package io.holdfast.client.wire;

import static io.holdfast.client.wire.PlainClient.get;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.AcquireRequest;
import io.holdfast.client.service.AcquireRequest.Kind;
import io.holdfast.client.service.GrantedHold.Loss;
import io.holdfast.client.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;

@DisplayName("An acquire at a plain dflockd")
class PlainAcquireIT {
    private FakePlainServer peer;
    private PlainClient client;

    @BeforeEach
    void connect() throws Exception {
        peer = new FakePlainServer();
        client = new PlainClient(peer, 3);
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        client.close();
    }

    private FakePlainServer.Connection blocked(String key, int seconds) throws Exception {
        peer.next("l " + key + " 0").answer("timeout");
        return placed(key, seconds);
    }

    private FakePlainServer.Connection placed(String key, int seconds) throws Exception {
        peer.next("e " + key + " ").answer("queued");
        return peer.next("w " + key + " " + seconds).connection();
    }

    @Test
    void of_a_free_key_is_one_request() throws Exception {
        var asked = client.ask(Kind.LOCK, "k", 1, ofSeconds(5).toNanos(), ofMillis(1500).toNanos());

        peer.next("l k 0 2").answer("ok abc 2");

        assertThat(asked.hold().leaseNanos()).isEqualTo(ofSeconds(2).toNanos());
        assertThat(asked.hold().token()).isEqualTo("abc");
        assertThat(asked.hold().fence()).isEmpty();
        assertThat(asked.hold().toString()).doesNotContain("abc");
        assertThat(peer.openConnections()).isEqualTo(1);
    }

    @Test
    void waits_on_a_connection_of_its_own_with_its_time_rounded_up() throws Exception {
        var asked = client.lock("k", ofMillis(5100));
        var common = peer.next("l k 0").answer("timeout");
        peer.next("e k ").answer("queued");
        client.clock.advance(ofMillis(50));
        var wait = peer.next("w k 6");
        long sent = client.clock.nanoTime();
        client.clock.advance(ofSeconds(2));
        wait.answer("ok abc 33");

        assertThat(wait.connection()).isNotSameAs(common);
        assertThat(asked.hold().requestedAtNanos()).isLessThanOrEqualTo(sent);
        var released = asked.hold().release();
        assertThat(peer.next("r k abc").answer("ok")).isSameAs(wait.connection());
        assertThat(get(released)).isTrue();
    }

    @Test
    void of_a_semaphore_brings_its_limit() throws Exception {
        var asked =
                client.ask(Kind.SEMAPHORE, "s", 3, AcquireRequest.FOREVER, ofSeconds(9).toNanos());
        peer.next("sl s 0 3 9").answer("timeout");
        peer.next("se s 3 9").answer("acquired abc 9");
        peer.next("sw s 9223372036").answer("ok abc 9");

        var renewed = asked.hold().renew(0);
        peer.next("sn s abc").answer("ok 33");
        assertThat(get(renewed)).isEqualTo(ofSeconds(33).toNanos());
        var released = asked.hold().release();
        peer.next("sr s abc").answer("error");
        assertThat(get(released)).isFalse();
    }

    @Test
    void that_only_tries_gives_up_at_once() throws Exception {
        var asked = client.lock("k", ofSeconds(0));

        peer.next("l k 0").answer("timeout");

        assertThat(asked.end()).isInstanceOf(AcquireOutcome.TimedOut.class);
    }

    @Test
    void asks_for_its_place_only_after_the_one_before_it_has_one() throws Exception {
        client.lock("k", ofSeconds(5));
        client.lock("k", ofSeconds(5));
        peer.next("l k 0").answer("timeout");
        var first = peer.next("e k ");
        var unused = client.service.command("get", "c", "_");
        peer.next("get c _").answer("ok 0");

        assertThat(peer.isQuiet()).isTrue();
        first.answer("queued");
        var next = peer.next();
        var other = peer.next();
        assertThat(next.text() + ", " + other.text()).isIn("w k 5, e k ", "e k , w k 5");
    }

    @Test
    void that_is_refused_tells_the_word_of_the_server() throws Exception {
        var tried = client.lock("k", ofSeconds(5));
        peer.next("l k 0").answer("error_max_locks");
        assertThat(tried.end())
                .isInstanceOfSatisfying(
                        AcquireOutcome.Failed.class,
                        failed -> {
                            assertThat(failed.failure().kind())
                                    .isEqualTo(ServiceException.Kind.REFUSED);
                            assertThat(failed.failure().answer()).isEqualTo("error_max_locks");
                        });

        var queued = client.lock("k", ofSeconds(5));
        peer.next("l k 0").answer("timeout");
        peer.next("e k ").answer("error_max_waiters");
        assertThat(queued.end()).isInstanceOf(AcquireOutcome.Failed.class);
    }

    @Test
    void of_a_kind_that_is_not_there_says_so_and_sends_nothing() throws Exception {
        var read = client.ask(Kind.READ, "k", 1, 0, 0);
        var outcome = new CompletableFuture<AcquireOutcome>();
        client.service.acquire(
                new AcquireRequest(Kind.LOCK, "k", 1, 0, 0, true), outcome::complete);

        for (AcquireOutcome end : new AcquireOutcome[] {read.end(), get(outcome)}) {
            assertThat(end)
                    .isInstanceOfSatisfying(
                            AcquireOutcome.Failed.class,
                            failed ->
                                    assertThat(failed.failure())
                                            .hasMessageContaining("plain dflockd has no")
                                            .extracting(ServiceException::kind)
                                            .isEqualTo(ServiceException.Kind.UNSUPPORTED));
        }
        assertThat(peer.isQuiet()).isTrue();
    }

    @Test
    void that_is_cancelled_gives_up_its_place_with_its_connection() throws Exception {
        var asked = client.lock("k", ofSeconds(5));
        var own = blocked("k", 5);

        asked.attempt().cancel();
        asked.attempt().cancel();

        own.awaitEnd();
        assertThat(asked.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        client.clock.advance(ofSeconds(10));
        assertThat(asked.outcomes()).hasSize(1);
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void ends_exactly_at_its_deadline() throws Exception {
        var asked = client.lock("k", ofMillis(1300));
        var own = blocked("k", 2);

        client.clock.advance(ofMillis(1299));
        assertThat(asked.outcome()).isNotDone();
        client.clock.advance(ofMillis(1));

        assertThat(asked.end()).isInstanceOf(AcquireOutcome.TimedOut.class);
        own.awaitEnd();
    }

    @Test
    void whose_try_is_granted_too_late_is_released() throws Exception {
        var asked = client.lock("k", ofSeconds(5));
        var attempt = peer.next("l k 0");
        asked.attempt().cancel();
        attempt.answer("ok abc 33");

        peer.next("r k abc").answer("ok");
        assertThat(asked.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(asked.outcomes()).hasSize(1);
    }

    @Test
    void beyond_the_last_connection_waits_in_the_client_in_order() throws Exception {
        client.lock("a", ofSeconds(50));
        blocked("a", 50);
        var second = client.lock("b", ofSeconds(50));
        var ownOfB = blocked("b", 50);
        var third = client.lock("c", ofSeconds(5));
        peer.next("l c 0").answer("timeout");
        var fourth = client.lock("d", ofSeconds(50));
        peer.next("l d 0").answer("timeout");
        var fifth = client.lock("e", ofSeconds(50));
        peer.next("l e 0").answer("timeout");
        assertThat(peer.openConnections()).isEqualTo(3);

        fourth.attempt().cancel();
        assertThat(fourth.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        second.attempt().cancel();
        ownOfB.awaitEnd();
        var ownOfC = placed("c", 5);
        assertThat(peer.openConnections()).isLessThanOrEqualTo(3);
        ownOfC.say("ok abc 33");
        assertThat(third.hold().key()).isEqualTo("c");
        placed("e", 50); // the connection carries a hold, and there is no other
        assertThat(fifth.outcome()).isNotDone();
    }

    @Test
    void is_tried_again_when_its_key_is_given_back_though_all_connections_wait() throws Exception {
        var held = client.lock("k", ofSeconds(0));
        peer.next("l k 0").answer("ok abc 33");
        held.hold();
        client.lock("a", ofSeconds(50));
        blocked("a", 50);
        client.lock("b", ofSeconds(50));
        blocked("b", 50);
        var asked = client.lock("k", ofSeconds(50));
        peer.next("l k 0").answer("timeout");

        var released = held.hold().release();
        peer.next("r k abc").answer("ok");

        peer.next("l k 0").answer("ok def 33");
        assertThat(asked.hold().token()).isEqualTo("def");
        assertThat(get(released)).isTrue();
    }

    @Test
    void is_tried_again_now_and_then_while_all_connections_wait() throws Exception {
        client.lock("a", ofSeconds(50));
        blocked("a", 50);
        client.lock("b", ofSeconds(50));
        blocked("b", 50);
        var asked = client.lock("k", ofSeconds(50));
        peer.next("l k 0").answer("timeout");
        var answered = client.service.command("get", "c", "_");
        peer.next("get c _").answer("ok 0");
        get(answered);

        client.clock.advance(ofMillis(500));
        peer.next("l k 0").answer("ok abc 33");

        assertThat(asked.hold().key()).isEqualTo("k");
    }

    @Test
    void that_is_cancelled_beside_holds_leaves_them_alone() throws Exception {
        client.lock("x", ofSeconds(50));
        blocked("x", 50);
        var held = client.lock("a", ofSeconds(50));
        var own = blocked("a", 50);
        own.say("ok abc 33");
        held.hold();
        var asked = client.lock("b", ofSeconds(50));
        assertThat(blocked("b", 50)).isSameAs(own);

        asked.attempt().cancel();
        assertThat(asked.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        var renewed = held.hold().renew(0);
        assertThat(peer.next("n a abc").answer("ok 33")).isNotSameAs(own);
        get(renewed);
        own.say("ok def 33"); // nobody wants it any more

        peer.next("r b def").answer("ok");
        assertThat(asked.outcomes()).hasSize(1);
        assertThat(own.isOpen()).isTrue();
    }

    @Test
    void goes_on_after_its_connection_was_lost() throws Exception {
        var asked = client.lock("k", ofSeconds(50));
        blocked("k", 50).cut();

        peer.next("l k 0").answer("timeout");
        placed("k", 50).say("ok abc 33");

        assertThat(asked.hold().token()).isEqualTo("abc");
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void goes_on_after_the_server_went_down_while_it_waited() throws Exception {
        var asked = client.lock("k", ofSeconds(50));
        var own = blocked("k", 50);
        own.say("error");

        peer.next("l k 0").answer("timeout");
        client.clock.advance(ofSeconds(1));
        placed("k", 49).say("ok abc 33");

        assertThat(asked.hold().token()).isEqualTo("abc");
    }

    @Test
    void that_got_its_hold_on_a_connection_loses_it_with_that_connection() throws Exception {
        var asked = client.lock("k", ofSeconds(50));
        var own = blocked("k", 50);
        own.say("ok abc 33");
        var lost = new CompletableFuture<Loss>();
        asked.hold().onLost(lost::complete);

        own.cut();

        assertThat(get(lost)).isEqualTo(Loss.CONNECTION);
        assertThat(get(asked.hold().renew(0))).isEqualTo(-1);
        assertThat(get(asked.hold().release())).isFalse();
        peer.next("ping _ _").answer("ok");
        await().until(() -> client.events.contains("reconnected"));
        assertThat(client.events).containsExactly("connected", "suspended", "lost", "reconnected");
        var late = new CompletableFuture<Loss>();
        asked.hold().onLost(late::complete);
        assertThat(get(late)).isEqualTo(Loss.CONNECTION);
    }
}
