package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.TaggedServiceFixture.SECOND;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.get;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("Over one tagged connection")
class TaggedServiceIT {
    private FakeTaggedServer server;
    private TaggedServiceFixture taggedServiceFixture;

    @BeforeEach
    void connect() throws Exception {
        server = new FakeTaggedServer();
        taggedServiceFixture = TaggedServiceFixture.to(server);
    }

    @AfterEach
    void disconnect() throws Exception {
        taggedServiceFixture.close();
        server.close();
    }

    @Test
    void a_lock_is_acquired_renewed_and_released() throws Exception {
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        assertThat(hold.key()).isEqualTo("k");
        assertThat(hold.fence()).hasValue(101);
        assertThat(hold.leaseNanos()).isEqualTo(30 * SECOND);
        assertThat(hold.requestedAtNanos()).isLessThan(System.nanoTime());
        assertThat(get(hold.renew(1_500_000_000))).isEqualTo(1_500_000_000);
        assertThat(get(hold.release())).isTrue();
        assertThat(get(hold.release())).isFalse();
        assertThat(get(hold.renew(0))).isEqualTo(-1);
        assertThat(hold.toString()).doesNotContain(hold.token());
        assertThat(server.held("k")).isZero();
    }

    @Test
    void requests_contain_the_requested_options() throws Exception {
        taggedServiceFixture
                .call(new AcquireRequest(Kind.READ, "a", 1, 1_000_001, 0, false))
                .hold();
        taggedServiceFixture
                .call(new AcquireRequest(Kind.SEMAPHORE, "b", 3, SECOND, 2 * SECOND, true))
                .hold();
        taggedServiceFixture.call(new AcquireRequest(Kind.LOCK, "c", 1, 0, 1, false)).hold();
        get(taggedServiceFixture.service().command("incr", "d", "4"));
        assertThat(server.received())
                .element(1)
                .satisfiesAnyOf(
                        line -> assertThat(line).isEqualTo("l a 2ms read"),
                        line ->
                                assertThat(line)
                                        .isEqualTo(
                                                "l a 1ms read")); // some of the timeout has passed
        assertThat(server.received().get(2)).matches("sl b (1|9..ms) 3 2 unbound");
        assertThat(server.received()).endsWith("l c 0 1ms", "incr d 4");
    }

    @Test
    void waiters_do_not_block_other_requests_and_are_granted_in_order() throws Exception {
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        var order = new CopyOnWriteArrayList<Integer>();
        var calls = new ArrayList<TaggedServiceFixture.Call>();
        for (int i = 0; i < 500; i++) {
            int number = i;
            calls.add(taggedServiceFixture.lock("k"));
            taggedServiceFixture
                    .service()
                    .acquire(
                            new AcquireRequest(Kind.LOCK, "k" + i, 1, SECOND, 0, false),
                            unused -> order.add(number));
        }
        soon().until(() -> order.size() == 500);
        assertThat(order).isSorted();
        assertThat(get(hold.renew(0))).isEqualTo(33 * SECOND);
        get(hold.release());
        for (TaggedServiceFixture.Call call : calls) {
            get(call.hold().release());
        }
    }

    @Test
    void a_refused_acquire_fails_with_the_error_code_of_the_server() throws Exception {
        server.occupy("k");
        assertThat(taggedServiceFixture.lock("k", 0).outcome())
                .isInstanceOf(AcquireOutcome.TimedOut.class);
        TaggedServiceFixture.Call waiting = taggedServiceFixture.lock("k");
        soon().until(() -> server.waiting("k") == 1);
        server.pushToAll("3 error_max_waiters");
        server.pushToAll("2 error_max_waiters");
        assertThat(((AcquireOutcome.Failed) waiting.outcome()).failure())
                .satisfies(
                        e -> {
                            assertThat(e.kind()).isEqualTo(ServiceException.Kind.REFUSED);
                            assertThat(e.response()).isEqualTo("error_max_waiters");
                        });
    }

