package io.holdfast.client;

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

@DisplayName("A hold")
class HoldTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final FakeHoldfast fake = new FakeHoldfast();
    private final Holdfast a = fake.client("a");
    private final Holdfast b = fake.client("b");
    private final List<LossReason> losses = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void nothing_is_left() {
        fake.close();
        assertThat(fake.inUse()).isZero();
    }

    @Test
    void a_hold_has_a_key_a_lease_and_a_fence() throws Exception {
        try (var hold = a.lock("k").lease(LEASE).acquire(Duration.ZERO)) {
            assertThat(hold.key()).isEqualTo("k");
            assertThat(hold.lease()).isEqualTo(LEASE);
            assertThat(hold.fence()).isPresent();
            assertThat(hold.isHeld()).isTrue();
            assertThat(hold.parts()).containsExactly(hold);
        }
    }

    @Test
    void a_hold_excludes_others_until_it_is_closed() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        assertThat(b.lock("k").tryAcquire()).isEmpty();
        hold.close();
        assertThat(hold.isHeld()).isFalse();
        try (var next = b.lock("k").acquire(Duration.ZERO)) {
            assertThat(next.fence().getAsLong()).isGreaterThan(hold.fence().getAsLong());
        }
    }

    @Test
    void a_hold_with_a_given_lease_is_renewed_until_it_is_closed() throws Exception {
        try (var hold = a.lock("k").lease(LEASE).acquire(Duration.ZERO)) {
            for (int i = 0; i < 40; i++) {
                fake.advance(Duration.ofSeconds(7));
                assertThat(hold.heldForAtLeast(Duration.ofSeconds(18))).isTrue();
            }
        }
    }

    @Test
    void held_for_at_least_is_computed_from_the_clock() throws Exception {
        try (var hold = a.lock("k").lease(LEASE).renew(false).acquire(Duration.ZERO)) {
            assertThat(hold.heldForAtLeast(LEASE)).isTrue();
            assertThat(hold.heldForAtLeast(LEASE.plusNanos(1))).isFalse();
            fake.advance(LEASE.minusNanos(1));
            assertThat(hold.heldForAtLeast(Duration.ofNanos(1))).isTrue();
            assertThat(hold.heldForAtLeast(Duration.ofNanos(2))).isFalse();
        }
    }

    @Test
    void a_hold_without_renewal_is_lost_when_its_lease_ends() throws Exception {
        var hold = a.lock("k").lease(LEASE).renew(false).onLost(losses::add).acquire(Duration.ZERO);
        fake.advance(LEASE);
        assertThat(hold.isHeld()).isFalse();
        assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
        assertThat(losses).containsExactly(LossReason.EXPIRED);
        assertThatThrownBy(hold::ensureHeld)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("k")
                .hasMessageNotContaining(hold.token());
        assertThat(b.lock("k").tryAcquire()).isPresent();
    }

    @Test
    void a_hold_is_not_renewed_after_max_hold() throws Exception {
        var hold =
                a.lock("k")
                        .lease(LEASE)
                        .maxHold(Duration.ofSeconds(60))
                        .onLost(losses::add)
                        .acquire(Duration.ZERO);
        fake.advance(Duration.ofSeconds(60));
        assertThat(hold.isHeld()).isTrue();
        fake.advance(LEASE);
        assertThat(losses).containsExactly(LossReason.EXPIRED);
    }

    @Test
    void a_hold_can_be_renewed_explicitly_with_another_lease() throws Exception {
        try (var hold = a.lock("k").lease(LEASE).renew(false).acquire(Duration.ZERO)) {
            fake.advance(Duration.ofSeconds(20));
            hold.renew();
            assertThat(hold.heldForAtLeast(LEASE)).isTrue();
            hold.renew(Duration.ofSeconds(5));
            assertThat(hold.lease()).isEqualTo(Duration.ofSeconds(5));
            assertThat(hold.heldForAtLeast(Duration.ofSeconds(6))).isFalse();
            fake.advance(Duration.ofSeconds(5));
            assertThat(hold.isHeld()).isFalse();
            assertThatThrownBy(hold::renew).isInstanceOf(LeaseLostException.class);
        }
    }

    @Test
    void a_release_by_another_client_is_reported() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        hold.onLost(losses::add);
        assertThat(fake.releaseByToken("k")).isEqualTo(1);
        assertThat(losses).containsExactly(LossReason.RELEASED);
        hold.onLost(losses::add);
        fake.advance(Duration.ZERO);
        assertThat(losses).containsExactly(LossReason.RELEASED, LossReason.RELEASED);
    }

    @Test
    void a_closed_hold_reports_no_loss() throws Exception {
        var hold = a.lock("k").onLost(losses::add).acquire(Duration.ZERO);
        hold.close();
        hold.close();
        fake.dropSession(a);
        fake.advance(Duration.ofMinutes(2));
        assertThat(losses).isEmpty();
        assertThat(hold.lossReason()).isEmpty();
        assertThatThrownBy(hold::ensureHeld).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_loss_interrupts_the_acquiring_thread_if_requested() throws Exception {
        var hold = a.lock("k").interruptOnLoss().acquire(Duration.ZERO);
        fake.releaseByToken("k");
        assertThat(Thread.interrupted()).isTrue();
        hold.close();
        var closed = a.lock("k").interruptOnLoss().acquire(Duration.ZERO);
        closed.close();
        fake.dropSession(a);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void close_works_in_an_interrupted_thread_and_keeps_the_interrupt_flag() throws Exception {
        var hold = a.lock("k").acquire(Duration.ZERO);
        Thread.currentThread().interrupt();
        hold.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(b.lock("k").tryAcquire()).isPresent();
    }

    @Test
    void close_after_keeps_the_key_held_for_the_given_time() throws Exception {
        var hold = a.lock("k").unbound().onLost(losses::add).acquire(Duration.ZERO);
        hold.closeAfter(Duration.ofSeconds(10));
        assertThat(hold.isHeld()).isFalse();
        a.close();
        fake.advance(Duration.ofSeconds(9));
        assertThat(b.lock("k").tryAcquire()).isEmpty();
        fake.advance(Duration.ofSeconds(1));
        assertThat(b.lock("k").tryAcquire()).isPresent();
        assertThat(losses).isEmpty();
    }

    @Test
    void a_hold_does_not_print_its_token() throws Exception {
        try (var hold = a.lock("k").acquire(Duration.ZERO)) {
            assertThat(hold.toString())
                    .contains("k", Long.toString(hold.fence().getAsLong()))
                    .doesNotContain(hold.token());
        }
    }

    @Test
    void a_hold_is_lost_when_its_client_is_closed() throws Exception {
        var hold = a.lock("k").onLost(losses::add).acquire(Duration.ZERO);
        a.close();
        fake.advance(Duration.ZERO);
        assertThat(hold.isHeld()).isFalse();
        assertThat(losses).containsExactly(LossReason.CLIENT_CLOSED);
        assertThat(b.lock("k").tryAcquire()).isPresent();
        assertThatThrownBy(() -> a.lock("k").tryAcquire())
                .isInstanceOf(ClientClosedException.class);
    }

    @Test
    void readers_share_a_lock_and_exclude_writers() throws Exception {
        var read = a.readWriteLock("k").read().acquire(Duration.ZERO);
        var other = b.readWriteLock("k").read().acquire(Duration.ZERO);
        assertThat(b.lock("k").tryAcquire()).isEmpty();
        read.close();
        other.close();
        try (var write = b.readWriteLock("k").write().acquire(Duration.ZERO)) {
            assertThat(a.readWriteLock("k").read().tryAcquire()).isEmpty();
            assertThat(write.isHeld()).isTrue();
        }
    }

    @Test
    void a_semaphore_admits_holders_up_to_its_limit() throws Exception {
        try (var one = a.semaphore("s", 2).acquire(Duration.ZERO);
                var two = b.semaphore("s", 2).acquire(Duration.ZERO)) {
            assertThat(one.isHeld() && two.isHeld()).isTrue();
            assertThat(a.semaphore("s", 2).tryAcquire()).isEmpty();
            assertThatThrownBy(() -> a.semaphore("s", 3).tryAcquire())
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("error_limit_mismatch");
        }
    }
}
