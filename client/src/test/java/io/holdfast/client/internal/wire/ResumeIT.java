package io.holdfast.client.internal.wire;

import static io.holdfast.client.internal.wire.TaggedServiceFixture.SECOND;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.get;
import static io.holdfast.client.internal.wire.TaggedServiceFixture.soon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("When a tagged connection is lost")
@Execution(ExecutionMode.CONCURRENT)
class ResumeIT {
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

    private static void assertFails(ServiceException.Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .cause()
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    private static CopyOnWriteArrayList<GrantedHold.Loss> losses(GrantedHold hold) {
        var losses = new CopyOnWriteArrayList<GrantedHold.Loss>();
        hold.onLost(losses::add);
        return losses;
    }

    @Test
    void a_resumed_session_keeps_its_holds_and_waiters() throws Exception {
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        var losses = losses(hold);
        server.pagesOf(3);
        var waits = new ArrayList<TaggedServiceFixture.Call>();
        for (int i = 0; i < 10; i++) {
            waits.add(taggedServiceFixture.lock("k"));
        }
        soon().until(() -> server.waiting("k") == 10);
        for (int round = 0; round < 3; round++) {
            server.cut();
            taggedServiceFixture.awaitEvent("suspended");
            taggedServiceFixture.awaitEvent("restored");
        }
        assertThat(server.count("l")).isEqualTo(11);
        assertThat(server.count("mine")).isEqualTo(15);
        assertThat(get(hold.release())).isTrue();
        long fence = hold.fence().getAsLong();
        for (TaggedServiceFixture.Call call : waits) {
            assertThat(call.hold().fence()).hasValue(++fence);
            get(call.hold().release());
        }
        assertThat(losses).isEmpty();
        assertThat(taggedServiceFixture.events()).hasSize(7).doesNotContain("lost");
    }

    @Test
    void a_grant_whose_response_was_lost_is_found_by_the_resume() throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call call = taggedServiceFixture.lock("k");
        soon().until(() -> server.waiting("k") == 1);
        server.suppressResponse("l");
        server.free("k");
        server.cut();
        GrantedHold hold = call.hold();
        assertThat(call.certaintyAtGrant()).isEqualTo(GrantedHold.Certainty.HELD);
        assertThat(hold.leaseNanos()).isEqualTo(33 * SECOND);
        // 20 seconds of the lease remained when it was listed.
        assertThat(hold.requestedAtNanos() + hold.leaseNanos())
                .isLessThanOrEqualTo(System.nanoTime() + 20 * SECOND);
        assertThat(get(hold.release())).isTrue();
    }

    @Test
    void a_waiter_that_is_granted_between_two_pages_of_the_list_is_held() throws Exception {
        server.occupy("k");
        TaggedServiceFixture.Call call = taggedServiceFixture.lock("k");
        soon().until(() -> server.waiting("k") == 1);
        server.afterNextMine(() -> server.free("k"));
        server.cut();
        var losses = losses(call.hold());
        assertThat(call.certaintyAtGrant()).isEqualTo(GrantedHold.Certainty.HELD);
        taggedServiceFixture.awaitEvent("restored");
        assertThat(get(call.hold().renew(0))).isEqualTo(33 * SECOND);
        assertThat(losses).isEmpty();
    }

    @Test
    void a_hold_that_ends_between_two_pages_of_the_list_is_not_granted() throws Exception {
        server.suppressResponse("l");
        TaggedServiceFixture.Call call = taggedServiceFixture.lock("k");
        soon().until(() -> server.held("k") == 1);
        server.respondAgain();
        server.afterNextMine(() -> server.expire("k"));
        server.cut();
        assertThat(call.hold().fence()).hasValue(102);
        assertThat(get(call.hold().renew(0))).isEqualTo(33 * SECOND);
    }

    @Test
    void an_acquire_that_the_server_did_not_receive_is_sent_again() throws Exception {
        server.ignore("l");
        TaggedServiceFixture.Call call = taggedServiceFixture.lock("k");
        soon().until(() -> server.count("l") == 1);
        server.respondAgain();
        server.cut();
        call.hold();
        assertThat(server.count("l")).isEqualTo(2);
    }

