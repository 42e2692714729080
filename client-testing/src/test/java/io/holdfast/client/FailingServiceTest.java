package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

@DisplayName("With a service that is late, silent or wrong")
class FailingServiceTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    private final ScriptedService service = new ScriptedService();
    private final Holdfast client = service.client(SHORT);

    private static <T> CompletableFuture<T> unreachable() {
        return CompletableFuture.failedFuture(
                new ServiceException(ServiceException.Kind.UNREACHABLE, "cut", "", null));
    }

    private Hold granted(ScriptedService.Granted granted) {
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(1));
        service.requests
                .get(service.requests.size() - 1)
                .accept(new AcquireOutcome.Granted(granted));
        return future.join();
    }

    @Test
    void a_grant_to_an_interrupted_caller_is_released() throws Exception {
        var waiting = Background.run(() -> client.lock("k").acquire());
        Background.until(() -> service.requests.size() == 1);
        waiting.thread().interrupt();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
        assertThat(service.cancelled).hasValue(1);
        var late = service.new Granted();
        service.requests.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void a_grant_that_is_delayed_beyond_the_wait_of_an_interrupted_caller_is_released()
            throws Exception {
        var reached = new CountDownLatch(1);
        var stuck = new CountDownLatch(1);
        var listener =
                new ClientEventListener() {
                    @Override
                    public void acquireEnded(String key, AcquireResult result, Duration waited) {
                        reached.countDown();
                        try {
                            stuck.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                };
        var listening = service.client(SHORT, builder -> builder.listener(listener));
        var waiting = Background.run(() -> listening.lock("k").acquire());
        Background.until(() -> service.requests.size() == 1);
        var granted = service.new Granted();
        var granting =
                Background.run(
                        () -> {
                            service.requests.get(0).accept(new AcquireOutcome.Granted(granted));
                            return true;
                        });
        reached.await();
        waiting.thread().interrupt();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
        stuck.countDown();
        granting.get();
        assertThat(granted.releases).hasValue(1);
    }

    @Test
    void a_grant_to_a_cancelled_acquire_is_released() {
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(1));
        future.cancel(false);
        var late = service.new Granted();
        service.requests.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void an_acquire_without_a_response_times_out_and_a_later_grant_is_released() {
        var future = client.lock("k").acquireAsync(Duration.ofSeconds(1));
        service.clock.advance(Duration.ofSeconds(1).plus(SHORT).plus(SHORT).toNanos(), () -> {});
        assertThatThrownBy(future::join).hasCauseInstanceOf(AcquireTimeoutException.class);
        assertThat(service.cancelled).hasValue(1);
        var late = service.new Granted();
        service.requests.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void close_returns_although_the_release_gets_no_response() {
        var granted = service.new Granted();
        granted.release = CompletableFuture::new;
        var hold = granted(granted);
        Thread.currentThread().interrupt();
        hold.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(granted.releases).hasValue(1);
    }

    @Test
    void a_late_grant_is_not_handed_out_before_it_is_renewed() {
        var granted = service.new Granted();
        var response = new CompletableFuture<Long>();
        granted.renewal = () -> response;
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(16).toNanos(), () -> {});
        service.requests.get(0).accept(new AcquireOutcome.Granted(granted));
        assertThat(future).isNotDone();
        service.clock.advance(Duration.ofSeconds(5).toNanos(), () -> {});
        response.complete(granted.leaseNanos());
        var hold = future.join();
        // The lease counts from before the renewal was sent.
        assertThat(hold.heldForAtLeast(Duration.ofSeconds(25))).isTrue();
        assertThat(hold.heldForAtLeast(Duration.ofSeconds(25).plusNanos(1))).isFalse();
    }

    @Test
    void a_late_grant_that_has_expired_is_acquired_again() {
        var gone = service.new Granted();
        gone.renewal = () -> CompletableFuture.completedFuture(-1L);
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(40).toNanos(), () -> {});
        service.requests.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(service.requests).hasSize(2);
        service.requests.get(1).accept(new AcquireOutcome.Granted(service.new Granted()));
        assertThat(future.join().isHeld()).isTrue();
    }

    @Test
    void renewals_are_retried_until_the_deadline_and_the_loss_is_reported_once() {
        var granted = service.new Granted();
        var hold = granted(granted);
        var losses = new ArrayList<LossReason>();
        hold.onLost(losses::add);
        granted.renewal = FailingServiceTest::unreachable;
        service.clock.advance(Duration.ofSeconds(20).toNanos(), () -> {});
        assertThat(granted.renewals.get()).isGreaterThan(5);
        granted.renewal = () -> CompletableFuture.completedFuture(granted.leaseNanos());
        service.clock.advance(Duration.ofSeconds(20).toNanos(), () -> {});
        assertThat(hold.isHeld()).isTrue();
        granted.renewal = FailingServiceTest::unreachable;
        service.clock.advance(Duration.ofSeconds(60).toNanos(), () -> {});
        assertThat(losses).containsExactly(LossReason.EXPIRED);
        int tried = granted.renewals.get();
        service.clock.advance(Duration.ofSeconds(60).toNanos(), () -> {});
        assertThat(granted.renewals).hasValue(tried);
    }

    @Test
    void a_grant_that_is_lost_before_it_is_handed_out_is_not_reported() {
        var losses = new ArrayList<LossReason>();
        var gone = service.new Granted();
        gone.renewal = () -> CompletableFuture.completedFuture(-1L);
        var future = client.lock("k").onLost(losses::add).acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(40).toNanos(), () -> {});
        service.requests.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(future).isNotDone();
        assertThat(losses).isEmpty();
        var granted = service.new Granted();
        service.requests.get(1).accept(new AcquireOutcome.Granted(granted));
        assertThat(future.join().isHeld()).isTrue();
        granted.renewal = FailingServiceTest::unreachable;
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(losses).containsExactly(LossReason.EXPIRED);
    }

    @Test
    void a_grant_that_is_lost_as_it_is_handed_out_is_reported_once_to_each_listener() {
        var losses = new ArrayList<LossReason>();
        var notified = new ArrayList<String>();
        var listener =
                new ClientEventListener() {
                    @Override
                    public void acquireEnded(String key, AcquireResult result, Duration waited) {
                        notified.add(result.name());
                    }

                    @Override
                    public void lost(String key, LossReason reason, Duration held) {
                        notified.add("lost " + reason);
                    }
                };
        var listening = service.client(SHORT, builder -> builder.listener(listener));
        var gone = service.new Granted();
        gone.lost = GrantedHold.Loss.RELEASED;
        var future = listening.lock("k").onLost(losses::add).acquireAsync(Duration.ofMinutes(2));
        service.requests.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(future.join().lossReason()).contains(LossReason.RELEASED);
        assertThat(losses).containsExactly(LossReason.RELEASED);
        assertThat(notified).containsExactly("ACQUIRED", "lost RELEASED");
    }

    @Test
    void a_renewal_response_after_the_deadline_does_not_revive_the_hold() {
        var granted = service.new Granted();
        var response = new CompletableFuture<Long>();
        granted.renewal = () -> response;
        var hold = granted(granted);
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(hold.isHeld()).isFalse();
        response.complete(granted.leaseNanos());
        assertThat(hold.isHeld()).isFalse();
        assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
    }

    @Test
    void a_renewal_response_at_the_deadline_is_too_late() {
        var granted = service.new Granted();
        var response = new CompletableFuture<Long>();
        granted.renewal = () -> response;
        // Runs before the timer of the hold, which is due at the same time.
        service.clock.schedule(granted.leaseNanos(), () -> response.complete(granted.leaseNanos()));
        var hold = granted(granted);
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
    }

    @Test
    void a_command_without_a_valid_response_has_an_unknown_outcome() {
        service.response = CompletableFuture::new;
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("incr c at scripted:1");
        service.response = () -> CompletableFuture.completedFuture("error_max_keys");
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.reason()).isEqualTo("error_max_keys"));
        service.response = () -> CompletableFuture.completedFuture("ok nonsense");
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOf(OutcomeUnknownException.class);
        service.response = () -> CompletableFuture.completedFuture("ok {]");
        assertThatThrownBy(client::stats).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void a_command_in_an_interrupted_thread_completes_and_keeps_the_interrupt_flag() {
        service.response = () -> CompletableFuture.completedFuture("ok 5");
        Thread.currentThread().interrupt();
        assertThat(client.counter("c").get()).isEqualTo(5);
        assertThat(Thread.interrupted()).isTrue();
    }
}
