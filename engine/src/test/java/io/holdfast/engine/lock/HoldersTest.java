package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyScan;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

@DisplayName("Queries for holders")
class HoldersTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target ROOM = Target.shared("room");
    private static final Target POOL = Target.semaphore("pool", 2);

    private final LockScenario locks = new LockScenario();

    @Test
    void inspect_returns_the_number_of_holders_and_whether_the_session_is_one() {
        assertInspected("alice", ROOM, 0, false);
        locks.tryAcquire("alice", ROOM);
        locks.tryAcquire("bob", ROOM);
        assertInspected("alice", ROOM, 2, true);
        assertInspected("carol", ROOM, 2, false);
        locks.releaseBySession("alice", ROOM);
        assertInspected("alice", ROOM, 1, false);
        locks.tryAcquire("alice", PRINTER);
        assertInspected("alice", PRINTER, 1, true);
        assertInspected("bob", PRINTER, 1, false);
    }

    @Test
    void inspect_leaves_no_state() {
        long empty = EngineObjectCount.of(locks.engine);
        locks.inspect("alice", PRINTER);
        locks.inspect("alice", ROOM);
        assertThat(locks.isRetained(PRINTER)).isFalse();
        assertThat(locks.engine.hasSession(locks.session("alice"))).isFalse();
        assertThat(EngineObjectCount.of(locks.engine)).isEqualTo(empty);
    }

    @Test
    void inspect_does_not_restart_the_idle_time() {
        locks.release(locks.acquire("alice", PRINTER));
        locks.advance(LockScenario.IDLE);
        assertInspected("bob", PRINTER, 0, false);
        locks.advance(ofSeconds(1));
        locks.collect();
        assertThat(locks.isRetained(PRINTER)).isFalse();
    }

    @Test
    void inspect_counts_holders_with_a_lease_but_no_waiters() {
        locks.acquire("alice", PRINTER, ofSeconds(10));
        locks.acquire("bob", PRINTER);
        locks.acquire("alice", POOL);
        locks.acquire("alice", POOL);
        locks.acquire("carol", POOL);
        assertInspected("alice", PRINTER, 1, true);
        assertInspected("bob", PRINTER, 1, false);
        assertThat(locks.holders(PRINTER)).containsExactly("alice");
        assertThat(locks.holders(POOL)).containsExactly("alice", "alice");
        locks.advanceSilently(ofSeconds(10));
        Effect.Inspected later = locks.inspect("bob", PRINTER);
        assertThat(later.own()).as("the lease of alice is over").isTrue();
    }

    @Test
    void the_holders_of_a_free_key_are_null() {
        assertThat(locks.engine.views().holders(ResourceKind.LOCK, PRINTER.key())).isNull();
        locks.release(locks.acquire("alice", PRINTER));
        assertThat(locks.isIdle(PRINTER)).isTrue();
        assertThat(locks.engine.views().holders(ResourceKind.LOCK, PRINTER.key())).isNull();
        assertThat(Views.holders(locks.engine, ResourceKind.LOCK, locks.now())).isEmpty();
        assertThat(locks.engine.views().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(0, 0));
    }

    @Test
    void held_keys_can_be_sorted_by_acquisition() {
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            targets.add(Target.lock("lock-" + i));
        }
        locks.release(locks.acquire("zoe", targets.get(3))); // retained: first in the listing
        for (int i : new int[] {2, 0, 3, 1, 4}) {
            locks.tryAcquire("alice", targets.get(i));
        }
        assertThat(acquired(ResourceKind.LOCK))
                .containsExactly("lock-2", "lock-0", "lock-3", "lock-1", "lock-4");
        locks.tryAcquire("alice", targets.get(2)); // holds it already
        locks.releaseBySession("alice", targets.get(0));
        locks.tryAcquire("bob", targets.get(0));
        var carol = locks.acquire("carol", targets.get(3));
        locks.releaseBySession(
                "alice", targets.get(3)); // a lock that passes on counts as acquired again
        assertThat(carol.fence()).isEqualTo(locks.since(targets.get(3)));
        assertThat(acquired(ResourceKind.LOCK))
                .containsExactly("lock-2", "lock-1", "lock-4", "lock-0", "lock-3");
    }

    @Test
    void a_slice_of_holders_is_limited_except_for_the_holders_of_one_key() {
        for (int room = 0; room < 6; room++) {
            for (int guest = 0; guest < 5; guest++) {
                locks.tryAcquire("guest-" + guest, Target.shared("room-" + room));
            }
        }
        KeyScan<HolderView> keyScan =
                locks.engine.views().listHolders(Namespace.DEFAULT, ResourceKind.SHARED);
        List<HolderView> all = new ArrayList<>();
        List<HolderView> slice = new ArrayList<>();
        boolean more;
        do {
            slice.clear();
            more = keyScan.next(10, locks.now(), slice);
            assertThat(slice).hasSizeLessThanOrEqualTo(2);
            all.addAll(slice);
        } while (more);
        assertThat(all)
                .isEqualTo(Views.holders(locks.engine, ResourceKind.SHARED, locks.now()))
                .hasSize(6);
        keyScan = locks.engine.views().listHolders(Namespace.DEFAULT, ResourceKind.SHARED);
        assertThat(keyScan.next(1, locks.now(), slice)).isTrue();
        assertThat(slice.getLast().sessions()).hasSize(5);
        keyScan.close();
    }

    @Test
    void a_listing_of_holders_covers_one_namespace_and_kind() {
        LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        TestQuotas quotas = new TestQuotas();
        Namespace other = new Namespace("other");
        Key here = Key.of("name");
        Key there = Key.of(other, "name".getBytes(StandardCharsets.UTF_8));
        List<Effect> effects = new ArrayList<>();
        engine.apply(new Command.TryAcquire(1, 1, ResourceKind.LOCK, here, 1), 0, quotas, effects);
        engine.apply(new Command.TryAcquire(2, 1, ResourceKind.LOCK, there, 1), 0, quotas, effects);
        engine.apply(
                new Command.TryAcquire(2, 2, ResourceKind.SHARED, there, 1), 0, quotas, effects);
        engine.apply(
                new Command.TryAcquire(3, 1, ResourceKind.SHARED, there, 1), 0, quotas, effects);
        assertThat(effects).hasOnlyElementsOfType(Effect.TryAcquired.class);
        assertThat(engine.views().countHeld(Namespace.DEFAULT, ResourceKind.LOCK))
                .isEqualTo(new HeldCounts(1, 1));
        assertThat(engine.views().countHeld(Namespace.DEFAULT, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(0, 0));
        assertThat(engine.views().countHeld(other, ResourceKind.SHARED))
                .isEqualTo(new HeldCounts(1, 2));
        assertThat(engine.views().countHeld(other, ResourceKind.SEMAPHORE))
                .isEqualTo(new HeldCounts(0, 0));
        List<HolderView> found = new ArrayList<>();
        engine.views().listHolders(other, ResourceKind.SHARED).next(100, 0, found);
        assertThat(found).containsExactly(new HolderView(there, List.of(2L, 3L), 3));
        assertThat(engine.views().holders(ResourceKind.LOCK, there))
                .isEqualTo(new HolderView(there, List.of(2L), 2));
        assertThat(engine.views().holders(ResourceKind.SHARED, here)).isNull();
    }

    private List<String> acquired(ResourceKind resourceKind) {
        return Views.holders(locks.engine, resourceKind, locks.now()).stream()
                .sorted(Comparator.comparingLong(HolderView::since))
                .map(view -> view.key().toString())
                .toList();
    }

    private void assertInspected(String who, Target what, int holders, boolean own) {
        Effect.Inspected found = locks.inspect(who, what);
        assertThat(found.holders()).as("holders of %s", what).isEqualTo(holders);
        assertThat(found.own()).as("%s is one of them", who).isEqualTo(own);
    }

    @Test
    void a_key_that_is_released_and_acquired_again_meanwhile_is_listed_once() {
        for (String name : new String[] {"a", "b", "c"}) {
            locks.tryAcquire("alice", Target.lock(name));
        }
        KeyScan<HolderView> keyScan =
                locks.engine.views().listHolders(Namespace.DEFAULT, ResourceKind.LOCK);
        List<HolderView> seen = new ArrayList<>();
        boolean more = keyScan.next(1, locks.now(), seen);
        locks.releaseBySession("alice", Target.lock("a"));
        locks.tryAcquire("bob", Target.lock("a"));
        while (more) {
            more = keyScan.next(1, locks.now(), seen);
        }
        assertThat(seen)
                .extracting(HolderView::key)
                .containsExactly(Key.of("a"), Key.of("b"), Key.of("c"));
    }
}