    @Test
    void a_release_and_a_renewal_in_flight_are_completed_after_the_resume() throws Exception {
        GrantedHold released = taggedServiceFixture.lock("a").hold();
        GrantedHold unreleased = taggedServiceFixture.lock("b").hold();
        GrantedHold renewed = taggedServiceFixture.lock("c").hold();
        server.suppressResponse("r");
        server.ignore("n");
        var first = released.release();
        soon().until(() -> server.held("a") == 0);
        server.ignore("r");
        var second = unreleased.release();
        var third = renewed.renew(0);
        soon().until(() -> server.count("n") == 1);
        server.cutAndReject();
        taggedServiceFixture.awaitEvent("suspended");
        var fourth = renewed.release();
        server.respondAgain();
        server.acceptAgain();
        assertThat(get(first)).isTrue();
        assertThat(get(second)).isTrue();
        assertThat(get(third)).isEqualTo(33 * SECOND);
        assertThat(get(fourth)).isTrue();
        assertThat(server.count("r")).isEqualTo(4); // the first one is not repeated
        assertThat(server.held("b") + server.held("c")).isZero();
    }

    @Test
    void a_hold_that_the_server_does_not_list_any_more_is_lost() throws Exception {
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        var losses = losses(hold);
        server.cutAndReject();
        taggedServiceFixture.awaitEvent("suspended");
        server.expire("k");
        server.acceptAgain();
        taggedServiceFixture.awaitEvent("restored");
        assertThat(losses).containsExactly(GrantedHold.Loss.RELEASED); // its lease has not expired
        assertThat(get(hold.renew(0))).isEqualTo(-1);
    }

    @Test
    void a_session_that_is_not_resumed_loses_its_holds_but_not_its_waiters() throws Exception {
        GrantedHold bound = taggedServiceFixture.lock("k").hold();
        GrantedHold unbound = taggedServiceFixture.unbound("free").hold();
        var losses = losses(bound);
        var kept = losses(unbound);
        TaggedServiceFixture.Call wait = taggedServiceFixture.lock("k");
        TaggedServiceFixture.Call more = taggedServiceFixture.lock("k");
        soon().until(() -> server.waiting("k") == 2);
        server.endSessions();
        server.cut();
        assertThat(wait.hold().fence().getAsLong()).isGreaterThan(bound.fence().getAsLong());
        assertThat(more.isDone()).isFalse();
        assertThat(losses).containsExactly(GrantedHold.Loss.CONNECTION);
        assertThat(get(bound.release())).isFalse();
        assertThat(get(unbound.renew(0))).isEqualTo(33 * SECOND);
        assertThat(get(unbound.release())).isTrue();
        assertThat(server.held("free")).isZero();
        assertThat(kept).isEmpty();
        assertThat(taggedServiceFixture.events())
                .containsExactly("connected", "suspended", "lost", "reconnected");
    }

    @Test
    void a_session_is_lost_at_the_end_of_its_grace_period_and_ended_if_it_is_resumed_later()
            throws Exception {
        taggedServiceFixture.close();
        server.grace(100);
        taggedServiceFixture = TaggedServiceFixture.to(server);
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        var losses = losses(hold);
        server.cutAndReject();
        taggedServiceFixture.awaitEvent("lost");
        assertThat(losses).containsExactly(GrantedHold.Loss.CONNECTION);
        server.acceptAgain();
        taggedServiceFixture.awaitEvent("reconnected");
        soon().until(() -> server.held("k") == 0);
        assertThat(server.sessions()).isEqualTo(1);
    }