    @Test
    void an_acquire_that_a_draining_server_refuses_is_sent_on_the_next_connection()
            throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call waiting = taggedServiceFixture.lock("k");
        soon().until(() -> server.waiting("k") == 1);
        server.pushToAll("1 error_draining");
        get(taggedServiceFixture.service().command("incr", "d", "4"));
        assertThat(waiting.isDone()).isFalse();
        server.endSessions();
        server.free("k");
        server.cut();
        waiting.hold();
    }

    @Test
    void a_cancelled_acquire_leaves_the_queue() throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call first = taggedServiceFixture.lock("k");
        TaggedServiceFixture.Call second = taggedServiceFixture.lock("k");
        first.cancel();
        assertThat(first.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        server.free("k");
        second.hold();
        second.cancel();
        assertThat(get(second.hold().renew(0))).isPositive();
    }

    @Test
    void a_cancel_concurrent_with_a_grant_has_one_outcome_and_leaves_no_hold() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            GrantedHold hold = taggedServiceFixture.lock("k").hold();
            TaggedServiceFixture.Call call = taggedServiceFixture.lock("k");
            var released = hold.release();
            call.cancel();
            if (call.outcome() instanceof AcquireOutcome.Granted granted) {
                get(granted.hold().release());
            }
            get(released);
        }
        assertThat(server.held("k")).isZero();
        assertThat(server.waiting("k")).isZero();
    }

    @Test
    void a_hold_reports_its_loss_once_and_nothing_after_its_release() throws Exception {
        GrantedHold lost = taggedServiceFixture.lock("k").hold();
        var losses = new CopyOnWriteArrayList<GrantedHold.Loss>();
        lost.onLost(losses::add);
        GrantedHold released = taggedServiceFixture.lock("other").hold();
        released.onLost(losses::add);
        var release = released.release();
        server.expire("k");
        server.expire("other");
        soon().until(() -> !losses.isEmpty());
        get(release);
        assertThat(get(lost.renew(0))).isEqualTo(-1);
        assertThat(get(lost.release())).isFalse();
        assertThat(losses).containsExactly(GrantedHold.Loss.EXPIRED);

        GrantedHold early = taggedServiceFixture.lock("k").hold();
        server.pushToAll("lost 6 released"); // 1 to 5 were the two locks, a release, and this one
        server.pushToAll("lost 5 released");
        server.pushToAll("lost 4 released");
        soon().untilAsserted(() -> assertThat(get(early.renew(0))).isEqualTo(-1));
        early.onLost(losses::add);
        soon().until(() -> losses.size() == 2);
        assertThat(losses.get(1)).isEqualTo(GrantedHold.Loss.RELEASED);
    }

    @Test
    void a_callback_that_throws_does_not_affect_other_requests() throws Exception {
        taggedServiceFixture
                .service()
                .acquire(
                        new AcquireRequest(Kind.LOCK, "a", 1, SECOND, 0, false),
                        unused -> {
                            throw new IllegalStateException("on purpose");
                        });
        taggedServiceFixture.lock("b").hold();
        assertThat(taggedServiceFixture.events()).containsExactly("connected");
    }

    @Test
    void callers_are_not_blocked_by_a_server_that_does_not_read() throws Exception {
        taggedServiceFixture.close();
        taggedServiceFixture = TaggedServiceFixture.withReadTimeout(server, Duration.ofMillis(600));
        server.fallSilent();
        String much = "x".repeat(60_000);
        var responses = new ArrayList<java.util.concurrent.CompletableFuture<String>>();
        for (int i = 0; i < 300; i++) {
            responses.add(taggedServiceFixture.service().command("signal", "c", much));
        }
        for (var response : responses) {
            assertThatThrownBy(() -> get(response))
                    .cause()
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            e ->
                                    assertThat(e.kind())
                                            .isEqualTo(ServiceException.Kind.OUTCOME_UNKNOWN));
        }
    }

    @Test
    void an_idle_connection_is_kept_alive() throws Exception {
        taggedServiceFixture.close();
        taggedServiceFixture =
                TaggedServiceFixture.withReadTimeout(server, Duration.ofMillis(2400));
        soon().until(() -> server.pings() >= 4); // at a third of the read timeout
        assertThat(taggedServiceFixture.events()).containsExactly("connected");
    }

    @Test
    void unexpected_lines_are_ignored_and_malformed_ones_close_the_connection() throws Exception {
        server.pushToAll("77 ok");
        server.pushToAll("0 error");
        server.pushToAll("news from the future");
        server.pushToAll("");
        taggedServiceFixture.lock("k").hold();
        assertThat(taggedServiceFixture.events()).isEqualTo(List.of("connected"));
        server.pushToAll("lost everything");
        taggedServiceFixture.awaitEvent("restored");
    }
}
