package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.PlainClient.get;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold.Loss;
import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;

@DisplayName("An acquire at a plain dflockd")
class PlainAcquireIT {
    private FakePlainServer server;
    private PlainClient client;

    @BeforeEach
    void connect() throws Exception {
        server = new FakePlainServer();
        client = new PlainClient(server, 3);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        client.close();
    }

    private FakePlainServer.Connection tryAndWait(String key, int seconds) throws Exception {
        server.next("l " + key + " 0").respond("timeout");
        return enqueueAndWait(key, seconds);
    }

    private FakePlainServer.Connection enqueueAndWait(String key, int seconds) throws Exception {
        server.next("e " + key + " ").respond("queued");
        return server.next("w " + key + " " + seconds).connection();
    }

    @Test
    void an_acquire_of_a_free_key_is_one_request() throws Exception {
        var startedAcquire =
                client.acquire(Kind.LOCK, "k", 1, ofSeconds(5).toNanos(), ofMillis(1500).toNanos());

        server.next("l k 0 2").respond("ok abc 2");

        assertThat(startedAcquire.hold().leaseNanos()).isEqualTo(ofSeconds(2).toNanos());
        assertThat(startedAcquire.hold().token()).isEqualTo("abc");
        assertThat(startedAcquire.hold().fence()).isEmpty();
        assertThat(startedAcquire.hold().toString()).doesNotContain("abc");
        assertThat(server.openConnections()).isEqualTo(1);
    }

    @Test
    void an_acquire_waits_on_its_own_connection_with_its_timeout_rounded_up() throws Exception {
        var startedAcquire = client.lock("k", ofMillis(5100));
        var common = server.next("l k 0").respond("timeout");
        server.next("e k ").respond("queued");
        client.clock.advance(ofMillis(50));
        var wait = server.next("w k 6");
        long sent = client.clock.nanoTime();
        client.clock.advance(ofSeconds(2));
        wait.respond("ok abc 33");

        assertThat(wait.connection()).isNotSameAs(common);
        assertThat(startedAcquire.hold().requestedAtNanos()).isLessThanOrEqualTo(sent);
        var released = startedAcquire.hold().release();
        assertThat(server.next("r k abc").respond("ok")).isSameAs(wait.connection());
        assertThat(get(released)).isTrue();
    }

    @Test
    void a_semaphore_acquire_sends_its_limit() throws Exception {
        var startedAcquire =
                client.acquire(
                        Kind.SEMAPHORE, "s", 3, AcquireRequest.FOREVER, ofSeconds(9).toNanos());
        server.next("sl s 0 3 9").respond("timeout");
        server.next("se s 3 9").respond("acquired abc 9");
        server.next("sw s 9223372036").respond("ok abc 9");

        var renewed = startedAcquire.hold().renew(0);
        server.next("sn s abc").respond("ok 33");
        assertThat(get(renewed)).isEqualTo(ofSeconds(33).toNanos());
        var released = startedAcquire.hold().release();
        server.next("sr s abc").respond("error");
        assertThat(get(released)).isFalse();
    }