    @Test
    void without_a_server_waiters_time_out_and_try_acquires_fail() throws Exception {
        taggedServiceFixture.close();
        server.grace(0);
        taggedServiceFixture = TaggedServiceFixture.to(server);
        server.cutAndReject();
        taggedServiceFixture.awaitEvent("lost");
        assertThat(taggedServiceFixture.lock("k", SECOND / 10).outcome())
                .isInstanceOf(AcquireOutcome.TimedOut.class);
        TaggedServiceFixture.Call cancelled = taggedServiceFixture.lock("k");
        cancelled.cancel();
        assertThat(cancelled.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        TaggedServiceFixture.Call attempt = taggedServiceFixture.lock("k", 0);
        var command = taggedServiceFixture.service().command("incr", "n", "1");
        assertFails(ServiceException.Kind.UNREACHABLE, () -> get(command));
        assertThat(((AcquireOutcome.Failed) attempt.outcome()).failure().kind())
                .isEqualTo(ServiceException.Kind.UNREACHABLE);
        var late = taggedServiceFixture.service().command("incr", "n", "1");
        server.acceptAgain();
        assertThat(get(late)).isEqualTo("ok");
    }

    @Test
    void a_command_in_flight_has_an_unknown_outcome() throws Exception {
        server.suppressResponse("incr");
        var command = taggedServiceFixture.service().command("incr", "n", "1");
        soon().until(() -> server.count("incr") == 1);
        server.cut();
        assertFails(ServiceException.Kind.OUTCOME_UNKNOWN, () -> get(command));
    }

    @Test
    void acquires_that_ended_without_a_connection_are_cancelled_or_released_after_the_resume()
            throws Exception {
        server.occupy("a");
        server.occupy("b");
        TaggedServiceFixture.Call cancelled = taggedServiceFixture.lock("a");
        TaggedServiceFixture.Call late = taggedServiceFixture.lock("b", SECOND);
        TaggedServiceFixture.Call waiting = taggedServiceFixture.lock("b", SECOND);
        soon().until(() -> server.waiting("b") == 2);
        server.cutAndReject();
        taggedServiceFixture.awaitEvent("suspended");
        cancelled.cancel();
        assertThat(cancelled.outcome()).isInstanceOf(AcquireOutcome.Cancelled.class);
        assertThat(late.outcome()).isInstanceOf(AcquireOutcome.TimedOut.class);
        assertThat(waiting.outcome()).isInstanceOf(AcquireOutcome.TimedOut.class);
        server.free("b"); // grants to the first of the two, which has no connection
        server.acceptAgain();
        soon().until(() -> server.waiting("a") == 0);
        soon().until(() -> server.held("b") == 0);
        soon().until(() -> server.waiting("b") == 0);
    }

    @Test
    void a_silent_server_is_detected() throws Exception {
        taggedServiceFixture.close();
        taggedServiceFixture = TaggedServiceFixture.withReadTimeout(server, Duration.ofMillis(900));
        GrantedHold hold = taggedServiceFixture.lock("k").hold();
        server.fallSilent();
        taggedServiceFixture.awaitEvent("suspended");
        server.respondAgain();
        taggedServiceFixture.awaitEvent("restored");
        assertThat(get(hold.release())).isTrue();
    }

    @Test
    void a_server_that_has_become_plain_is_reported_as_unsupported() throws Exception {
        taggedServiceFixture.close();
        server.grace(0);
        taggedServiceFixture = TaggedServiceFixture.to(server);
        TaggedServiceFixture.Call wait = taggedServiceFixture.lock("k");
        wait.hold();
        server.becomePlain(true);
        server.cut();
        taggedServiceFixture.awaitEvent("lost");
        var command = taggedServiceFixture.service().command("incr", "n", "1");
        assertFails(ServiceException.Kind.UNSUPPORTED, () -> get(command));
        server.becomePlain(false);
        taggedServiceFixture.awaitEvent("reconnected");
        taggedServiceFixture.lock("other").hold();
    }

    @Test
    void a_connection_loss_during_a_release_leaves_nothing_held() throws Exception {
        for (int round = 0; round < 15; round++) {
            GrantedHold hold = taggedServiceFixture.lock("k").hold();
            var cut = new Thread(server::cut);
            cut.start();
            var released = hold.release();
            cut.join();
            assertThat(get(released)).isTrue();
            assertThat(server.held("k")).isZero();
        }
    }

    @Test
    void a_connection_loss_during_a_grant_and_a_cancel_yields_one_outcome() throws Exception {
        for (int round = 0; round < 15; round++) {
            server.occupy("k");
            var calls = List.of(taggedServiceFixture.lock("k"), taggedServiceFixture.lock("k"));
            var cut = new Thread(server::cut);
            cut.start();
            server.free("k");
            calls.get(round % 2).cancel();
            for (TaggedServiceFixture.Call call : calls) {
                if (call.outcome() instanceof AcquireOutcome.Granted granted) {
                    assertThat(get(granted.hold().release())).isTrue();
                }
            }
            cut.join();
            soon().until(() -> server.held("k") + server.waiting("k") == 0);
        }
    }
}
