package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

@DisplayName("The leader's clock")
class LeaderClockTest {
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(20);
    private static final long START = -5 * PAUSE; // clocks begin anywhere

    private long now = START;
    private final List<Runnable> rounds = new ArrayList<>();
    private final LeaderClock clock = new LeaderClock(() -> now, rounds::add);

    private void beatAfter(long nanos) {
        now += nanos;
        clock.beat();
    }

    /** Runs for a second, and then not for a while. */
    private long pause() {
        for (int i = 0; i < 20; i++) {
            beatAfter(LeaderClock.BEAT_NANOS);
        }
        long before = clock.getAsLong();
        now += PAUSE;
        return before;
    }

    @Test
    void runs_like_the_clock_of_the_machine_while_the_process_runs() {
        for (int i = 0; i < 100; i++) {
            beatAfter(LeaderClock.PAUSE_NANOS - 1); // late, but not a pause
            now++;
            assertThat(clock.getAsLong()).isEqualTo(now);
        }
        assertThat(rounds).isEmpty();
    }

    @Test
    void stands_still_after_a_pause_until_sockets_were_read_and_then_leaves_the_pause_out() {
        long before = pause();
        assertThat(clock.getAsLong()).isEqualTo(before);
        beatAfter(LeaderClock.BEAT_NANOS);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(rounds).hasSize(1);
        assertThat(clock.getAsLong()).isEqualTo(before);

        rounds.getFirst().run();
        now += 1;
        assertThat(clock.getAsLong()).as("until the next beat").isEqualTo(before);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.getAsLong()).isEqualTo(before);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.getAsLong()).isEqualTo(before + LeaderClock.BEAT_NANOS);
    }

    @Test
    void stands_still_when_the_beat_is_the_first_to_notice_the_pause() {
        long before = pause();
        clock.beat();
        assertThat(rounds).hasSize(1);
        assertThat(clock.getAsLong()).isEqualTo(before);
    }

    @Test
    void waits_for_sockets_for_a_second_at_most() {
        long before = pause();
        clock.beat();
        beatAfter(LeaderClock.MAX_READ_NANOS);
        assertThat(clock.getAsLong()).isEqualTo(before);
        beatAfter(1);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.getAsLong()).isEqualTo(before + LeaderClock.BEAT_NANOS);
        rounds.getFirst().run(); // too late for this pause, and nothing to the next

        before = pause();
        clock.beat();
        assertThat(rounds).hasSize(2);
        beatAfter(LeaderClock.BEAT_NANOS);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.getAsLong()).isEqualTo(before);
    }

    @Test
    void goes_on_even_if_every_beat_is_late() {
        long before = clock.getAsLong();
        for (int i = 0; i < 100; i++) {
            beatAfter(2 * LeaderClock.PAUSE_NANOS);
            rounds.forEach(Runnable::run);
            now += LeaderClock.BEAT_NANOS;
            clock.getAsLong();
        }
        assertThat(clock.getAsLong()).isGreaterThan(before + 40 * LeaderClock.BEAT_NANOS);
    }
}
