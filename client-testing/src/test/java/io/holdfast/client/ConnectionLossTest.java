package io.holdfast.client;

import static io.holdfast.client.ConnectionEvent.State.CONNECTED;
import static io.holdfast.client.ConnectionEvent.State.LOST;
import static io.holdfast.client.ConnectionEvent.State.RECONNECTED;
import static io.holdfast.client.ConnectionEvent.State.RESTORED;
import static io.holdfast.client.ConnectionEvent.State.SUSPENDED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.testing.FakeHoldfast;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

@DisplayName("When a connection is lost")
class ConnectionLossTest {
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final FakeHoldfast fake = new FakeHoldfast();
    private final List<ConnectionEvent.State> states =
            Collections.synchronizedList(new ArrayList<>());
    private final List<LossReason> losses = Collections.synchronizedList(new ArrayList<>());
    private final Holdfast a =
            fake.client(
                    "a",
                    builder ->
                            builder.grace(GRACE).onConnection(event -> states.add(event.state())));
    private final Holdfast b = fake.client("b");

    @AfterEach
    void nothing_is_left() {
        fake.close();
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void holds_survive_a_lost_connection_that_is_resumed_within_the_grace_period()
            throws Exception {
        var hold = a.lock("k").onLost(losses::add).acquire(Duration.ZERO);
        fake.disconnect(a);
        fake.advance(Duration.ofSeconds(2));
        assertThat(hold.isHeld()).isFalse(); // unknown
        assertThat(hold.lossReason()).isEmpty();
        assertThatThrownBy(hold::ensureHeld).isInstanceOf(OutcomeUnknownException.class);
        fake.reconnect(a);
        assertThat(hold.isHeld()).isTrue();
        fake.advance(Duration.ofMinutes(2));
        assertThat(hold.isHeld()).isTrue();
        assertThat(losses).isEmpty();
        assertThat(states).containsExactly(CONNECTED, SUSPENDED, RESTORED);
    }

    @Test
    void holds_are_reported_lost_when_the_grace_period_ends() throws Exception {
        var hold = a.lock("k").onLost(losses::add).acquire(Duration.ZERO);
        fake.disconnect(a);
        fake.advance(GRACE);
        assertThat(hold.isHeld()).isFalse();
        assertThat(losses).containsExactly(LossReason.CONNECTION_LOST);
        assertThat(b.lock("k").tryAcquire()).isPresent();
        fake.reconnect(a);
        assertThat(states).containsExactly(CONNECTED, SUSPENDED, LOST, RECONNECTED);
        assertThat(losses).hasSize(1);
    }

    @Test
    void a_lease_that_ends_without_a_connection_is_lost_at_once() throws Exception {
        var hold =
                a.lock("k").lease(Duration.ofSeconds(2)).onLost(losses::add).acquire(Duration.ZERO);
        fake.disconnect(a);
        fake.advance(Duration.ofSeconds(2));
        assertThat(hold.isHeld()).isFalse();
        assertThat(losses).containsExactly(LossReason.EXPIRED);
        fake.reconnect(a);
        assertThat(losses).hasSize(1);
    }

    @Test
    void an_unbound_hold_survives_and_is_renewed_after_the_reconnect() throws Exception {
        var hold =
                a.lock("k")
                        .unbound()
                        .lease(Duration.ofSeconds(30))
                        .onLost(losses::add)
                        .acquire(Duration.ZERO);
        fake.disconnect(a);
        fake.advance(Duration.ofSeconds(20));
        assertThat(hold.isHeld()).isTrue();
        fake.reconnect(a);
        fake.advance(Duration.ofMinutes(2));
        assertThat(hold.isHeld()).isTrue();
        hold.close();
        assertThat(b.lock("k").tryAcquire()).isPresent();
        assertThat(losses).isEmpty();
    }

    @Test
    void a_waiter_keeps_its_position_when_the_session_is_resumed() throws Exception {
        var hold = b.lock("k").acquire(Duration.ZERO);
        var first = a.lock("k").acquireAsync(Duration.ofMinutes(1));
        var second = b.lock("k").acquireAsync(Duration.ofMinutes(1));
        fake.disconnect(a);
        hold.close(); // the grant cannot be delivered
        assertThat(first).isNotDone();
        fake.reconnect(a);
        assertThat(first.join().isHeld()).isTrue();
        assertThat(second).isNotDone();
    }

    @Test
    void a_waiter_is_queued_again_after_the_session_was_lost() throws Exception {
        var hold = b.lock("k").acquire(Duration.ZERO);
        var waiting = a.lock("k").acquireAsync(Duration.ofMinutes(1));
        fake.disconnect(a);
        fake.advance(GRACE);
        assertThat(fake.inUse()).isEqualTo(1);
        fake.reconnect(a);
        assertThat(fake.inUse()).isEqualTo(2);
        hold.close();
        fake.advance(Duration.ZERO);
        assertThat(waiting.join().isHeld()).isTrue();
    }

    @Test
    void a_release_without_a_connection_returns_and_is_sent_after_the_resume() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        fake.disconnect(a);
        hold.close();
        assertThat(hold.isHeld()).isFalse();
        assertThat(b.lock("k").tryAcquire()).isEmpty();
        fake.reconnect(a);
        assertThat(b.lock("k").tryAcquire()).isPresent();
    }

    @Test
    void an_acquire_without_a_connection_ends_at_its_deadline() {
        fake.disconnect(a);
        var waiting = a.lock("k").acquireAsync(Duration.ofSeconds(1));
        fake.advance(Duration.ofSeconds(1));
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(() -> a.lock("k").tryAcquire())
                .isInstanceOf(ServerUnreachableException.class)
                .hasMessageContaining("k");
        assertThatThrownBy(() -> a.counter("c").increment())
                .isInstanceOf(ServerUnreachableException.class);
    }

    @Test
    void an_acquire_whose_grant_cannot_be_delivered_ends_at_its_deadline_and_leaves_no_hold()
            throws Exception {
        var hold = b.lock("k").acquire(Duration.ZERO);
        var waiting = a.lock("k").acquireAsync(Duration.ofSeconds(1));
        fake.disconnect(a);
        hold.close();
        fake.advance(Duration.ofSeconds(1));
        assertThat(waiting).isCompletedExceptionally();
        assertThat(fake.inUse()).isEqualTo(1);
        fake.reconnect(a);
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void a_callback_that_throws_or_blocks_does_not_affect_others() throws Exception {
        var never = new java.util.concurrent.CountDownLatch(1);
        var c =
                fake.client(
                        "c",
                        builder ->
                                builder.onConnection(
                                        event -> {
                                            throw new IllegalStateException("a test's failure");
                                        }));
        c.lock("k")
                .onLost(
                        reason -> {
                            losses.add(reason);
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        })
                .acquire(Duration.ZERO);
        c.lock("l").onLost(losses::add).acquire(Duration.ZERO);
        fake.dropSession(c);
        assertThat(losses).hasSize(2);
        never.countDown();
    }
}
