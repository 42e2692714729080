package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ResourceView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("A listing")
class KeyScanTest {
    private final LockScenario locks = new LockScenario();

    @Test
    void a_listing_shows_a_key_in_use_as_it_is() {
        Target printer = Target.lock("printer");
        Request alice = locks.acquire("alice", printer, ofSeconds(10));
        locks.acquire("bob", printer);
        locks.enqueue("carol", printer);
        locks.advance(ofSeconds(4));
        assertThat(Views.of(locks.engine, locks.now()).inUse())
                .containsExactly(
                        new ResourceView(
                                ResourceKind.LOCK,
                                printer.key(),
                                1,
                                1,
                                2,
                                locks.session("alice"),
                                ofSeconds(6).toNanos(),
                                ofSeconds(4).toNanos(),
                                ofSeconds(4).toNanos(),
                                ReadWriteMode.WRITE,
                                alice.fence()));
    }

    @Test
    void a_listing_shows_an_idle_key_as_it_is() {
        Target pool = Target.semaphore("pool", 3);
        locks.release(locks.acquire("alice", pool));
        locks.advance(ofSeconds(4));
        assertThat(Views.of(locks.engine, locks.now()).inUse()).isEmpty();
        assertThat(Views.of(locks.engine, locks.now()).idle())
                .containsExactly(
                        new ResourceView(
                                ResourceKind.SEMAPHORE,
                                pool.key(),
                                3,
                                0,
                                0,
                                0,
                                0,
                                ofSeconds(4).toNanos(),
                                0,
                                ReadWriteMode.WRITE,
                                0));
    }

    @Test
    void a_listing_shows_an_unlimited_lease() {
        locks.acquire("alice", Target.lock("printer"), 0, Command.FOREVER);
        assertThat(Views.of(locks.engine, locks.now()).inUse().getFirst().leaseLeftNanos())
                .isEqualTo(Command.FOREVER);
    }

    @Test
    void a_listing_shows_0_for_a_lease_that_is_due_but_not_expired() {
        locks.acquire("alice", Target.lock("printer"), ofSeconds(1));
        locks.advanceSilently(ofSeconds(5));
        assertThat(Views.of(locks.engine, locks.now()).inUse().getFirst().leaseLeftNanos())
                .isZero();
    }

    @Test
    void a_listing_comes_in_slices() {
        hold(10);
        KeyScan<ResourceView> keyScan = locks.engine.views().listInUse();
        List<Integer> sizes = new ArrayList<>();
        List<ResourceView> all = new ArrayList<>();
        boolean more = true;
        while (more) {
            List<ResourceView> slice = new ArrayList<>();
            more = keyScan.next(4, locks.now(), slice);
            sizes.add(slice.size());
            all.addAll(slice);
        }
        assertThat(sizes).containsExactly(4, 4, 2);
        assertThat(names(all)).containsExactlyElementsOf(names(10));
    }

    @Test
    void an_empty_listing_ends_at_once() {
        List<ResourceView> views = new ArrayList<>();
        assertThat(locks.engine.views().listInUse().next(10, locks.now(), views)).isFalse();
        assertThat(views).isEmpty();
    }

    @Test
    void a_listing_that_has_ended_stays_at_its_end() {
        hold(1);
        KeyScan<ResourceView> keyScan = locks.engine.views().listInUse();
        List<ResourceView> views = new ArrayList<>();
        assertThat(keyScan.next(10, locks.now(), views)).isFalse();
        hold(3);
        assertThat(keyScan.next(10, locks.now(), views)).isFalse();
        assertThat(views).hasSize(1);
    }

    @Test
    void a_listing_has_each_key_that_is_held_throughout_once() {
        var holds = hold(9);
        KeyScan<ResourceView> keyScan = locks.engine.views().listInUse();
        List<ResourceView> views = new ArrayList<>();
        keyScan.next(3, locks.now(), views); // key-0, key-1, key-2
        locks.release(holds.get(1)); // read, released
        locks.release(holds.get(3)); // releases the next one
        locks.release(holds.get(8)); // releases the last one
        locks.acquire("bob", Target.lock("key-1")); // read, released, acquired again
        locks.acquire("bob", Target.lock("new")); // new meanwhile
        locks.acquire("bob", Target.lock("key-5")); // a waiter changes nothing
        keyScan.next(2, locks.now(), views);
        locks.release(holds.get(5)); // passes to the waiter: held throughout
        while (keyScan.next(2, locks.now(), views)) {}
        for (int i : new int[] {0, 2, 4, 5, 6, 7}) {
            assertThat(names(views)).containsOnlyOnce("key-" + i);
        }
        assertThat(names(views)).doesNotContain("key-3", "key-8");
    }

    @Test
    void a_listing_continues_when_the_keys_at_its_cursor_are_dropped() {
        var holds = hold(6);
        KeyScan<ResourceView> keyScan = locks.engine.views().listInUse();
        List<ResourceView> views = new ArrayList<>();
        keyScan.next(3, locks.now(), views);
        holds.forEach(locks::release);
        assertThat(keyScan.next(3, locks.now(), views)).isFalse();
        assertThat(names(views)).containsExactly("key-0", "key-1", "key-2");
    }

    @Test
    void a_listing_does_not_disturb_another_one() {
        hold(5);
        KeyScan<ResourceView> one = locks.engine.views().listInUse();
        List<ResourceView> ones = new ArrayList<>();
        one.next(2, locks.now(), ones);
        KeyScan<ResourceView> two = locks.engine.views().listInUse();
        List<ResourceView> twos = new ArrayList<>();
        two.next(3, locks.now(), twos);
        while (one.next(1, locks.now(), ones)) {}
        while (two.next(1, locks.now(), twos)) {}
        assertThat(names(ones)).containsExactlyElementsOf(names(5));
        assertThat(names(twos)).containsExactlyElementsOf(names(5));
    }

    @Test
    void a_listing_leaves_nothing_behind_when_closed_early() {
        hold(5);
        long before = EngineObjectCount.of(locks.engine);
        KeyScan<ResourceView> keyScan = locks.engine.views().listInUse();
        keyScan.next(2, locks.now(), new ArrayList<>());
        assertThat(EngineObjectCount.of(locks.engine)).isGreaterThan(before);
        keyScan.close();
        assertThat(EngineObjectCount.of(locks.engine)).isEqualTo(before);
        keyScan.close();
        assertThat(keyScan.next(2, locks.now(), new ArrayList<>())).isFalse();
    }

    private List<LockScenario.Request> hold(int keys) {
        List<LockScenario.Request> holds = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            holds.add(locks.acquire("alice", Target.lock("key-" + i)));
        }
        return holds;
    }

    private static List<String> names(int keys) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            names.add("key-" + i);
        }
        return names;
    }

    private static List<String> names(List<ResourceView> views) {
        return views.stream().map(view -> view.key().toString()).toList();
    }
}
