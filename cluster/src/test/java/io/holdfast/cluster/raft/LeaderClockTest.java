package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.EntryTime;

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

    /** Runs for a second, and then not for a while. Returns when the clock was last read before. */
    private long pause() {
        for (int i = 0; i < 20; i++) {
            beatAfter(LeaderClock.BEAT_NANOS);
        }
        long before = now;
        now += PAUSE;
        return before;
    }

    @Test
    void nothing_is_held_back_while_the_process_runs() {
        for (int i = 0; i < 100; i++) {
            beatAfter(LeaderClock.PAUSE_NANOS - 1); // late, but not a pause
            now++;
            assertThat(clock.get()).isEqualTo(EntryTime.of(now));
        }
        assertThat(rounds).isEmpty();
    }

    @Test
    void what_became_due_in_a_pause_is_held_back_until_sockets_were_read_and_a_beat_has_passed() {
        long before = pause();
        assertThat(clock.get()).isEqualTo(new EntryTime(now, before));
        beatAfter(LeaderClock.BEAT_NANOS);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(rounds).hasSize(1);
        assertThat(clock.get()).isEqualTo(new EntryTime(now, before));

        rounds.getFirst().run();
        now += 1;
        assertThat(clock.get()).as("until the next beat").isEqualTo(new EntryTime(now, before));
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.get()).isEqualTo(EntryTime.of(now));
    }

    @Test
    void expiries_are_held_back_when_the_beat_is_the_first_to_notice_the_pause() {
        long before = pause();
        clock.beat();
        assertThat(rounds).hasSize(1);
        assertThat(clock.get()).isEqualTo(new EntryTime(now, before));
    }

    @Test
    void expiries_are_held_back_for_a_second_at_most() {
        long before = pause();
        clock.beat();
        beatAfter(LeaderClock.MAX_READ_NANOS);
        assertThat(clock.get().dueNanos()).isEqualTo(before);
        beatAfter(1);
        assertThat(clock.get()).isEqualTo(EntryTime.of(now));
        rounds.getFirst().run(); // too late for this pause, and nothing to the next

        before = pause();
        clock.beat();
        assertThat(rounds).hasSize(2);
        beatAfter(LeaderClock.BEAT_NANOS);
        beatAfter(LeaderClock.BEAT_NANOS);
        assertThat(clock.get().dueNanos()).isEqualTo(before);
    }

    @Test
    void deadlines_expire_even_if_every_beat_is_late() {
        int expired = 0;
        for (int i = 0; i < 100; i++) {
            beatAfter(2 * LeaderClock.PAUSE_NANOS);
            rounds.forEach(Runnable::run);
            if (clock.get().dueNanos() == now) {
                expired++;
            }
        }
        assertThat(expired).isGreaterThan(40);
    }
}
