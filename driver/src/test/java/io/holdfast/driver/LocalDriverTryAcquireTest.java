package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;
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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

@DisplayName("The local driver with try-acquires")
class LocalDriverTryAcquireTest {
    private static final Key PRINTER = Key.of("printer");
    private static final int MAX_CLAIMS = 60_000;
    private static final HeldCounts NONE = new HeldCounts(0, 0);

    /** A memory budget that counts pieces. */
    private final AtomicInteger pieces = new AtomicInteger();

    private final FixedSizeMemoryBudget fixedSizeMemoryBudget =
            new FixedSizeMemoryBudget() {
                @Override
                public boolean tryReserve() {
                    pieces.incrementAndGet();
                    return true;
                }

                @Override
                public void release() {
                    pieces.decrementAndGet();
                }
            };

    private final LocalDriver driver =
            new LocalDriver(
                    new EngineSettings(0, 0, true),
                    new KeyCountLimits(0, MAX_CLAIMS, 0),
                    Duration.ofHours(1),
                    new ClockFences(),
                    fixedSizeMemoryBudget);
    private final SessionClient alice =
            new SessionClient(driver, new RecordingMailbox(), "alice:1");
    private final SessionClient bob = new SessionClient(driver, new RecordingMailbox(), "bob:2");

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void the_name_of_a_session_is_known_while_it_is_open() {
        assertThat(driver.nameOf(alice.session.id())).isEqualTo("alice:1");
        assertThat(driver.nameOf(bob.session.id())).isEqualTo("bob:2");
        assertThat(driver.nameOf(77)).isNull();
        bob.close();
        assertThat(driver.nameOf(bob.session.id())).isNull();
        assertThat(driver.nameOf(alice.session.id())).isEqualTo("alice:1");
    }

    @Test
    void the_name_of_a_session_is_computed_on_demand() {
        AtomicReference<String> name = new AtomicReference<>("early");
        Session session = driver.open(new RecordingMailbox(), new ClientInfo("test", name::get));
        name.set("late");
        assertThat(driver.nameOf(session.id())).isEqualTo("late");
    }

    @Test
    void the_holders_of_a_key_are_found_in_any_shard() {
        for (int i = 0; i < 100; i++) {
            Key key = Key.of("key-" + i);
            assertThat(driver.queries().holders(ResourceKind.LOCK, key)).isNull();
            assertThat(driver.queries().holders(ResourceKind.SHARED, key)).isNull();
            assertThat(alice.isTryAcquired(ResourceKind.LOCK, key)).isTrue();
            bob.tryAcquire(ResourceKind.SHARED, key);
            alice.tryAcquire(ResourceKind.SHARED, key);
            assertThat(driver.queries().holders(ResourceKind.LOCK, key))
                    .extracting(HolderView::key, HolderView::sessions)
                    .containsExactly(key, List.of(alice.session.id()));
            assertThat(driver.queries().holders(ResourceKind.SHARED, key))
                    .extracting(HolderView::sessions)
                    .isEqualTo(List.of(bob.session.id(), alice.session.id()));
            alice.releaseBySession(ResourceKind.LOCK, key);
            assertThat(driver.queries().holders(ResourceKind.LOCK, key)).isNull();
        }
    }

