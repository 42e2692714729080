package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.view.ResourceView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Single-threaded, with a manual clock. */
@DisplayName("The local driver")
class LocalDriverTest {
    private static final Key PRINTER = Key.of("printer");
    private static final long LONG = Duration.ofHours(1).toNanos();
    private static final long MAX_KEYS = 100;

    private final AtomicLong clock = new AtomicLong(1_000);
    private final AtomicBoolean memoryLeft = new AtomicBoolean(true);
    private final LocalDriver driver =
            new LocalDriver(
                    new EngineSettings(0, 0, true),
                    new KeyCountLimits(MAX_KEYS, 0, 0),
                    Duration.ofHours(1),
                    new ClockFences(),
                    memoryLeft::get,
                    clock::get);
    private final SessionClient alice = new SessionClient(driver);
    private final SessionClient bob = new SessionClient(driver);

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void submit_delivers_immediate_effects_before_it_returns_without_a_wake_up() {
        long request = alice.submitAcquire(PRINTER, 0, LONG);
        assertThat(alice.inbox.effectOf(request)).get().isInstanceOf(Effect.Granted.class);
        assertThat(alice.inbox.wakes()).isZero();
    }

    @Test
    void a_grant_wakes_the_session_of_the_waiter() {
        Token token = alice.lock(PRINTER);
        long request = bob.submitAcquire(PRINTER, LONG, LONG);
        assertThat(bob.inbox.all()).isEmpty();
        alice.release(PRINTER, token);
        assertThat(bob.inbox.effectOf(request)).get().isInstanceOf(Effect.Granted.class);
        assertThat(bob.inbox.wakes()).isEqualTo(1);
        assertThat(alice.inbox.wakes()).isZero();
    }

    @Test
    void no_shard_grants_during_a_quarantine() {
        driver.quarantine(Duration.ofSeconds(3));
        clock.addAndGet(Duration.ofSeconds(3).toNanos() - 1);
        List<Key> keys = IntStream.range(0, 100).mapToObj(i -> Key.of("key-" + i)).toList();
        assertThat(keys).noneMatch(alice::tryLock);
        clock.addAndGet(1);
        assertThat(keys).allMatch(alice::tryLock);
    }

    @Test
    void a_session_is_woken_after_its_effects_are_in_the_mailbox() {
        List<Integer> seen = new ArrayList<>();
        RecordingMailbox[] inbox = new RecordingMailbox[1];
        EffectMailbox watching =
                new EffectMailbox() {
                    @Override
                    public void add(Effect effect) {
                        inbox[0].add(effect);
                    }

                    @Override
                    public void wake() {
                        seen.add(inbox[0].all().size());
                    }
                };
        inbox[0] = new RecordingMailbox();
        Session carol = driver.open(watching, new ClientInfo("test", () -> "carol"));
        Token token = alice.lock(PRINTER);
        carol.submit(acquire(carol, 1, PRINTER));
        alice.release(PRINTER, token);
        assertThat(seen).containsExactly(1);
    }

