package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A pause of the process is simulated by a clock that jumps. */
@DisplayName("After a pause of the process")
class PauseTest {
    private static final Key RENEWED = Key.of("renewed");
    private static final Key LOST = Key.of("lost");
    private static final Key SHORT = Key.of("short");
    private static final long LEASE = Duration.ofSeconds(10).toNanos();

    private final AtomicLong clock = new AtomicLong(1_000);

    /** The number of clock reads of the deadline thread. */
    private final AtomicInteger clockReads = new AtomicInteger();

    private final List<Runnable> rounds = new CopyOnWriteArrayList<>();
    private final LocalDriver driver =
            new LocalDriver(
                    new DriverConfig(
                            new EngineSettings(0, 0, true),
                            KeyCountLimits.NONE,
                            ClientLimits.NONE,
                            Duration.ofHours(1),
                            0,
                            MemoryBudgets.UNLIMITED,
                            DriverObserver.NONE,
                            rounds::add),
                    new ClockFences(),
                    this::now);
    private final SessionClient alice = new SessionClient(driver);
    private final SessionClient bob = new SessionClient(driver);

    @AfterEach
    void close() {
        driver.close();
    }

    private long now() {
        if (Thread.currentThread().getName().equals("holdfast-deadlines")) {
            clockReads.incrementAndGet();
        }
        return clock.get();
    }

    /** Alice holds both keys, and the deadline thread sleeps. */
    private Token hold() {
        alice.submitAcquire(LOST, 0, LEASE);
        Token token = alice.granted(alice.submitAcquire(RENEWED, 0, LEASE)).token();
        int before = clockReads.get();
        await().atMost(RecordingMailbox.LIMIT)
                .until(() -> clockReads.get() >= before + 6); // two iterations
        return token;
    }

    @Test
    void after_a_pause_a_renewal_sent_in_time_counts_and_other_leases_expire() {
        Token token = hold();
        long renewed = bob.submitAcquire(RENEWED, Command.FOREVER, LEASE);
        long lost = bob.submitAcquire(LOST, Command.FOREVER, LEASE);
        clock.addAndGet(2 * LEASE);
        await().atMost(RecordingMailbox.LIMIT).until(() -> rounds.size() == 1);

        alice.session.submit( // the event loop reads it
                new Command.Renew(
                        alice.session.id(), 99, ResourceKind.LOCK, RENEWED, token, LEASE));
        assertThat(alice.inbox.effectOf(99))
                .contains(new Effect.Renewed(alice.session.id(), 99, LEASE));
        assertThat(bob.inbox.all()).isEmpty();
        rounds.getFirst().run();

        assertThat(bob.granted(lost)).isNotNull();
        assertThat(bob.inbox.effectOf(renewed)).isEmpty();
        clock.addAndGet(LEASE / 2);
        assertThat(bob.tryLock(RENEWED)).as("a whole lease from the renewal").isFalse();
    }

    @Test
    void after_a_pause_the_first_request_still_finds_the_locks_held() {
        hold();
        clock.addAndGet(2 * LEASE);
        assertThat(bob.tryLock(RENEWED)).isFalse();
        assertThat(bob.tryLock(LOST)).isFalse();
        await().atMost(RecordingMailbox.LIMIT).until(() -> rounds.size() == 1);
        rounds.getFirst().run();
        assertThat(bob.granted(bob.submitAcquire(LOST, Command.FOREVER, LEASE))).isNotNull();
    }

    @Test
    void busy_sockets_do_not_keep_leases_alive_after_a_pause() {
        hold();
        long lost = bob.submitAcquire(LOST, Command.FOREVER, LEASE);
        clock.addAndGet(2 * LEASE);
        assertThat(bob.granted(lost)).isNotNull(); // though no read round is ever complete
    }

    @Test
    void a_second_pause_right_after_the_first_is_detected() {
        ExpiryPause hold = new ExpiryPause(rounds::add, clock::get);
        hold.nextCheckBy(clock.get() + ExpiryPause.CHECK_INTERVAL_NANOS);
        clock.addAndGet(LEASE);
        Thread deadlines = Thread.ofVirtual().start(hold::check);
        await().atMost(RecordingMailbox.LIMIT).until(() -> rounds.size() == 1);
        rounds.getFirst().run();
        await().atMost(RecordingMailbox.LIMIT).until(() -> !deadlines.isAlive());
        long read = clock.get();
        assertThat(hold.dueNanos(read)).as("after the round of reads").isEqualTo(read);

        long resumed = clock.addAndGet(LEASE);
        assertThat(hold.dueNanos(resumed)).as("before the next").isLessThan(resumed);
    }

    @Test
    void a_pause_while_input_is_read_is_followed_by_another_round_of_reads() {
        ExpiryPause hold = new ExpiryPause(rounds::add, clock::get);
        hold.nextCheckBy(clock.get() + ExpiryPause.CHECK_INTERVAL_NANOS);
        clock.addAndGet(LEASE);
        Thread deadlines = Thread.ofVirtual().start(hold::check);
        await().atMost(RecordingMailbox.LIMIT).until(() -> rounds.size() == 1);
        clock.addAndGet(LEASE);
        rounds.getFirst().run();
        await().atMost(RecordingMailbox.LIMIT).until(() -> rounds.size() == 2);
        long now = clock.get();
        assertThat(hold.dueNanos(now)).as("before the second round").isLessThan(now);
        rounds.getLast().run();
        await().atMost(RecordingMailbox.LIMIT).until(() -> !deadlines.isAlive());
        assertThat(hold.dueNanos(now)).as("after it").isEqualTo(now);
    }

    @Test
    void time_that_passes_in_small_steps_is_not_a_pause() {
        hold();
        alice.submitAcquire(SHORT, 0, 3 * ExpiryPause.CHECK_INTERVAL_NANOS);
        long wait = bob.submitAcquire(SHORT, Command.FOREVER, LEASE);
        while (bob.inbox.effectOf(wait).isEmpty()) {
            int before = clockReads.get();
            clock.addAndGet(ExpiryPause.CHECK_INTERVAL_NANOS);
            await().atMost(RecordingMailbox.LIMIT)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> clockReads.get() >= before + 6);
        }
        assertThat(rounds).isEmpty();
    }
}
