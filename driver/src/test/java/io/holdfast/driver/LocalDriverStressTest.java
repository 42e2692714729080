package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.ResourceView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

@DisplayName("The local driver under many threads")
class LocalDriverStressTest {
    private static final int THREADS = 8;
    private static final long FOREVER = Command.FOREVER;

    private final ParallelThreads parallelThreads = new ParallelThreads();
    private final List<LocalDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        parallelThreads.close();
        drivers.forEach(LocalDriver::close);
    }

    @Test
    void a_lock_never_has_two_holders_and_no_wake_up_is_lost() throws Exception {
        LocalDriver driver = driver(0, true);
        List<Key> keys = keys("key", 3);
        int[] plain = new int[keys.size()]; // guarded by nothing but the locks under test
        long[] lastFence = new long[keys.size()];
        int rounds = 3_000;
        parallelThreads.run(
                THREADS,
                member -> {
                    SessionClient sessionClient = new SessionClient(driver);
                    for (int i = 0; i < rounds; i++) {
                        int at = (member + i) % keys.size();
                        Token token = sessionClient.lock(keys.get(at));
                        plain[at]++;
                        assertThat(token.fence()).isGreaterThan(lastFence[at]);
                        lastFence[at] = token.fence();
                        assertThat(sessionClient.release(keys.get(at), token))
                                .isInstanceOf(Effect.Released.class);
                        sessionClient.inbox.clear();
                    }
                    sessionClient.close();
                });
        assertThat(IntStream.of(plain).sum()).isEqualTo(THREADS * rounds);
        assertThat(views(driver.queries().listInUse())).isEmpty();
        assertThat(driver.openSessions()).isZero();
    }

    @Test
    void a_semaphore_never_has_more_holders_than_slots() throws Exception {
        LocalDriver driver = driver(0, true);
        Key pool = Key.of("pool");
        int limit = 3;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    SessionClient sessionClient = new SessionClient(driver);
                    for (int i = 0; i < 2_000; i++) {
                        long request =
                                sessionClient.submitAcquire(
                                        ResourceKind.SEMAPHORE, pool, limit, FOREVER, FOREVER);
                        Token token = sessionClient.granted(request).token();
                        int now = inside.incrementAndGet();
                        most.accumulateAndGet(now, Math::max);
                        assertThat(now).isLessThanOrEqualTo(limit);
                        inside.decrementAndGet();
                        sessionClient.release(ResourceKind.SEMAPHORE, pool, token);
                        sessionClient.inbox.clear();
                    }
                    sessionClient.close();
                });
        assertThat(most.get()).isPositive();
        assertThat(views(driver.queries().listInUse())).isEmpty();
    }

    @Test
    void a_lock_that_is_try_acquired_and_waited_for_never_has_two_holders() throws Exception {
        LocalDriver driver = driver(0, true);
        List<Key> keys = keys("key", 2);
        int[] plain = new int[keys.size()]; // guarded by nothing but the locks under test
        AtomicInteger taken = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    SessionClient sessionClient = new SessionClient(driver);
                    for (int i = 0; i < 2_000; i++) {
                        int at = i % keys.size();
                        Key key = keys.get(at);
                        if (member % 2 == 0) {
                            Token token = sessionClient.lock(key);
                            plain[at]++;
                            sessionClient.release(key, token);
                        } else if (sessionClient.isTryAcquired(ResourceKind.LOCK, key)) {
                            plain[at]++;
                            if (i % 10 == 0) { // closing the session releases too
                                sessionClient.close();
                                sessionClient = new SessionClient(driver);
                            } else {
                                sessionClient.releaseBySession(ResourceKind.LOCK, key);
                            }
                        } else {
                            continue;
                        }
                        taken.incrementAndGet();
                        sessionClient.inbox.clear();
                    }
                    sessionClient.close();
                });
        assertThat(IntStream.of(plain).sum()).isEqualTo(taken.get());
        assertThat(taken.get()).isGreaterThanOrEqualTo(THREADS / 2 * 2_000);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(0, 0));
        assertThat(views(driver.queries().listInUse())).isEmpty();
        assertThat(driver.openSessions()).isZero();
    }

    @Test
    void a_try_acquired_key_is_listed_once_while_others_come_and_go() throws Exception {
        LocalDriver driver = driver(0, true);
        List<Key> kept = keys("kept", 3_000);
        SessionClient keeper = new SessionClient(driver);
        kept.forEach(key -> keeper.tryAcquire(ResourceKind.SHARED, key));
        AtomicInteger busy = new AtomicInteger(THREADS - 1);
        parallelThreads.run(
                THREADS,
                member -> {
                    if (member > 0) {
                        try {
                            visit(driver, kept, member);
                        } finally {
                            busy.decrementAndGet();
                        }
                        return;
                    }
                    do {
                        Map<Key, Integer> times = new HashMap<>();
                        ScanCursor<HolderView> scanCursor =
                                driver.queries()
                                        .listHolders(Namespace.DEFAULT, ResourceKind.SHARED);
                        for (var next = scanCursor.next();
                                !next.isEmpty();
                                next = scanCursor.next()) {
                            next.forEach(view -> times.merge(view.key(), 1, Integer::sum));
                        }
                        assertThat(kept).allMatch(key -> times.getOrDefault(key, 0) == 1);
                        int count =
                                driver.queries()
                                        .countHeld(Namespace.DEFAULT, ResourceKind.SHARED)
                                        .keys();
                        assertThat(count).isBetween(3_000, 3_700);
                    } while (busy.get() > 0);
                });
        await().atMost(RecordingMailbox.LIMIT).until(() -> driver.openSessions() == 1);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(3_000, 3_000));
    }

    private static void visit(LocalDriver driver, List<Key> kept, int member) {
        for (int round = 0; round < 5; round++) {
            SessionClient guest = new SessionClient(driver);
            for (int i = 0; i < 1_000; i++) {
                guest.tryAcquire(ResourceKind.SHARED, Key.of("guest-" + (i * member % 700)));
                guest.tryAcquire(ResourceKind.SHARED, kept.get(i));
            }
            guest.close();
        }
    }

    @Test
    void a_lock_never_has_two_holders_when_leases_expire_and_sessions_close() throws Exception {
        LocalDriver driver = driver(0, true);
        Key key = Key.of("key");
        AtomicLong highest = new AtomicLong();
        parallelThreads.run(
                THREADS,
                member -> {
                    for (int i = 0; i < 150; i++) {
                        SessionClient sessionClient = new SessionClient(driver);
                        // Such a short lease usually expires on the deadline thread.
                        long fence =
                                sessionClient
                                        .granted(sessionClient.submitAcquire(key, FOREVER, 200_000))
                                        .token()
                                        .fence();
                        highest.accumulateAndGet(fence, Math::max);
                        sessionClient.close();
                    }
                });
        SessionClient last = new SessionClient(driver);
        long request = last.submitAcquire(key, FOREVER, FOREVER);
        assertThat(last.granted(request).token().fence()).isGreaterThan(highest.get());
    }

    @Test
    void concurrent_waiters_are_served_in_order_of_arrival() throws Exception {
        LocalDriver driver = driver(0, true);
        Key key = Key.of("key");
        for (int round = 0; round < 20; round++) {
            SessionClient holder = new SessionClient(driver);
            Token token = holder.lock(key);
            int batchCount = 5;
            Map<SessionClient, Long> requests = new HashMap<>();
            List<List<SessionClient>> batches = new ArrayList<>();
            for (int batch = 0; batch < batchCount; batch++) {
                // The requests of a batch are concurrent; batches follow each other.
                SessionClient[] clients = new SessionClient[THREADS];
                long[] numbers = new long[THREADS];
                parallelThreads.run(
                        THREADS,
                        member -> {
                            clients[member] = new SessionClient(driver);
                            numbers[member] = clients[member].submitAcquire(key, FOREVER, FOREVER);
                        });
                for (int i = 0; i < THREADS; i++) {
                    requests.put(clients[i], numbers[i]);
                }
                batches.add(List.of(clients));
            }
            holder.release(key, token);
            long lastFence = token.fence();
            for (List<SessionClient> batch : batches) {
                List<SessionClient> left = new ArrayList<>(batch);
                while (!left.isEmpty()) {
                    SessionClient next =
                            left.stream()
                                    .filter(it -> !it.inbox.all().isEmpty())
                                    .findAny()
                                    .orElseThrow(() -> new AssertionError("overtaken"));
                    Token granted = next.granted(requests.get(next)).token();
                    assertThat(granted.fence()).isGreaterThan(lastFence);
                    lastFence = granted.fence();
                    left.remove(next);
                    next.close();
                }
            }
            holder.close();
        }
    }

    @Test
    void concurrent_requests_never_create_more_keys_than_allowed() throws Exception {
        int cap = 50;
        LocalDriver driver = driver(cap, true);
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    SessionClient sessionClient = new SessionClient(driver);
                    for (int i = 0; i < 500; i++) {
                        long request =
                                sessionClient.submitAcquire(Key.of(member + "-" + i), 0, FOREVER);
                        switch (sessionClient.inbox.effectOf(request).orElseThrow()) {
                            case Effect.Granted _ -> granted.incrementAndGet();
                            case Effect.Refused r -> {
                                assertThat(r.reason()).isEqualTo(Refusal.TOO_MANY_KEYS);
                                refused.incrementAndGet();
                            }
                            case Effect other -> throw new AssertionError(other);
                        }
                    }
                });
        assertThat(granted.get()).isEqualTo(cap);
        assertThat(refused.get()).isEqualTo(THREADS * 500 - cap);
        assertThat(views(driver.queries().listInUse())).hasSize(cap);
    }

    @Test
    void no_key_within_the_limit_is_refused_while_keys_are_collected() throws Exception {
        int cap = THREADS;
        LocalDriver driver = driver(cap, true, Duration.ofNanos(1)); // collects all the time
        parallelThreads.run(
                THREADS, // each uses one key at a time: enough for all after a collection
                member -> {
                    SessionClient sessionClient = new SessionClient(driver);
                    for (int i = 0; i < 40; i++) {
                        Key key = Key.of(member + "-" + i);
                        await().atMost(RecordingMailbox.LIMIT)
                                .pollDelay(Duration.ZERO)
                                .pollInterval(Duration.ofMillis(1))
                                .until(() -> sessionClient.tryLock(key));
                        sessionClient.release(key, sessionClient.lastToken());
                    }
                    sessionClient.close();
                });
        SessionClient sessionClient = new SessionClient(driver);
        await().atMost(RecordingMailbox.LIMIT)
                .until(() -> views(driver.queries().listIdle()).isEmpty());
        for (int i = 0; i < cap; i++) {
            assertThat(sessionClient.tryLock(Key.of("after-" + i)))
                    .as("name %d of %d", i, cap)
                    .isTrue();
        }
        assertThat(sessionClient.tryLock(Key.of("one too many"))).isFalse();
    }

    @Test
    void concurrent_requests_never_queue_more_waiters_than_allowed() throws Exception {
        LocalDriver driver =
                new LocalDriver(
                        new EngineSettings(5, 0, true),
                        KeyCountLimits.NONE,
                        Duration.ofHours(1),
                        new ClockFences(),
                        () -> true);
        drivers.add(driver);
        Key key = Key.of("key");
        SessionClient holder = new SessionClient(driver);
        holder.lock(key);
        AtomicInteger blocked = new AtomicInteger();
        parallelThreads.run(
                THREADS,
                member -> {
                    for (int i = 0; i < 20; i++) {
                        SessionClient sessionClient = new SessionClient(driver);
                        if (sessionClient
                                .inbox
                                .effectOf(sessionClient.submitAcquire(key, FOREVER, FOREVER))
                                .isEmpty()) {
                            blocked.incrementAndGet();
                        }
                    }
                });
        assertThat(blocked.get()).isEqualTo(5);
        assertThat(views(driver.queries().listInUse()).getFirst().waiters()).isEqualTo(5);
    }

    @Test
    void a_session_that_closes_while_it_submits_leaves_nothing_behind() throws Exception {
        LocalDriver driver = driver(0, true);
        List<Key> keys = keys("key", 20);
        for (int round = 0; round < 500; round++) {
            SessionClient sessionClient = new SessionClient(driver);
            parallelThreads.run(
                    3,
                    member -> {
                        if (member == 0) {
                            sessionClient.close();
                        } else {
                            for (int i = member; i < keys.size(); i += 2) {
                                sessionClient.submitAcquire(keys.get(i), FOREVER, FOREVER);
                            }
                        }
                    });
            assertThat(sessionClient.session.isHolding()).isFalse();
        }
        assertThat(views(driver.queries().listInUse())).isEmpty();
        assertThat(driver.openSessions()).isZero();
    }

    @Test
    @DisplayName(
            "a grant that races with the close of its session passes to the next waiter (22.4)")
    void a_grant_that_races_with_the_close_of_its_session_passes_to_the_next_waiter()
            throws Exception {
        for (boolean autoRelease : new boolean[] {true, false}) {
            LocalDriver driver = driver(0, autoRelease);
            Key key = Key.of("key");
            for (int round = 0; round < 500; round++) {
                SessionClient holder = new SessionClient(driver);
                SessionClient vanishing = new SessionClient(driver);
                SessionClient next = new SessionClient(driver);
                Token token = holder.lock(key);
                long lost = vanishing.submitAcquire(key, FOREVER, FOREVER);
                long request = next.submitAcquire(key, FOREVER, FOREVER);
                parallelThreads.run(
                        2,
                        member -> {
                            if (member == 0) {
                                holder.release(key, token);
                            } else {
                                vanishing.session.close(lost - 1);
                            }
                        });
                Token granted = next.granted(request).token();
                assertThat(next.release(key, granted)).isInstanceOf(Effect.Released.class);
                holder.close();
                next.close();
            }
            assertThat(views(driver.queries().listInUse())).isEmpty();
        }
    }

    @Test
    void a_grant_that_races_with_its_cancellation_passes_to_the_next_waiter() throws Exception {
        LocalDriver driver = driver(0, true);
        Key key = Key.of("key");
        SessionClient holder = new SessionClient(driver);
        SessionClient cancelling = new SessionClient(driver);
        SessionClient next = new SessionClient(driver);
        for (int round = 0; round < 500; round++) {
            Token token = holder.lock(key);
            long cancelled = cancelling.submitAcquire(key, FOREVER, FOREVER);
            long request = next.submitAcquire(key, FOREVER, FOREVER);
            parallelThreads.run(
                    2,
                    member -> {
                        if (member == 0) {
                            holder.release(key, token);
                        } else {
                            cancelling.cancel(key, cancelled);
                        }
                    });
            assertThat(cancelling.inbox.effectOf(cancelled))
                    .get()
                    .isInstanceOf(Effect.Cancelled.class);
            next.release(key, next.granted(request).token());
        }
        assertThat(cancelling.session.isHolding()).isFalse();
    }

    @Test
    void a_grant_that_races_with_a_timeout_passes_to_the_next_waiter() throws Exception {
        LocalDriver driver = driver(0, true);
        Key key = Key.of("key");
        SessionClient holder = new SessionClient(driver);
        SessionClient hasty = new SessionClient(driver);
        SessionClient next = new SessionClient(driver);
        for (int round = 0; round < 200; round++) {
            long lease = 100_000L + ThreadLocalRandom.current().nextInt(20_000);
            holder.granted(holder.submitAcquire(key, FOREVER, lease));
            long timed = hasty.submitAcquire(key, 100_000, 50_000);
            long request = next.submitAcquire(key, FOREVER, FOREVER);
            hasty.inbox.await(timed);
            assertThat(hasty.inbox.all()).hasSize(1);
            hasty.inbox.clear();
            next.release(key, next.granted(request).token());
        }
    }

    @Test
    void effects_of_a_session_arrive_in_engine_order() throws Exception {
        LocalDriver driver = driver(0, true);
        Key key = Key.of("key");
        SessionClient holder = new SessionClient(driver);
        SessionClient waiting = new SessionClient(driver);
        Token first = holder.lock(key);
        int requests = 400;
        for (int i = 0; i < requests; i++) {
            waiting.submitAcquire(key, FOREVER, FOREVER);
        }
        AtomicInteger next = new AtomicInteger(1);
        holder.release(key, first);
        parallelThreads.run(
                THREADS, // each releases the latest grant of the session
                member -> {
                    SessionClient helper = new SessionClient(driver);
                    for (int request = next.getAndIncrement();
                            request <= requests;
                            request = next.getAndIncrement()) {
                        helper.release(key, waiting.granted(request).token());
                    }
                });
        List<Effect> seen = waiting.inbox.all();
        assertThat(seen).hasSize(requests);
        long lastFence = 0;
        for (int i = 0; i < requests; i++) {
            Effect.Granted granted = (Effect.Granted) seen.get(i);
            assertThat(granted.request()).isEqualTo(i + 1);
            assertThat(granted.token().fence()).isGreaterThan(lastFence);
            lastFence = granted.token().fence();
        }
    }

    @Test
    void a_key_that_is_held_during_a_whole_listing_is_listed_once() throws Exception {
        LocalDriver driver = driver(0, true, Duration.ofMillis(1));
        List<Key> held = keys("held", 700);
        SessionClient keeper = new SessionClient(driver);
        held.forEach(keeper::lock);
        AtomicBoolean done = new AtomicBoolean();
        parallelThreads.run(
                4,
                member -> {
                    if (member > 0) {
                        churn(driver, member, done);
                        return;
                    }
                    try {
                        for (int i = 0; i < 30; i++) {
                            Map<Key, Integer> counts = new HashMap<>();
                            for (ResourceView view : views(driver.queries().listInUse())) {
                                counts.merge(view.key(), 1, Integer::sum);
                            }
                            assertThat(held).allMatch(key -> counts.getOrDefault(key, 0) == 1);
                            views(driver.queries().listIdle());
                            try (ScanCursor<ResourceView> listing = driver.queries().listInUse()) {
                                listing.next(); // and is abandoned
                            }
                        }
                    } finally {
                        done.set(true);
                    }
                });
    }

    /** Acquires, waits for, and releases keys that come and go. */
    private static void churn(LocalDriver driver, int member, AtomicBoolean done) {
        while (!done.get()) {
            SessionClient sessionClient = new SessionClient(driver);
            for (int i = 0; i < 50; i++) {
                sessionClient.submitAcquire(Key.of("churn-" + (i + member * 20)), FOREVER, FOREVER);
                sessionClient.submitAcquire(Key.of("held-" + i), FOREVER, FOREVER);
            }
            sessionClient.close();
        }
    }

    private static List<ResourceView> views(ScanCursor<ResourceView> listing) {
        List<ResourceView> views = new ArrayList<>();
        for (List<ResourceView> slice = listing.next(); !slice.isEmpty(); slice = listing.next()) {
            views.addAll(slice);
        }
        return views;
    }

    private static List<Key> keys(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> Key.of(name + "-" + i)).toList();
    }

    private LocalDriver driver(long maxKeys, boolean autoRelease) {
        return driver(maxKeys, autoRelease, Duration.ofHours(1));
    }

    private LocalDriver driver(long maxKeys, boolean autoRelease, Duration collectEvery) {
        LocalDriver driver =
                new LocalDriver(
                        new EngineSettings(0, 0, autoRelease),
                        new KeyCountLimits(maxKeys, 0, 0),
                        collectEvery,
                        new ClockFences(),
                        () -> true);
        drivers.add(driver);
        return driver;
    }
}
