package io.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.ServiceException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

@DisplayName("With a service that is late, mute or wrong")
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
        service.asked.get(service.asked.size() - 1).accept(new AcquireOutcome.Granted(granted));
        return future.join();
    }

    @Test
    void a_grant_for_one_who_was_interrupted_is_released() throws Exception {
        var waiting = Background.run(() -> client.lock("k").acquire());
        Background.until(() -> service.asked.size() == 1);
        waiting.thread().interrupt();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
        assertThat(service.cancelled).hasValue(1);
        var late = service.new Granted();
        service.asked.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void a_grant_that_is_held_up_for_longer_than_one_who_gave_up_waits_is_released()
            throws Exception {
        var reached = new CountDownLatch(1);
        var stuck = new CountDownLatch(1);
        var listener =
                new ClientListener() {
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
        var hearing = service.client(SHORT, builder -> builder.listener(listener));
        var waiting = Background.run(() -> hearing.lock("k").acquire());
        Background.until(() -> service.asked.size() == 1);
        var granted = service.new Granted();
        var granting =
                Background.run(
                        () -> {
                            service.asked.get(0).accept(new AcquireOutcome.Granted(granted));
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
    void a_grant_for_one_who_cancelled_is_released() {
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(1));
        future.cancel(false);
        var late = service.new Granted();
        service.asked.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void an_acquire_ends_though_no_answer_ever_comes_and_a_later_grant_is_released() {
        var future = client.lock("k").acquireAsync(Duration.ofSeconds(1));
        service.clock.advance(Duration.ofSeconds(1).plus(SHORT).plus(SHORT).toNanos(), () -> {});
        assertThatThrownBy(future::join).hasCauseInstanceOf(AcquireTimeoutException.class);
        assertThat(service.cancelled).hasValue(1);
        var late = service.new Granted();
        service.asked.get(0).accept(new AcquireOutcome.Granted(late));
        assertThat(late.releases).hasValue(1);
    }

    @Test
    void close_returns_though_the_release_is_never_answered() {
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
        var answer = new CompletableFuture<Long>();
        granted.renewal = () -> answer;
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(16).toNanos(), () -> {});
        service.asked.get(0).accept(new AcquireOutcome.Granted(granted));
        assertThat(future).isNotDone();
        service.clock.advance(Duration.ofSeconds(5).toNanos(), () -> {});
        answer.complete(granted.leaseNanos());
        var hold = future.join();
        // The lease counts from before the renewal was sent.
        assertThat(hold.heldForAtLeast(Duration.ofSeconds(25))).isTrue();
        assertThat(hold.heldForAtLeast(Duration.ofSeconds(25).plusNanos(1))).isFalse();
    }

    @Test
    void a_late_grant_that_is_gone_already_is_asked_for_again() {
        var gone = service.new Granted();
        gone.renewal = () -> CompletableFuture.completedFuture(-1L);
        var future = client.lock("k").acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(40).toNanos(), () -> {});
        service.asked.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(service.asked).hasSize(2);
        service.asked.get(1).accept(new AcquireOutcome.Granted(service.new Granted()));
        assertThat(future.join().isHeld()).isTrue();
    }

    @Test
    void renewals_are_tried_again_until_the_deadline_and_then_it_is_lost_once() {
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
    void a_grant_that_is_lost_before_anybody_has_it_is_no_loss_to_anybody() {
        var losses = new ArrayList<LossReason>();
        var gone = service.new Granted();
        gone.renewal = () -> CompletableFuture.completedFuture(-1L);
        var future = client.lock("k").onLost(losses::add).acquireAsync(Duration.ofMinutes(2));
        service.clock.advance(Duration.ofSeconds(40).toNanos(), () -> {});
        service.asked.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(future).isNotDone();
        assertThat(losses).isEmpty();
        var granted = service.new Granted();
        service.asked.get(1).accept(new AcquireOutcome.Granted(granted));
        assertThat(future.join().isHeld()).isTrue();
        granted.renewal = FailingServiceTest::unreachable;
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(losses).containsExactly(LossReason.EXPIRED);
    }

    @Test
    void a_grant_that_is_lost_as_it_is_handed_out_is_told_once_to_all() {
        var losses = new ArrayList<LossReason>();
        var heard = new ArrayList<String>();
        var listener =
                new ClientListener() {
                    @Override
                    public void acquireEnded(String key, AcquireResult result, Duration waited) {
                        heard.add(result.name());
                    }

                    @Override
                    public void lost(String key, LossReason reason, Duration held) {
                        heard.add("lost " + reason);
                    }
                };
        var hearing = service.client(SHORT, builder -> builder.listener(listener));
        var gone = service.new Granted();
        gone.lost = GrantedHold.Loss.RELEASED;
        var future = hearing.lock("k").onLost(losses::add).acquireAsync(Duration.ofMinutes(2));
        service.asked.get(0).accept(new AcquireOutcome.Granted(gone));
        assertThat(future.join().lossReason()).contains(LossReason.RELEASED);
        assertThat(losses).containsExactly(LossReason.RELEASED);
        assertThat(heard).containsExactly("ACQUIRED", "lost RELEASED");
    }

    @Test
    void a_renewal_that_is_answered_after_the_deadline_revives_nothing() {
        var granted = service.new Granted();
        var answer = new CompletableFuture<Long>();
        granted.renewal = () -> answer;
        var hold = granted(granted);
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(hold.isHeld()).isFalse();
        answer.complete(granted.leaseNanos());
        assertThat(hold.isHeld()).isFalse();
        assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
    }

    @Test
    void a_renewal_that_is_answered_at_the_deadline_comes_too_late() {
        var granted = service.new Granted();
        var answer = new CompletableFuture<Long>();
        granted.renewal = () -> answer;
        // Before the hold's own timer, which is due at the same time.
        service.clock.schedule(granted.leaseNanos(), () -> answer.complete(granted.leaseNanos()));
        var hold = granted(granted);
        service.clock.advance(Duration.ofSeconds(30).toNanos(), () -> {});
        assertThat(hold.lossReason()).contains(LossReason.EXPIRED);
    }

    @Test
    void a_command_without_an_answer_has_an_unknown_outcome() {
        service.answer = CompletableFuture::new;
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("incr c at scripted:1");
        service.answer = () -> CompletableFuture.completedFuture("error_max_keys");
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.reason()).isEqualTo("error_max_keys"));
        service.answer = () -> CompletableFuture.completedFuture("ok nonsense");
        assertThatThrownBy(() -> client.counter("c").increment())
                .isInstanceOf(OutcomeUnknownException.class);
        service.answer = () -> CompletableFuture.completedFuture("ok {]");
        assertThatThrownBy(client::stats).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void a_command_in_an_interrupted_thread_is_answered_and_the_flag_is_kept() {
        service.answer = () -> CompletableFuture.completedFuture("ok 5");
        Thread.currentThread().interrupt();
        assertThat(client.counter("c").get()).isEqualTo(5);
        assertThat(Thread.interrupted()).isTrue();
    }
}