    @Test
    void a_try_acquire_of_a_held_key_times_out_at_once() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(0));

        server.next("l k 0").respond("timeout");

        assertThat(startedAcquire.end()).isInstanceOf(AcquireOutcome.TimedOut.class);
    }

    @Test
    void an_acquire_is_enqueued_only_after_the_one_before_it() throws Exception {
        client.lock("k", ofSeconds(5));
        client.lock("k", ofSeconds(5));
        server.next("l k 0").respond("timeout");
        var first = server.next("e k ");
        var unused = client.service.command("get", "c", "_");
        server.next("get c _").respond("ok 0");

        assertThat(server.isQuiet()).isTrue();
        first.respond("queued");
        var next = server.next();
        var other = server.next();
        assertThat(next.text() + ", " + other.text()).isIn("w k 5, e k ", "e k , w k 5");
    }

    @Test
    void a_refused_acquire_fails_with_the_error_code_of_the_server() throws Exception {
        var tried = client.lock("k", ofSeconds(5));
        server.next("l k 0").respond("error_max_locks");
        assertThat(tried.end())
                .isInstanceOfSatisfying(
                        AcquireOutcome.Failed.class,
                        failed -> {
                            assertThat(failed.failure().kind())
                                    .isEqualTo(ServiceException.Kind.REFUSED);
                            assertThat(failed.failure().response()).isEqualTo("error_max_locks");
                        });

        var queued = client.lock("k", ofSeconds(5));
        server.next("l k 0").respond("timeout");
        server.next("e k ").respond("error_max_waiters");
        assertThat(queued.end()).isInstanceOf(AcquireOutcome.Failed.class);
    }

    @Test
    void an_acquire_of_an_unsupported_kind_fails_and_sends_nothing() throws Exception {
        var read = client.acquire(Kind.READ, "k", 1, 0, 0);
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
        assertThat(server.isQuiet()).isTrue();
    }

    @Test
    void a_cancelled_acquire_leaves_the_queue_by_closing_its_connection() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(5));
        var own = tryAndWait("k", 5);

        startedAcquire.attempt().cancel();
        startedAcquire.attempt().cancel();

        own.awaitEnd();
        assertThat(startedAcquire.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        client.clock.advance(ofSeconds(10));
        assertThat(startedAcquire.outcomes()).hasSize(1);
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void an_acquire_ends_exactly_at_its_deadline() throws Exception {
        var startedAcquire = client.lock("k", ofMillis(1300));
        var own = tryAndWait("k", 2);

        client.clock.advance(ofMillis(1299));
        assertThat(startedAcquire.outcome()).isNotDone();
        client.clock.advance(ofMillis(1));

        assertThat(startedAcquire.end()).isInstanceOf(AcquireOutcome.TimedOut.class);
        own.awaitEnd();
    }

    @Test
    void a_grant_to_a_cancelled_try_is_released() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(5));
        var attempt = server.next("l k 0");
        startedAcquire.attempt().cancel();
        attempt.respond("ok abc 33");

        server.next("r k abc").respond("ok");
        assertThat(startedAcquire.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(startedAcquire.outcomes()).hasSize(1);
    }

    @Test
    void acquires_beyond_the_maximum_number_of_connections_wait_in_the_client_in_order()
            throws Exception {
        client.lock("a", ofSeconds(50));
        tryAndWait("a", 50);
        var second = client.lock("b", ofSeconds(50));
        var ownOfB = tryAndWait("b", 50);
        var third = client.lock("c", ofSeconds(5));
        server.next("l c 0").respond("timeout");
        var fourth = client.lock("d", ofSeconds(50));
        server.next("l d 0").respond("timeout");
        var fifth = client.lock("e", ofSeconds(50));
        server.next("l e 0").respond("timeout");
        assertThat(server.openConnections()).isEqualTo(3);

        fourth.attempt().cancel();
        assertThat(fourth.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        second.attempt().cancel();
        ownOfB.awaitEnd();
        var ownOfC = enqueueAndWait("c", 5);
        assertThat(server.openConnections()).isLessThanOrEqualTo(3);
        ownOfC.send("ok abc 33");
        assertThat(third.hold().key()).isEqualTo("c");
        enqueueAndWait("e", 50); // on the connection with the hold: there is no other
        assertThat(fifth.outcome()).isNotDone();
    }

    @Test
    void an_acquire_without_a_connection_is_retried_when_its_key_is_released() throws Exception {
        var held = client.lock("k", ofSeconds(0));
        server.next("l k 0").respond("ok abc 33");
        held.hold();
        client.lock("a", ofSeconds(50));
        tryAndWait("a", 50);
        client.lock("b", ofSeconds(50));
        tryAndWait("b", 50);
        var startedAcquire = client.lock("k", ofSeconds(50));
        server.next("l k 0").respond("timeout");

        var released = held.hold().release();
        server.next("r k abc").respond("ok");

        server.next("l k 0").respond("ok def 33");
        assertThat(startedAcquire.hold().token()).isEqualTo("def");
        assertThat(get(released)).isTrue();
    }

    @Test
    void an_acquire_without_a_connection_is_retried_periodically() throws Exception {
        client.lock("a", ofSeconds(50));
        tryAndWait("a", 50);
        client.lock("b", ofSeconds(50));
        tryAndWait("b", 50);
        var startedAcquire = client.lock("k", ofSeconds(50));
        server.next("l k 0").respond("timeout");
        var response = client.service.command("get", "c", "_");
        server.next("get c _").respond("ok 0");
        get(response);

        client.clock.advance(ofMillis(500));
        server.next("l k 0").respond("ok abc 33");

        assertThat(startedAcquire.hold().key()).isEqualTo("k");
    }

    @Test
    void a_cancelled_acquire_keeps_a_connection_that_has_holds() throws Exception {
        client.lock("x", ofSeconds(50));
        tryAndWait("x", 50);
        var held = client.lock("a", ofSeconds(50));
        var own = tryAndWait("a", 50);
        own.send("ok abc 33");
        held.hold();
        var startedAcquire = client.lock("b", ofSeconds(50));
        assertThat(tryAndWait("b", 50)).isSameAs(own);

        startedAcquire.attempt().cancel();
        assertThat(startedAcquire.end()).isInstanceOf(AcquireOutcome.Cancelled.class);
        var renewed = held.hold().renew(0);
        assertThat(server.next("n a abc").respond("ok 33")).isNotSameAs(own);
        get(renewed);
        own.send("ok def 33"); // the acquire has been cancelled

        server.next("r b def").respond("ok");
        assertThat(startedAcquire.outcomes()).hasSize(1);
        assertThat(own.isOpen()).isTrue();
    }

    @Test
    void a_waiting_acquire_starts_over_after_its_connection_was_lost() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(50));
        tryAndWait("k", 50).cut();

        server.next("l k 0").respond("timeout");
        enqueueAndWait("k", 50).send("ok abc 33");

        assertThat(startedAcquire.hold().token()).isEqualTo("abc");
        assertThat(client.events).containsExactly("connected");
    }

    @Test
    void a_waiting_acquire_starts_over_after_the_server_shut_down() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(50));
        var own = tryAndWait("k", 50);
        own.send("error");

        server.next("l k 0").respond("timeout");
        client.clock.advance(ofSeconds(1));
        enqueueAndWait("k", 49).send("ok abc 33");

        assertThat(startedAcquire.hold().token()).isEqualTo("abc");
    }

    @Test
    void a_hold_is_lost_with_the_connection_that_acquired_it() throws Exception {
        var startedAcquire = client.lock("k", ofSeconds(50));
        var own = tryAndWait("k", 50);
        own.send("ok abc 33");
        var lost = new CompletableFuture<Loss>();
        startedAcquire.hold().onLost(lost::complete);

        own.cut();

        assertThat(get(lost)).isEqualTo(Loss.CONNECTION);
        assertThat(get(startedAcquire.hold().renew(0))).isEqualTo(-1);
        assertThat(get(startedAcquire.hold().release())).isFalse();
        server.next("ping _ _").respond("ok");
        await().until(() -> client.events.contains("reconnected"));
        assertThat(client.events).containsExactly("connected", "suspended", "lost", "reconnected");
        var late = new CompletableFuture<Loss>();
        startedAcquire.hold().onLost(late::complete);
        assertThat(get(late)).isEqualTo(Loss.CONNECTION);
    }
}
