package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.monitor.ContendedKey;
import io.holdfast.driver.monitor.EventSubscription;
import io.holdfast.driver.monitor.Histogram;
import io.holdfast.driver.monitor.OperationType;
import io.holdfast.driver.monitor.ServerEvent;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.HoldOrWaiterView;
import io.holdfast.engine.view.QueueView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Single-threaded where not stated otherwise, with a manual clock. */
@DisplayName("The observer of a driver")
class DriverObserverTest {
    private static final Key PRINTER = Key.of("printer");
    private static final Key SCANNER = Key.of("scanner");
    private static final long LONG = Duration.ofHours(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicLong clock = new AtomicLong(1_000);
    private final ServerMonitor serverMonitor = new ServerMonitor(LocalDriver.SHARDS, clock::get);
    private final LocalDriver driver =
            new LocalDriver(
                    new EngineSettings(0, LONG, true),
                    new KeyCountLimits(100, 0, 0),
                    Duration.ofHours(1),
                    new ClockFences(),
                    () -> true,
                    serverMonitor,
                    clock::get);
    private final SessionClient alice = new SessionClient(driver, new RecordingMailbox(), "alice");
    private final SessionClient bob = new SessionClient(driver, new RecordingMailbox(), "bob");

    @AfterEach
    void close() {
        driver.close();
    }

    private long count(KeyEvent.Type type) {
        return serverMonitor.count(ResourceKind.LOCK, type);
    }

    private static long sum(Stream<Histogram> histograms) {
        return histograms.mapToLong(Histogram::sumNanos).sum();
    }

    private static <T> List<T> all(ScanCursor<T> scanCursor) {
        List<T> all = new ArrayList<>();
        try (scanCursor) {
            for (List<T> slice = scanCursor.next(); !slice.isEmpty(); slice = scanCursor.next()) {
                all.addAll(slice);
            }
        }
        return all;
    }

    @Test
    void waits_and_holds_are_counted_by_outcome() {
        Token token = alice.lock(PRINTER);
        assertThat(bob.tryLock(PRINTER)).isFalse();
        bob.submitAcquire(PRINTER, LONG, LONG);
        clock.addAndGet(SECOND);
        alice.release(PRINTER, token);
        clock.addAndGet(2 * SECOND);
        bob.close();
        assertThat(count(KeyEvent.Type.ACQUIRED)).isEqualTo(2);
        assertThat(count(KeyEvent.Type.TIMED_OUT)).isEqualTo(1);
        assertThat(count(KeyEvent.Type.WAITING)).isEqualTo(1);
        assertThat(count(KeyEvent.Type.RELEASED)).isEqualTo(2);
        assertThat(serverMonitor.count(ResourceKind.SEMAPHORE, KeyEvent.Type.ACQUIRED)).isZero();
        assertThat(sum(serverMonitor.waits(ResourceKind.LOCK))).isEqualTo(SECOND);
        assertThat(sum(serverMonitor.holds(ResourceKind.LOCK))).isEqualTo(3 * SECOND);
        assertThat(serverMonitor.contended(5))
                .containsExactly(
                        new ContendedKey(
                                new ContendedKey.ResourceId(ResourceKind.LOCK, PRINTER), 1));
    }

    @Test
    void operations_are_counted_by_outcome() {
        Token token = alice.lock(PRINTER);
        alice.release(PRINTER, token);
        alice.release(PRINTER, token);
        alice.tryAcquire(ResourceKind.LOCK, SCANNER);
        bob.tryAcquire(ResourceKind.LOCK, SCANNER);
        alice.releaseBySession(ResourceKind.LOCK, SCANNER);
        alice.session.submit(
                new Command.Data(alice.session.id(), 99, PRINTER, new DataOperation.Increment(1)));
        assertThat(serverMonitor.countDone(OperationType.RELEASE, ResourceKind.LOCK)).isEqualTo(2);
        assertThat(
                        serverMonitor.countRefused(
                                OperationType.RELEASE, ResourceKind.LOCK, Refusal.NOT_HELD))
                .isEqualTo(1);
        assertThat(
                        serverMonitor.countRefused(
                                OperationType.ACQUIRE, ResourceKind.LOCK, Refusal.BUSY))
                .isEqualTo(1);
        assertThat(serverMonitor.countDone(OperationType.ACQUIRE, ResourceKind.LOCK))
                .as("events count these")
                .isZero();
        assertThat(serverMonitor.countDone(OperationType.COUNTER, ResourceKind.LOCK)).isEqualTo(1);
    }

    @Test
    void the_delay_of_an_expiry_is_recorded() {
        alice.granted(alice.submitAcquire(PRINTER, 0, SECOND));
        clock.addAndGet(3 * SECOND);
        assertThat(bob.tryLock(PRINTER)).isTrue();
        assertThat(count(KeyEvent.Type.EXPIRED)).isEqualTo(1);
        assertThat(sum(serverMonitor.lateness())).isEqualTo(2 * SECOND);
    }

    @Test
    void the_history_of_a_key_is_in_order() {
        Token token = alice.lock(PRINTER);
        bob.submitAcquire(PRINTER, LONG, LONG);
        alice.release(PRINTER, token);
        alice.lock(SCANNER);
        assertThat(serverMonitor.history(ResourceKind.LOCK, PRINTER))
                .extracting(KeyEvent::type)
                .containsExactly(
                        KeyEvent.Type.ACQUIRED,
                        KeyEvent.Type.WAITING,
                        KeyEvent.Type.RELEASED,
                        KeyEvent.Type.ACQUIRED);
        assertThat(serverMonitor.history(ResourceKind.SEMAPHORE, PRINTER)).isEmpty();
    }

    @Test
    void session_events_come_before_and_after_all_key_events_of_the_session() {
        try (EventSubscription all = serverMonitor.subscribe(_ -> true, 100, () -> {})) {
            SessionClient carol = new SessionClient(driver, new RecordingMailbox(), "carol");
            carol.lock(PRINTER);
            carol.close();
            List<Object> events = new ArrayList<>();
            for (ServerEvent next = all.poll(); next != null; next = all.poll()) {
                events.add(
                        switch (next) {
                            case ServerEvent.OnKey on -> {
                                assertThat(Objects.requireNonNull(on.peer()).name().get())
                                        .isEqualTo("carol");
                                yield on.event().type();
                            }
                            case ServerEvent.SessionOpened _ -> "opened";
                            case ServerEvent.SessionClosed _ -> "closed";
                            case ServerEvent.Gap _ -> "gap";
                        });
            }
            assertThat(events)
                    .containsExactly(
                            "opened", KeyEvent.Type.ACQUIRED, KeyEvent.Type.RELEASED, "closed");
            ClientInfo gone = Objects.requireNonNull(serverMonitor.peerOf(carol.session.id()));
            assertThat(gone.name().get()).isEqualTo("carol");
        }
    }

    @Test
    void sessions_are_listed_with_their_holds_and_waiters() {
        alice.lock(PRINTER);
        alice.lock(SCANNER);
        clock.addAndGet(SECOND);
        bob.submitAcquire(PRINTER, LONG, LONG);
        assertThat(all(driver.listSessions()))
                .containsExactlyInAnyOrder(
                        new SessionView(alice.session.id(), "test", "alice", SECOND, 2, 0, null),
                        new SessionView(bob.session.id(), "test", "bob", SECOND, 0, 1, null));
        assertThat(driver.session(bob.session.id()))
                .isEqualTo(new SessionView(bob.session.id(), "test", "bob", SECOND, 0, 1, null));
        bob.close();
        assertThat(driver.session(bob.session.id())).isNull();
        assertThat(driver.queries().holdsAndWaiters(bob.session.id(), 9)).isEmpty();
        assertThat(all(driver.listSessions())).hasSize(1);
    }

    @Test
    void more_sessions_than_fit_into_a_slice_are_listed_once_each() {
        Set<Long> expected = new HashSet<>(Set.of(alice.session.id(), bob.session.id()));
        for (int i = 0; i < 2_000; i++) {
            expected.add(new SessionClient(driver).session.id());
        }
        List<Long> listed = all(driver.listSessions()).stream().map(SessionView::id).toList();
        assertThat(listed).hasSameSizeAs(expected).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void holds_and_waiters_of_a_session_are_shown() {
        alice.granted(alice.submitAcquire(PRINTER, 0, 5 * SECOND));
        bob.lock(SCANNER);
        clock.addAndGet(SECOND);
        alice.submitAcquire(SCANNER, 7 * SECOND, LONG);
        clock.addAndGet(SECOND);
        long fence =
                Objects.requireNonNull(driver.queries().holders(ResourceKind.LOCK, PRINTER))
                        .since();
        assertThat(driver.queries().holdsAndWaiters(alice.session.id(), 9))
                .containsExactlyInAnyOrder(
                        new HoldOrWaiterView(
                                ResourceKind.LOCK,
                                PRINTER,
                                ReadWriteMode.WRITE,
                                true,
                                false,
                                false,
                                fence,
                                2 * SECOND,
                                3 * SECOND),
                        new HoldOrWaiterView(
                                ResourceKind.LOCK,
                                SCANNER,
                                ReadWriteMode.WRITE,
                                false,
                                true,
                                false,
                                0,
                                SECOND,
                                6 * SECOND));
        assertThat(all(driver.queries().listQueues(9)))
                .containsExactly(
                        new QueueView(
                                ResourceKind.LOCK,
                                SCANNER,
                                1,
                                1,
                                List.of(bob.session.id()),
                                List.of(
                                        new QueueView.Waiter(
                                                alice.session.id(),
                                                ReadWriteMode.WRITE,
                                                SECOND,
                                                true))));
    }

    @Test
    void a_kick_is_passed_to_the_owner_of_the_session() {
        AtomicBoolean kicked = new AtomicBoolean();
        Session carol =
                driver.open(
                        new EffectMailbox() {
                            @Override
                            public void add(Effect effect) {}

                            @Override
                            public void wake() {}

                            @Override
                            public boolean kick() {
                                kicked.set(true);
                                return true;
                            }
                        },
                        new ClientInfo("test", () -> "carol"));
        assertThat(driver.kick(carol.id())).isTrue();
        assertThat(kicked).isTrue();
        carol.close(0);
        assertThat(driver.kick(carol.id())).isFalse();
    }

    @Test
    void a_kick_returns_false_if_the_owner_rejects_it() {
        Session carol =
                driver.open(
                        new EffectMailbox() {
                            @Override
                            public void add(Effect effect) {}

                            @Override
                            public void wake() {}
                        },
                        new ClientInfo("test", () -> "carol"));
        assertThat(driver.kick(carol.id())).isFalse();
        assertThat(driver.session(carol.id())).isNotNull();
    }

    @Test
    void metrics_add_up_while_many_threads_work_and_others_read() throws Exception {
        int workers = 4;
        int rounds = 1_500;
        AtomicLong working = new AtomicLong(workers);
        List<Key> keys = List.of(PRINTER, SCANNER, Key.of("third"));
        AtomicLong counted = new AtomicLong();
        EventSubscription feed =
                serverMonitor.subscribe(it -> it instanceof ServerEvent.OnKey, 16, () -> {});
        try (ParallelThreads parallelThreads = new ParallelThreads()) {
            parallelThreads.run(
                    workers + 1,
                    member -> {
                        if (member == workers) {
                            while (working.get() > 0) {
                                look(keys);
                                counted.addAndGet(drain(feed));
                            }
                            return;
                        }
                        try {
                            for (int i = 0; i < rounds; i++) {
                                SessionClient sessionClient = new SessionClient(driver);
                                Key key = keys.get((member + i) % keys.size());
                                Token token = sessionClient.lock(key);
                                if (i % 2 == 0) {
                                    sessionClient.release(key, token);
                                }
                                sessionClient.close();
                            }
                        } finally {
                            working.decrementAndGet();
                        }
                    });
        }
        await().atMost(RecordingMailbox.LIMIT).until(() -> driver.openSessions() == 2);
        counted.addAndGet(drain(feed));
        long each = (long) workers * rounds;
        assertThat(count(KeyEvent.Type.ACQUIRED)).isEqualTo(each);
        assertThat(count(KeyEvent.Type.RELEASED)).isEqualTo(each);
        assertThat(counted).hasValue(2 * each + count(KeyEvent.Type.WAITING));
        assertThat(serverMonitor.sessions()).containsEntry("test", 2L);
        assertThat(all(driver.queries().listQueues(9))).isEmpty();
    }

    /** Reads all views; what they show at one moment must be consistent. */
    private void look(List<Key> keys) {
        for (SessionView view : all(driver.listSessions())) {
            assertThat(view.holds()).isBetween(0, 1);
            assertThat(view.waits()).isBetween(0, 1);
            assertThat(driver.queries().holdsAndWaiters(view.id(), 9)).hasSizeLessThanOrEqualTo(1);
        }
        for (QueueView queue : all(driver.queries().listQueues(9))) {
            assertThat(queue.holders()).hasSize(1).doesNotContainNull();
            assertThat(queue.waiters()).isNotEmpty();
        }
        for (Key key : keys) {
            List<KeyEvent> past = serverMonitor.history(ResourceKind.LOCK, key);
            assertThat(past).allMatch(keyEvent -> keyEvent.key().equals(key));
            assertThat(past).extracting(KeyEvent::atNanos).isSorted();
        }
        assertThat(serverMonitor.contended(9)).hasSizeLessThanOrEqualTo(keys.size());
    }

    private static long drain(EventSubscription feed) {
        long counted = 0;
        for (ServerEvent next = feed.poll(); next != null; next = feed.poll()) {
            counted += next instanceof ServerEvent.Gap(long missed) ? missed : 1;
        }
        return counted;
    }
}
