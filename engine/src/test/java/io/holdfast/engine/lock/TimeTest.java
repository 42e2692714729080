package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.Outcome.BLOCKED;
import static io.holdfast.engine.lock.LockScenario.Outcome.GRANTED;
import static io.holdfast.engine.lock.LockScenario.Outcome.NOT_HELD;
import static io.holdfast.engine.lock.LockScenario.Outcome.TIMED_OUT;
import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

@DisplayName("Time")
class TimeTest {
    private static final Target PRINTER = Target.lock("printer");

    private final LockScenario locks = new LockScenario();

    @Test
    void time_never_goes_back_for_a_lease() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(9));
        locks.setBack(ofSeconds(100));
        var bob = locks.acquire("bob", PRINTER); // still nine seconds after alice
        locks.advance(ofSeconds(100));
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        locks.advance(ofSeconds(1));
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void time_never_goes_back_for_a_lease_that_starts_while_the_clock_is_behind() {
        locks.advance(ofSeconds(100));
        locks.setBack(ofSeconds(50));
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(50)); // the clock has caught up: nothing has passed since
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        locks.advance(ofSeconds(10));
        assertThat(locks.holdersOf(PRINTER)).isZero();
    }

    @Test
    void time_never_goes_back_for_a_token_that_expired() {
        var alice = locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(10));
        locks.setBack(ofSeconds(5));
        assertThat(locks.renew(alice, USUAL).outcome()).isEqualTo(NOT_HELD);
    }

    @Test
    void time_never_goes_back_for_what_is_shown() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.advance(ofSeconds(4));
        locks.setBack(ofSeconds(4));
        var view = locks.view(PRINTER).orElseThrow();
        assertThat(view.leaseLeftNanos()).isEqualTo(ofSeconds(6).toNanos());
        assertThat(view.idleNanos()).isEqualTo(ofSeconds(4).toNanos());
    }

    @ParameterizedTest
    @ValueSource(longs = {Command.FOREVER, Command.FOREVER - 1, 9_223_372_036L * 1_000_000_000L})
    void a_duration_that_overflows_the_clock_never_ends(long durationNanos) {
        locks.advance(ofDays(365));
        locks.acquire("alice", PRINTER, 0, durationNanos);
        var bob = locks.acquire("bob", PRINTER, durationNanos, durationNanos);
        locks.advance(ofDays(365 * 100));
        assertThat(locks.holderOf(PRINTER)).isEqualTo("alice");
        assertThat(bob.outcome()).isEqualTo(BLOCKED);
        var view = locks.view(PRINTER).orElseThrow();
        assertThat(view.leaseLeftNanos()).isGreaterThan(ofDays(365 * 100).toNanos());
        locks.close("alice");
        assertThat(bob.grant().leaseNanos()).isEqualTo(durationNanos);
    }

    @Test
    void an_unlimited_duration_has_no_deadline() {
        var alice = locks.acquire("alice", PRINTER, 0, Command.FOREVER);
        var bob = locks.acquire("bob", PRINTER, Command.FOREVER, Command.FOREVER);
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        locks.renew(alice, ofSeconds(1));
        locks.renew(alice, ofSeconds(Long.MAX_VALUE));
        assertThat(locks.engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        locks.renew(alice, ofSeconds(1));
        assertThat(locks.follow()).isEqualTo(ofSeconds(1));
        assertThat(bob.outcome()).isEqualTo(GRANTED);
    }

    @Test
    void times_may_be_negative() {
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        List<Effect> effects = new ArrayList<>();
        long start = -5_000_000_000L;
        engine.apply(acquire(1, 1, 0, 10), start, quotas, effects);
        engine.apply(acquire(2, 1, Command.FOREVER, Command.FOREVER), start, quotas, effects);
        assertThat(engine.nextDeadlineNanos()).isBetween(start + 1, start + 10);
        engine.apply(new Command.Tick(), start + 9, quotas, effects);
        assertThat(effects).hasSize(1);
        engine.apply(new Command.Tick(), start + 10, quotas, effects);
        assertThat(effects).hasSize(2);
        Views views = Views.of(engine, start + 10);
        assertThat(views.inUse().getFirst().leaseLeftNanos()).isEqualTo(Command.FOREVER);
        assertThat(views.inUse().getFirst().owner()).isEqualTo(2);
    }

    @Test
    void waits_and_leases_due_at_the_same_time_end_in_order_of_creation() {
        Target[] keys = {Target.lock("a"), Target.lock("b"), Target.lock("c")};
        locks.acquire("holder", keys[0]);
        locks.acquire("holder", keys[1], ofSeconds(10));
        locks.acquire("holder", keys[2]);
        var first = locks.acquire("first", keys[2], ofSeconds(10), USUAL);
        var second = locks.acquire("second", keys[1]);
        var third = locks.acquire("third", keys[0], ofSeconds(10), USUAL);
        var early = locks.acquire("early", keys[0], ofSeconds(9), USUAL);
        locks.advance(ofSeconds(20));
        assertThat(locks.lastEffects())
                .containsExactly(
                        early.effects().getFirst(),
                        second.grant(), // the lease was made before first's wait
                        first.effects().getFirst(),
                        third.effects().getFirst());
        assertThat(third.outcome()).isEqualTo(TIMED_OUT);
    }

    @Test
    void due_deadlines_end_before_the_command_is_applied() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        var bob = locks.acquire("bob", PRINTER, ofSeconds(20), USUAL);
        locks.advanceSilently(ofSeconds(15));
        var carol = locks.acquireWithoutWait("carol", PRINTER);
        assertThat(locks.lastEffects()).containsExactly(bob.grant(), carol.effects().getFirst());
    }

    private static Command acquire(long session, long request, long wait, long lease) {
        return new Command.Acquire(
                session, request, ResourceKind.LOCK, PRINTER.key(), 1, wait, lease, session);
    }
}
