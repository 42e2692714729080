package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** On the real clock, with time limits too generous to depend on the speed of the machine. */
@DisplayName("The deadline thread")
class DeadlineThreadTest {
    private static final long SHORT = Duration.ofMillis(20).toNanos();
    private static final long LONG = Duration.ofHours(1).toNanos();
    private static final Key PRINTER = Key.of("printer");

    private final List<LocalDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        drivers.forEach(LocalDriver::close);
    }

    @Test
    void an_expired_lease_is_granted_to_the_next_waiter_without_another_command() {
        LocalDriver driver = driver(LONG, Duration.ofHours(1));
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        long first = alice.granted(alice.submitAcquire(PRINTER, 0, SHORT)).token().fence();
        long request = bob.submitAcquire(PRINTER, Command.FOREVER, LONG);
        assertThat(bob.granted(request).token().fence()).isGreaterThan(first);
        await().atMost(RecordingMailbox.LIMIT).until(() -> bob.inbox.wakes() == 1);
    }

    @Test
    void a_wait_times_out_without_another_command() {
        LocalDriver driver = driver(LONG, Duration.ofHours(1));
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        alice.lock(PRINTER);
        long request = bob.submitAcquire(PRINTER, SHORT, LONG);
        assertThat(bob.inbox.await(request)).isInstanceOf(Effect.TimedOut.class);
    }

    @Test
    void waiters_of_all_shards_are_granted_at_the_end_of_a_quarantine() {
        LocalDriver driver = driver(LONG, Duration.ofHours(1));
        driver.quarantine(Duration.ofNanos(SHORT));
        SessionClient alice = new SessionClient(driver);
        List<Long> requests = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            requests.add(alice.submitAcquire(Key.of("key-" + i), Command.FOREVER, LONG));
        }
        assertThat(requests)
                .allMatch(request -> alice.inbox.await(request) instanceof Effect.Granted);
    }

    @Test
    void an_earlier_deadline_wakes_the_thread_before_a_later_one() {
        LocalDriver driver = driver(LONG, Duration.ofHours(1));
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        alice.submitAcquire(Key.of("late"), 0, LONG);
        for (int i = 0; i < 50; i++) { // in many shards, while the thread sleeps
            Key key = Key.of("early-" + i);
            alice.submitAcquire(key, 0, SHORT / 10);
            bob.granted(bob.submitAcquire(key, Command.FOREVER, LONG));
        }
    }

    @Test
    void hundreds_of_leases_in_all_shards_expire_and_pass_to_their_waiters() {
        LocalDriver driver = driver(LONG, Duration.ofHours(1));
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        List<Long> requests = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Key key = Key.of("key-" + i);
            alice.submitAcquire(key, 0, SHORT + (i * 7919L) % SHORT);
            requests.add(bob.submitAcquire(key, Command.FOREVER, LONG));
        }
        requests.forEach(bob::granted);
        assertThat(alice.session.isHolding()).isFalse();
    }

    @Test
    void idle_keys_are_collected_and_their_memory_is_released() {
        LocalDriver driver = driver(0, Duration.ofMillis(5));
        SessionClient alice = new SessionClient(driver);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 1_000; i++) {
                Key key = Key.of("round-" + round + "-" + i);
                alice.release(key, alice.lock(key));
            }
        }
        await().atMost(RecordingMailbox.LIMIT)
                .until(() -> driver.queries().listIdle().next().isEmpty());
        assertThat(driver.queries().listInUse().next()).isEmpty();
    }

    @Test
    void a_lease_that_expires_during_a_collection_passes_to_the_next_waiter() {
        LocalDriver driver = driver(0, Duration.ofNanos(1)); // collects all the time
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        for (int i = 0; i < 20; i++) {
            Key key = Key.of("key-" + i);
            alice.submitAcquire(key, 0, SHORT / 10);
            bob.granted(bob.submitAcquire(key, Command.FOREVER, LONG));
        }
        await().atMost(RecordingMailbox.LIMIT).until(() -> bob.inbox.wakes() > 0);
    }

    @Test
    void a_collection_interval_beyond_64_bits_does_not_overflow() {
        LocalDriver driver = driver(0, Duration.ofSeconds(Long.MAX_VALUE));
        SessionClient alice = new SessionClient(driver);
        SessionClient bob = new SessionClient(driver);
        alice.submitAcquire(PRINTER, 0, SHORT);
        bob.granted(bob.submitAcquire(PRINTER, Command.FOREVER, LONG));
    }

    @Test
    void the_deadline_thread_ends_with_the_driver() {
        Set<Thread> before = deadlineThreads();
        LocalDriver driver = driver(0, Duration.ofHours(1));
        Set<Thread> own = deadlineThreads();
        own.removeAll(before);
        assertThat(own).hasSize(1);
        driver.close();
        await().atMost(RecordingMailbox.LIMIT).until(() -> own.stream().noneMatch(Thread::isAlive));
    }

    private static Set<Thread> deadlineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-deadlines"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private LocalDriver driver(long idleNanos, Duration collectEvery) {
        LocalDriver driver =
                new LocalDriver(
                        new EngineSettings(0, idleNanos, true),
                        KeyCountLimits.NONE,
                        collectEvery,
                        new ClockFences(),
                        () -> true);
        drivers.add(driver);
        return driver;
    }
}
