package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.DataOperation.End;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Counters, values and lists: sections 14 to 16. */
@DisplayName("The local driver with data")
class LocalDriverDataTest {
    private static final int THREADS = 8;
    private static final long FOREVER = Command.FOREVER;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final ByteString SOMETHING = ByteString.of("something");

    private final ParallelThreads parallelThreads = new ParallelThreads();
    private final Pieces pieces = new Pieces();
    private final List<LocalDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        parallelThreads.close();
        drivers.forEach(LocalDriver::close);
    }

    @Test
    void counters_values_and_lists_of_all_shards_share_one_limit() {
        LocalDriver driver = driver(30, HOUR);
        Editor editor = new Editor(driver);
        for (int i = 0; i < 10; i++) {
            assertThat(editor.add(Key.of("counter-" + i), 1)).isEqualTo(1);
            assertThat(editor.put(Key.of("value-" + i), FOREVER)).isTrue();
            assertThat(editor.push(Key.of("list-" + i))).isTrue();
        }
        Key another = Key.of("one too many");
        assertThat(editor.refusal(another, new DataOperation.Increment(1)))
                .isEqualTo(Refusal.TOO_MANY_ENTRIES);
        assertThat(editor.refusal(another, new DataOperation.SetValue(SOMETHING, FOREVER)))
                .isEqualTo(Refusal.TOO_MANY_ENTRIES);
        assertThat(editor.refusal(another, new DataOperation.Push(End.BACK, SOMETHING)))
                .isEqualTo(Refusal.TOO_MANY_ENTRIES);
        assertThat(editor.add(Key.of("counter-3"), 1)).as("known ones keep working").isEqualTo(2);
        assertThat(editor.put(Key.of("value-3"), FOREVER)).isTrue();
        assertThat(editor.push(Key.of("list-3"))).isTrue();
        editor.delete(Key.of("value-7"));
        assertThat(editor.push(another)).isTrue();
        assertThat(editor.put(another, FOREVER)).isFalse();
    }

    @Test
    void the_limits_of_locks_and_data_are_independent() {
        LocalDriver driver =
                keep(
                        new LocalDriver(
                                settings(0),
                                new KeyCountLimits(1, 0, 1),
                                HOUR,
                                new ClockFences(),
                                pieces));
        Editor editor = new Editor(driver);
        SessionClient sessionClient = new SessionClient(driver);
        assertThat(editor.put(Key.of("a"), FOREVER)).isTrue();
        assertThat(sessionClient.tryLock(Key.of("a"))).isTrue();
        assertThat(editor.put(Key.of("b"), FOREVER)).isFalse();
        assertThat(sessionClient.tryLock(Key.of("b"))).isFalse();
    }

    @Test
    void concurrent_threads_create_exactly_as_many_entries_as_allowed() throws Exception {
        int cap = 60;
        LocalDriver driver = driver(cap, HOUR);
        AtomicInteger made = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    Editor editor = new Editor(driver);
                    for (int i = 0; i < 300; i++) {
                        if (editor.create(i, Key.of(member + "-" + i))) {
                            made.incrementAndGet();
                        }
                    }
                    editor.session.close(0);
                });
        assertThat(made).hasValue(cap);
        assertThat(entries(driver)).isEqualTo(cap);
    }

    @Test
    void the_limit_of_entries_holds_while_entries_are_created_and_deleted() throws Exception {
        int cap = THREADS; // a third of the requested entries
        LocalDriver driver = driver(cap, HOUR);
        AtomicInteger alive = new AtomicInteger(); // a lower bound of the existing entries
        parallelThreads.run(
                THREADS,
                member -> {
                    Editor editor = new Editor(driver);
                    Deque<Key> own = new ArrayDeque<>();
                    for (int i = 0; i < 3_000; i++) {
                        Key key = Key.of(member + "-" + i);
                        boolean made = own.size() < 3 && editor.put(key, FOREVER);
                        if (made) {
                            assertThat(alive.incrementAndGet()).isLessThanOrEqualTo(cap);
                            own.add(key);
                        } else if (!own.isEmpty()) {
                            alive.decrementAndGet();
                            editor.delete(own.remove());
                        }
                        editor.inbox.clear();
                    }
                    alive.addAndGet(-own.size());
                    own.forEach(editor::delete);
                });
        assertThat(entries(driver)).isZero();
        assertThat(pieces.taken()).isZero();
        Editor editor = new Editor(driver);
        for (int i = 0; i < cap; i++) {
            assertThat(editor.create(i, Key.of("after-" + i))).as("%d fits again", i).isTrue();
        }
        assertThat(editor.create(0, Key.of("one too many"))).isFalse();
    }

    @Test
    void concurrent_increments_add_up() throws Exception {
        LocalDriver driver = driver(0, HOUR);
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            keys.add(Key.of("counter-" + i));
        }
        int rounds = 1_000;
        parallelThreads.run(
                THREADS,
                member -> {
                    Editor editor = new Editor(driver);
                    for (int i = 0; i < rounds; i++) {
                        for (int k = 0; k < keys.size(); k++) {
                            editor.add(keys.get(k), k + 1);
                            if (i % 10 == 0) {
                                editor.submit(keys.get(k), new DataOperation.Decrement(1));
                            }
                        }
                        editor.inbox.clear();
                    }
                });
        Editor editor = new Editor(driver);
        for (int k = 0; k < keys.size(); k++) {
            assertThat(editor.number(keys.get(k), new DataOperation.GetCounter()))
                    .isEqualTo((long) THREADS * rounds * (k + 1) - (long) THREADS * rounds / 10);
        }
    }

    @Test
    void concurrent_increments_have_distinct_results() throws Exception {
        LocalDriver driver = driver(0, HOUR);
        Set<Long> numbers = ConcurrentHashMap.newKeySet();
        int rounds = 1_000;
        parallelThreads.run(
                THREADS,
                member -> {
                    Editor editor = new Editor(driver);
                    long last = 0;
                    for (int i = 0; i < rounds; i++) {
                        long number = editor.add(Key.of("ticket"), 1);
                        assertThat(number).isGreaterThan(last);
                        last = number;
                        numbers.add(number);
                        editor.inbox.clear();
                    }
                });
        assertThat(numbers).hasSize(THREADS * rounds);
        assertThat(numbers).allMatch(number -> number >= 1 && number <= (long) THREADS * rounds);
    }

    @Test
    void each_item_of_a_list_is_popped_once() throws Exception {
        LocalDriver driver = driver(0, HOUR);
        Key queue = Key.of("queue");
        int items = 800;
        Set<ByteString> taken = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    Editor editor = new Editor(driver);
                    if (member % 2 == 0) {
                        for (int i = 0; i < items; i++) {
                            editor.submit(
                                    queue,
                                    new DataOperation.Push(
                                            End.BACK, ByteString.of(member + "-" + i)));
                        }
                        return;
                    }
                    int[] lastOf = new int[THREADS];
                    Arrays.fill(lastOf, -1);
                    while (count.get() < items * THREADS / 2) {
                        if (editor.submit(queue, new DataOperation.Pop(End.FRONT))
                                instanceof Effect.Found found) {
                            count.incrementAndGet();
                            assertThat(taken.add(found.value())).isTrue();
                            String[] item = found.value().toString().split("-", 2);
                            int from = Integer.parseInt(item[0]);
                            int number = Integer.parseInt(item[1]);
                            assertThat(number).isGreaterThan(lastOf[from]);
                            lastOf[from] = number;
                        }
                        editor.inbox.clear();
                    }
                });
        assertThat(taken).hasSize(items * THREADS / 2);
        assertThat(entries(driver)).as("an empty list is none").isZero();
        assertThat(pieces.taken()).isZero();
    }

    @Test
    void values_expire_without_another_command() {
        LocalDriver driver = driver(100, HOUR);
        Editor editor = new Editor(driver);
        for (int i = 0; i < 100; i++) { // in all shards
            assertThat(editor.put(Key.of("value-" + i), 20_000_000L + i * 300_000L)).isTrue();
        }
        // By the memory budget: a listing would omit values that are due but not removed.
        await().atMost(RecordingMailbox.LIMIT).until(() -> pieces.taken() == 0);
        for (int i = 0; i < 100; i++) {
            assertThat(editor.put(Key.of("next-" + i), FOREVER)).as("%d fits", i).isTrue();
        }
    }

    @Test
    void a_value_expires_while_the_thread_sleeps_until_a_later_deadline() {
        LocalDriver driver = driver(0, HOUR);
        Editor editor = new Editor(driver);
        SessionClient sessionClient = new SessionClient(driver);
        sessionClient.lock(Key.of("late"));
        editor.put(Key.of("late"), HOUR.toNanos());
        int before = pieces.taken();
        for (int i = 0; i < 30; i++) {
            editor.put(Key.of("early-" + i), 1_000_000);
            await().atMost(RecordingMailbox.LIMIT)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> pieces.taken() == before);
        }
    }

    @Test
    void a_value_whose_ttl_was_extended_stays() {
        AtomicLong clock = new AtomicLong(1_000);
        LocalDriver driver =
                keep(
                        new LocalDriver(
                                settings(0),
                                KeyCountLimits.NONE,
                                HOUR,
                                new ClockFences(),
                                pieces,
                                clock::get));
        Editor editor = new Editor(driver);
        Key key = Key.of("value");
        editor.put(key, 100);
        clock.addAndGet(99);
        editor.put(key, 100);
        clock.addAndGet(99);
        assertThat(editor.submit(key, new DataOperation.GetValue()))
                .isInstanceOf(Effect.Found.class);
        clock.addAndGet(1);
        assertThat(driver.queries().listValues().next()).isEmpty();
        assertThat(editor.submit(key, new DataOperation.GetValue()))
                .isInstanceOf(Effect.Absent.class);
        assertThat(pieces.taken()).isZero();
    }

    @Test
    void idle_data_is_collected_and_its_memory_released() {
        LocalDriver driver =
                keep(
                        new LocalDriver(
                                settings(0),
                                KeyCountLimits.NONE,
                                Duration.ofMillis(5),
                                new ClockFences(),
                                pieces));
        Editor editor = new Editor(driver);
        for (int i = 0; i < 300; i++) {
            editor.put(Key.of("value-" + i), FOREVER);
            editor.submit(Key.of("counter-" + i), new DataOperation.SetCounter(0));
        }
        editor.add(Key.of("kept"), 1);
        await().atMost(RecordingMailbox.LIMIT).until(() -> pieces.taken() == 1);
        assertThat(driver.queries().listCounters().next()).hasSize(1);
    }

    @Test
    void data_commands_have_an_immediate_effect_for_the_sender_only() {
        LocalDriver driver = driver(0, HOUR);
        Editor editor = new Editor(driver);
        Editor other = new Editor(driver);
        editor.add(Key.of("counter"), 5);
        editor.put(Key.of("value"), FOREVER);
        editor.push(Key.of("list"));
        assertThat(editor.inbox.all()).hasSize(3);
        assertThat(editor.inbox.wakes()).isZero();
        assertThat(other.inbox.all()).isEmpty();
        assertThat(other.inbox.wakes()).isZero();
    }

    @Test
    void data_stays_when_the_session_that_wrote_it_ends() {
        LocalDriver driver = driver(0, HOUR);
        Editor editor = new Editor(driver);
        editor.add(Key.of("counter"), 5);
        editor.put(Key.of("value"), FOREVER);
        editor.push(Key.of("list"));
        assertThat(editor.session.isHolding()).isFalse();
        editor.session.close(0);
        Editor other = new Editor(driver);
        assertThat(other.number(Key.of("counter"), new DataOperation.GetCounter())).isEqualTo(5);
        assertThat(other.submit(Key.of("value"), new DataOperation.GetValue()))
                .isInstanceOf(Effect.Found.class);
        assertThat(other.number(Key.of("list"), new DataOperation.Length())).isEqualTo(1);
    }

    @Test
    void data_commands_of_a_closed_session_are_ignored() {
        LocalDriver driver = driver(0, HOUR);
        Editor editor = new Editor(driver);
        editor.session.close(0);
        editor.send(Key.of("counter"), new DataOperation.Increment(1));
        assertThat(editor.inbox.all()).isEmpty();
        assertThat(entries(driver)).isZero();
    }

    @Test
    void closing_a_session_with_only_data_commands_touches_no_shard() {
        // A shard reads the clock with each command.
        Thread test = Thread.currentThread();
        AtomicInteger clockReads = new AtomicInteger();
        LongSupplier clock =
                () -> {
                    if (Thread.currentThread().equals(test)) {
                        clockReads.incrementAndGet();
                    }
                    return 1_000;
                };
        LocalDriver driver =
                keep(
                        new LocalDriver(
                                settings(0),
                                KeyCountLimits.NONE,
                                HOUR,
                                new ClockFences(),
                                pieces,
                                clock));
        Editor editor = new Editor(driver);
        for (int i = 0; i < 100; i++) {
            editor.create(i, Key.of("key-" + i));
        }
        assertThat(clockReads.get()).isGreaterThanOrEqualTo(100);
        clockReads.set(0);
        assertThat(editor.session.isHolding()).isFalse();
        editor.session.close(0);
        assertThat(clockReads).hasValue(0);
        assertThat(driver.openSessions()).isZero();

        SessionClient sessionClient = new SessionClient(driver);
        Key key = Key.of("key-7");
        Token token = sessionClient.lock(key);
        sessionClient.release(key, token);
        clockReads.set(0);
        sessionClient.close();
        assertThat(clockReads).as("only the shard where it had a lock").hasValue(1);
    }

    @Test
    void an_entry_that_exists_during_a_whole_listing_is_listed_once() throws Exception {
        LocalDriver driver = driver(0, HOUR);
        Editor keeper = new Editor(driver);
        Set<Key> steady = new HashSet<>();
        for (int i = 0; i < 700; i++) {
            Key key = Key.of("steady-" + i);
            keeper.put(key, FOREVER);
            keeper.push(key);
            keeper.add(key, 1);
            steady.add(key);
        }
        AtomicBoolean done = new AtomicBoolean();
        parallelThreads.run(
                3,
                member -> {
                    if (member > 0) {
                        churn(new Editor(driver), member, done);
                        return;
                    }
                    try {
                        for (int i = 0; i < 20; i++) {
                            assertOnce(steady, read(driver.queries().listValues()), ValueView::key);
                            assertOnce(steady, read(driver.queries().listLists()), ListView::key);
                            assertOnce(
                                    steady,
                                    read(driver.queries().listCounters()),
                                    CounterView::key);
                        }
                    } finally {
                        done.set(true);
                    }
                });
    }

    private static void churn(Editor editor, int member, AtomicBoolean done) {
        for (int i = 0; !done.get(); i = (i + 1) % 200) {
            Key key = Key.of("churn-" + member + "-" + i);
            editor.put(key, FOREVER);
            editor.push(key);
            editor.pop(key);
            editor.delete(key);
            editor.inbox.clear();
        }
    }

    private static <T> void assertOnce(Set<Key> steady, List<T> views, Function<T, Key> keyOf) {
        List<Key> seen = views.stream().map(keyOf).filter(steady::contains).toList();
        assertThat(seen).hasSameSizeAs(steady);
        assertThat(new HashSet<>(seen)).isEqualTo(steady);
    }

    private static <T> List<T> read(ScanCursor<T> listing) {
        List<T> views = new ArrayList<>();
        try (listing) {
            for (List<T> slice = listing.next(); !slice.isEmpty(); slice = listing.next()) {
                views.addAll(slice);
            }
        }
        return views;
    }

    private static int entries(LocalDriver driver) {
        return read(driver.queries().listCounters()).size()
                + read(driver.queries().listValues()).size()
                + read(driver.queries().listLists()).size();
    }

    private LocalDriver driver(long maxEntries, Duration collectEvery) {
        return keep(
                new LocalDriver(
                        settings(HOUR.toNanos()),
                        new KeyCountLimits(0, 0, maxEntries),
                        collectEvery,
                        new ClockFences(),
                        pieces));
    }

    private LocalDriver keep(LocalDriver driver) {
        drivers.add(driver);
        return driver;
    }

    private static EngineSettings settings(long idleNanos) {
        return new EngineSettings(0, idleNanos, true);
    }

    /** A memory budget that counts pieces. */
    private static final class Pieces implements FixedSizeMemoryBudget {
        private final AtomicInteger taken = new AtomicInteger();

        @Override
        public boolean tryReserve() {
            taken.incrementAndGet();
            return true;
        }

        @Override
        public void release() {
            taken.decrementAndGet();
        }

        int taken() {
            return taken.get();
        }
    }

    /** A session that reads and writes data. */
    private static final class Editor {
        final RecordingMailbox inbox = new RecordingMailbox();
        final Session session;
        private long lastRequest;

        Editor(LocalDriver driver) {
            session = driver.open(inbox, new ClientInfo("test", () -> "editor"));
        }

        long send(Key key, DataOperation operation) {
            session.submit(new Command.Data(session.id(), ++lastRequest, key, operation));
            return lastRequest;
        }

        /** The effect, which must be immediate. */
        Effect submit(Key key, DataOperation operation) {
            return inbox.effectOf(send(key, operation)).orElseThrow();
        }

        long number(Key key, DataOperation operation) {
            return ((Effect.Counted) submit(key, operation)).value();
        }

        long add(Key key, long delta) {
            return number(key, new DataOperation.Increment(delta));
        }

        boolean put(Key key, long ttlNanos) {
            return wasDone(submit(key, new DataOperation.SetValue(SOMETHING, ttlNanos)));
        }

        boolean push(Key key) {
            return wasDone(submit(key, new DataOperation.Push(End.BACK, SOMETHING)));
        }

        void pop(Key key) {
            assertThat(submit(key, new DataOperation.Pop(End.FRONT)))
                    .isInstanceOf(Effect.Found.class);
        }

        void delete(Key key) {
            assertThat(submit(key, new DataOperation.DeleteValue()))
                    .isInstanceOf(Effect.Changed.class);
        }

        /** Creates a counter, a value or a list. */
        boolean create(int kind, Key key) {
            return switch (kind % 3) {
                case 0 -> wasDone(submit(key, new DataOperation.Increment(1)));
                case 1 -> put(key, FOREVER);
                default -> push(key);
            };
        }

        Refusal refusal(Key key, DataOperation operation) {
            return ((Effect.Refused) submit(key, operation)).reason();
        }

        /** False if a limit is reached; there is no other reason here. */
        private static boolean wasDone(Effect effect) {
            if (effect instanceof Effect.Refused refused) {
                assertThat(refused.reason()).isEqualTo(Refusal.TOO_MANY_ENTRIES);
                return false;
            }
            return true;
        }
    }
}