    @Test
    void a_lock_with_a_lease_is_reported_as_held() {
        Token token = alice.lock(PRINTER);
        assertThat(bob.tryAcquire(ResourceKind.LOCK, PRINTER))
                .extracting(effect -> ((Effect.Refused) effect).reason())
                .isEqualTo(Refusal.BUSY);
        assertThat(driver.queries().holders(ResourceKind.LOCK, PRINTER))
                .extracting(HolderView::since)
                .isEqualTo(token.fence());
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(1, 1));
    }

    @Test
    void held_counts_are_summed_over_all_shards() {
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(NONE);
        for (int i = 0; i < 200; i++) {
            alice.tryAcquire(ResourceKind.LOCK, Key.of("key-" + i));
            alice.tryAcquire(ResourceKind.SHARED, Key.of("key-" + i));
            bob.tryAcquire(ResourceKind.SHARED, Key.of("key-" + i));
        }
        Key elsewhere = Key.of(new Namespace("elsewhere"), "key".getBytes(StandardCharsets.UTF_8));
        alice.tryAcquire(ResourceKind.LOCK, elsewhere);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(200, 200));
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(200, 400));
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.SEMAPHORE))
                .isEqualTo(NONE);
        assertThat(driver.queries().countHeld(elsewhere.namespace(), ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(1, 1));
        alice.close();
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(NONE);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(200, 200));
    }

    @Test
    void holders_of_all_shards_are_listed_once_per_key() {
        List<Key> keys = new ArrayList<>();
        Map<Key, List<Long>> expected = new HashMap<>();
        for (int i = 0; i < 2_000; i++) { // more than a slice in some shard
            Key key = Key.of("key-" + i);
            keys.add(key);
            alice.tryAcquire(ResourceKind.SHARED, key);
            bob.tryAcquire(ResourceKind.SHARED, key);
            expected.put(key, List.of(alice.session.id(), bob.session.id()));
        }
        alice.tryAcquire(ResourceKind.LOCK, PRINTER);
        List<HolderView> views =
                read(driver.queries().listHolders(Namespace.DEFAULT, ResourceKind.SHARED));
        assertThat(views).hasSize(keys.size());
        Map<Key, List<Long>> seen = new HashMap<>();
        views.forEach(view -> seen.put(view.key(), view.sessions()));
        assertThat(seen).isEqualTo(expected);
        assertThat(views.stream().sorted(Comparator.comparingLong(HolderView::since)))
                .extracting(HolderView::key)
                .as("in order of acquisition over all shards")
                .isEqualTo(keys);
        assertThat(read(driver.queries().listHolders(Namespace.DEFAULT, ResourceKind.LOCK)))
                .hasSize(1);
        assertThat(
                        read(
                                driver.queries()
                                        .listHolders(
                                                new Namespace("elsewhere"), ResourceKind.LOCK)))
                .isEmpty();
    }

    @Test
    void the_limit_of_transient_keys_covers_all_shards() {
        LocalDriver small =
                new LocalDriver(
                        new EngineSettings(0, 0, true),
                        new KeyCountLimits(1, 50, 0),
                        Duration.ofHours(1),
                        new ClockFences(),
                        fixedSizeMemoryBudget);
        try {
            SessionClient carol = new SessionClient(small);
            SessionClient dave = new SessionClient(small);
            for (int i = 0; i < 25; i++) {
                assertThat(carol.isTryAcquired(ResourceKind.LOCK, Key.of("key-" + i))).isTrue();
                assertThat(carol.isTryAcquired(ResourceKind.SHARED, Key.of("key-" + i))).isTrue();
            }
            assertThat(carol.tryAcquire(ResourceKind.LOCK, PRINTER))
                    .extracting(effect -> ((Effect.Refused) effect).reason())
                    .isEqualTo(Refusal.TOO_MANY_KEYS);
            assertThat(dave.isTryAcquired(ResourceKind.SHARED, Key.of("key-3")))
                    .as("no new name")
                    .isTrue();
            assertThat(dave.tryLock(PRINTER)).as("keys have a cap of their own").isTrue();
            carol.releaseBySession(ResourceKind.LOCK, Key.of("key-7"));
            assertThat(carol.isTryAcquired(ResourceKind.LOCK, Key.of("another"))).isTrue();
            assertThat(carol.isTryAcquired(ResourceKind.SHARED, Key.of("another"))).isFalse();
            carol.close();
            dave.close();
            SessionClient erin = new SessionClient(small);
            for (int i = 0; i < 50; i++) {
                assertThat(erin.isTryAcquired(ResourceKind.LOCK, Key.of("later-" + i))).isTrue();
            }
            assertThat(erin.isTryAcquired(ResourceKind.LOCK, Key.of("one too many"))).isFalse();
        } finally {
            small.close();
        }
    }

    @Test
    void a_closing_session_gets_the_orphaned_counts_in_its_mailbox() {
        alice.tryAcquire(ResourceKind.LOCK, PRINTER);
        alice.tryAcquire(ResourceKind.SHARED, PRINTER);
        alice.tryAcquire(ResourceKind.SHARED, Key.of("room"));
        bob.lock(Key.of("scanner"));
        alice.close();
        assertThat(orphaned(alice)).isEqualTo(List.of(1, 2));
        assertThat(alice.inbox.wakes()).isZero();
        bob.tryAcquire(ResourceKind.LOCK, PRINTER);
        bob.releaseBySession(ResourceKind.LOCK, PRINTER);
        assertThat(orphaned(bob)).isEqualTo(List.of(0, 0));
    }

    @Test
    void a_session_with_very_many_holds_is_closed_while_others_are_served() {
        int claims = 50_000;
        for (int i = 0; i < claims; i++) {
            assertThat(
                            alice.isTryAcquired(
                                    i % 5 == 0 ? ResourceKind.SHARED : ResourceKind.LOCK,
                                    Key.of("key-" + i)))
                    .isTrue();
        }
        long first = bob.submitAcquire(Key.of("key-1"), Command.FOREVER, Command.FOREVER);
        long last =
                bob.submitAcquire(Key.of("key-" + (claims - 1)), Command.FOREVER, Command.FOREVER);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK).keys())
                .isEqualTo(40_000);
        alice.close();
        alice.close(); // once is enough
        assertThat(alice.inbox.effectOf(alice.submitAcquire(PRINTER, 0, 1)))
                .as("closed at once")
                .isEmpty();

        int rounds = 0;
        while (driver.nameOf(alice.session.id()) != null) {
            for (int i = 0; i < 16; i++) {
                Key key = Key.of("other-" + i);
                assertThat(bob.isTryAcquired(ResourceKind.LOCK, key)).isTrue();
                assertThat(bob.releaseBySession(ResourceKind.LOCK, key))
                        .isInstanceOf(Effect.Released.class);
            }
            assertThat(++rounds).isLessThan(10_000_000);
        }
        bob.granted(first);
        bob.granted(last);
        assertThat(driver.openSessions()).isEqualTo(1);
        assertThat(alice.session.isHolding()).isFalse();
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(2, 2));
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(NONE);
        assertThat(orphaned(alice)).isEqualTo(List.of(40_000, 10_000));
        assertThat(alice.inbox.all())
                .filteredOn(Effect.Orphaned.class::isInstance)
                .as("in small slices, so that nobody waits for long")
                .map(Effect.Orphaned.class::cast)
                .allMatch(slice -> slice.locks() + slice.shared() <= 1_000);
        assertThat(pieces).as("two holds of two keys").hasValue(4);

        SessionClient carol = new SessionClient(driver);
        for (int i = 0; i < MAX_CLAIMS; i++) {
            if (!carol.isTryAcquired(ResourceKind.SHARED, Key.of("after-" + i))) {
                throw new AssertionError("no memory for hold " + i);
            }
        }
        assertThat(carol.isTryAcquired(ResourceKind.SHARED, Key.of("one too many"))).isFalse();
    }

    @Test
    void try_acquired_holds_of_a_closing_session_pass_to_waiters() {
        int claims = 20_000;
        for (int i = 0; i < claims; i++) {
            alice.tryAcquire(ResourceKind.LOCK, Key.of("key-" + i));
        }
        for (int i = 0; i < claims; i++) {
            bob.submitAcquire(Key.of("key-" + i), Command.FOREVER, Command.FOREVER);
        }
        alice.close();
        await().atMost(RecordingMailbox.LIMIT)
                .until(() -> driver.nameOf(alice.session.id()) == null);
        assertThat(bob.inbox.all())
                .hasSize(claims)
                .allMatch(effect -> effect instanceof Effect.Granted);
        assertThat(orphaned(alice)).isEqualTo(List.of(claims, 0));
        bob.close();
        await().atMost(RecordingMailbox.LIMIT).until(() -> driver.openSessions() == 0);
        assertThat(driver.queries().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(NONE);
        assertThat(pieces).as("the keys, which are retained").hasValue(claims);
    }

    /** The orphaned locks and shared locks that were reported to a session. */
    private static List<Integer> orphaned(SessionClient sessionClient) {
        int locks = 0;
        int shared = 0;
        for (Effect effect : sessionClient.inbox.all()) {
            if (effect instanceof Effect.Orphaned orphaned) {
                assertThat(orphaned.session()).isEqualTo(sessionClient.session.id());
                locks += orphaned.locks();
                shared += orphaned.shared();
            }
        }
        return List.of(locks, shared);
    }

    private static List<HolderView> read(ScanCursor<HolderView> scanCursor) {
        List<HolderView> views = new ArrayList<>();
        for (List<HolderView> next = scanCursor.next(); !next.isEmpty(); next = scanCursor.next()) {
            views.addAll(next);
        }
        return views;
    }
}