    @Test
    void no_shard_lock_is_held_during_a_wake_up() throws InterruptedException {
        CountDownLatch passed = new CountDownLatch(1);
        AtomicBoolean blocked = new AtomicBoolean();
        EffectMailbox slow =
                new EffectMailbox() {
                    @Override
                    public void add(Effect effect) {}

                    @Override
                    public void wake() {
                        Thread.ofPlatform()
                                .daemon()
                                .start(
                                        () -> {
                                            bob.tryLock(PRINTER); // the same shard
                                            passed.countDown();
                                        });
                        try {
                            blocked.set(!passed.await(60, TimeUnit.SECONDS));
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                };
        Session carol = driver.open(slow, new ClientInfo("test", () -> "carol"));
        Token token = alice.lock(PRINTER);
        carol.submit(acquire(carol, 1, PRINTER));
        alice.release(PRINTER, token);
        assertThat(passed.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(blocked).isFalse();
    }

    @Test
    void session_ids_start_at_one_and_are_not_reused() {
        assertThat(alice.session.id()).isEqualTo(1);
        assertThat(bob.session.id()).isEqualTo(2);
        bob.close();
        assertThat(new SessionClient(driver).session.id()).isEqualTo(3);
    }

    @Test
    void open_sessions_are_counted() {
        assertThat(driver.openSessions()).isEqualTo(2);
        alice.close();
        assertThat(driver.openSessions()).isEqualTo(1);
        alice.close();
        assertThat(driver.openSessions()).isEqualTo(1);
    }

    @Test
    void commands_of_a_closed_session_are_ignored() {
        alice.close();
        long request = alice.submitAcquire(PRINTER, LONG, LONG);
        assertThat(alice.inbox.effectOf(request)).isEmpty();
        assertThat(views(driver.queries().listInUse())).isEmpty();
        assertThat(bob.tryLock(PRINTER)).isTrue();
    }

    @Test
    void closing_a_session_releases_its_holds_in_every_shard() {
        List<Key> keys = keysOfAllShards();
        List<Long> requests = new ArrayList<>();
        for (Key key : keys) {
            alice.lock(key);
            requests.add(bob.submitAcquire(key, LONG, LONG));
        }
        SessionClient carol = new SessionClient(driver);
        for (Key key : keys) {
            carol.submitAcquire(key, LONG, LONG);
        }
        carol.close();
        alice.close();
        for (long request : requests) {
            assertThat(bob.inbox.effectOf(request)).get().isInstanceOf(Effect.Granted.class);
        }
        assertThat(alice.session.isHolding()).isFalse();
        assertThat(views(driver.queries().listInUse()))
                .allMatch(view -> view.owner() == bob.session.id() && view.waiters() == 0);
    }

    @Test
    void is_holding_considers_all_shards() {
        for (Key key : keysOfAllShards()) {
            assertThat(alice.session.isHolding()).isFalse();
            Token token = alice.lock(key);
            assertThat(alice.session.isHolding()).isTrue();
            assertThat(bob.session.isHolding()).isFalse();
            alice.release(key, token);
        }
        assertThat(alice.session.isHolding()).isFalse();
    }

    @Test
    void a_closed_session_gets_no_effects() {
        Token token = alice.lock(PRINTER);
        bob.submitAcquire(PRINTER, LONG, LONG);
        bob.close();
        alice.release(PRINTER, token);
        assertThat(bob.inbox.all()).isEmpty();
        assertThat(bob.inbox.wakes()).isZero();
    }

    @Test
    void a_grant_whose_response_was_never_written_is_released() {
        LocalDriver keeping =
                new LocalDriver(
                        new EngineSettings(0, 0, false),
                        KeyCountLimits.NONE,
                        Duration.ofHours(1),
                        new ClockFences(),
                        () -> true,
                        clock::get);
        try {
            SessionClient carol = new SessionClient(keeping);
            SessionClient dave = new SessionClient(keeping);
            carol.granted(carol.submitAcquire(Key.of("kept"), 0, LONG));
            long unanswered = carol.submitAcquire(PRINTER, 0, LONG);
            carol.session.close(unanswered - 1);
            assertThat(dave.tryLock(PRINTER)).isTrue();
            assertThat(dave.tryLock(Key.of("kept"))).isFalse();
        } finally {
            keeping.close();
        }
    }

    @Test
    void the_limit_of_keys_covers_all_shards() {
        for (int i = 0; i < MAX_KEYS; i++) {
            assertThat(alice.tryLock(Key.of("key-" + i))).isTrue();
        }
        long request = alice.submitAcquire(Key.of("one too many"), 0, LONG);
        assertThat(alice.inbox.effectOf(request))
                .contains(new Effect.Refused(alice.session.id(), request, Refusal.TOO_MANY_KEYS));
        assertThat(alice.tryLock(Key.of("key-7"))).as("known names keep working").isFalse();
    }

    @Test
    void new_state_is_refused_when_the_memory_budget_is_used_up() {
        alice.lock(PRINTER);
        memoryLeft.set(false);
        assertThat(alice.inbox.effectOf(alice.submitAcquire(Key.of("new"), 0, LONG)))
                .get()
                .extracting(effect -> ((Effect.Refused) effect).reason())
                .isEqualTo(Refusal.TOO_MANY_KEYS);
        assertThat(bob.inbox.effectOf(bob.submitAcquire(PRINTER, LONG, LONG)))
                .get()
                .extracting(effect -> ((Effect.Refused) effect).reason())
                .isEqualTo(Refusal.TOO_MANY_WAITERS);
    }

    @Test
    void all_shards_use_one_fence_counter() {
        long last = 0;
        for (Key key : keysOfAllShards()) {
            long fence = alice.lock(key).fence();
            assertThat(fence).isGreaterThan(last);
            last = fence;
        }
    }

    @Test
    void keys_are_spread_over_the_shards() {
        int[] counts = new int[LocalDriver.SHARDS];
        for (int i = 0; i < 16_000; i++) {
            counts[shardOf(Key.of("user:" + i + ":profile"))]++;
        }
        assertThat(IntStream.of(counts)).allMatch(count -> count > 500 && count < 2_000);
    }

    @Test
    void a_listing_has_the_keys_of_all_shards_and_kinds() {
        Set<Key> used = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            alice.lock(Key.of("used-" + i));
            used.add(Key.of("used-" + i));
        }
        alice.submitAcquire(ResourceKind.SEMAPHORE, Key.of("pool"), 3, 0, LONG);
        used.add(Key.of("pool"));
        Set<Key> idle = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            Key key = Key.of("idle-" + i);
            alice.release(key, alice.lock(key));
            idle.add(key);
        }
        assertThat(views(driver.queries().listInUse()))
                .hasSize(used.size())
                .allMatch(view -> used.contains(view.key()));
        assertThat(views(driver.queries().listIdle()))
                .hasSize(idle.size())
                .allMatch(view -> idle.contains(view.key()));
    }

    @Test
    void a_listing_can_be_closed_before_its_end() {
        for (int i = 0; i < 40; i++) {
            alice.lock(Key.of("used-" + i));
        }
        ScanCursor<ResourceView> listing = driver.queries().listInUse();
        assertThat(listing.next()).isNotEmpty();
        listing.close();
        assertThat(listing.next()).isEmpty();
        assertThat(views(driver.queries().listInUse())).hasSize(40);
    }

    @Test
    void leases_are_shown_by_the_clock_of_the_driver() {
        alice.submitAcquire(PRINTER, 0, 5_000);
        clock.addAndGet(2_000);
        assertThat(views(driver.queries().listInUse()).getFirst().leaseLeftNanos())
                .isEqualTo(3_000);
    }

    @Test
    void a_due_lease_expires_before_a_later_command_is_applied() {
        Token token = alice.granted(alice.submitAcquire(PRINTER, 0, 5_000)).token();
        clock.addAndGet(5_000);
        assertThat(alice.release(PRINTER, token)).isInstanceOf(Effect.Refused.class);
    }

    private static Command.Keyed acquire(Session session, long request, Key key) {
        return new Command.Acquire(
                session.id(), request, ResourceKind.LOCK, key, 1, LONG, LONG, request);
    }

    private static int shardOf(Key key) {
        return LocalDriver.shardOf(key);
    }

    private List<Key> keysOfAllShards() {
        List<Key> keys = new ArrayList<>();
        Set<Integer> shards = new HashSet<>();
        for (int i = 0; shards.size() < LocalDriver.SHARDS; i++) {
            Key key = Key.of("key-" + i);
            if (shards.add(shardOf(key))) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static List<ResourceView> views(ScanCursor<ResourceView> listing) {
        List<ResourceView> views = new ArrayList<>();
        for (List<ResourceView> slice = listing.next(); !slice.isEmpty(); slice = listing.next()) {
            views.addAll(slice);
        }
        return views;
    }
}
