package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.MemoryBudget;
import io.holdfast.driver.MemoryBudgets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

@DisplayName("The guard of the heap")
@Timeout(120)
class HeapGuardTest {
    private static final long MB = 1024 * 1024;
    private static final long MOST = 100 * MB;

    private final FakeHeap heap = new FakeHeap();
    private long now;
    private final HeapGuard guard = new HeapGuard(heap, () -> now);

    /** A heap of live bytes and garbage, which is filled by hand. */
    private final class FakeHeap implements HeapGuard.Heap {
        long live;
        long garbage;
        int collections;
        int looks;
        long collectionNanos;

        @Override
        public long maxBytes() {
            return MOST;
        }

        @Override
        public long usedBytes() {
            looks++;
            return live + garbage;
        }

        @Override
        public void collect() {
            collections++;
            now += collectionNanos;
            garbage = 0;
        }
    }

    private final MemoryBudgets budgets = guard.state();

    /** Takes pieces of a kind until it is refused, each of which really needs what it says. */
    private long fill(MemoryBudget budget, int bytes) {
        long taken = 0;
        while (budget.tryReserve(bytes)) {
            heap.live += bytes;
            taken += bytes;
        }
        return taken;
    }

    @Test
    void allows_state_while_the_heap_is_empty_and_hardly_ever_looks() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(budgets.names().tryReserve(250)).isTrue();
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(10);
    }

    @Test
    void gives_each_kind_a_share_of_the_heap() {
        assertThat(fill(budgets.data(), 300)).isBetween(39 * MB, 40 * MB);
        heap.live = 0;
        assertThat(fill(budgets.waits(), 128)).isBetween(24 * MB, 25 * MB);
        heap.live = 0;
        assertThat(fill(budgets.names(), 200)).isBetween(44 * MB, 45 * MB);
        assertThat(heap.collections).isZero();
    }

    @Test
    void refuses_kinds_one_after_the_other_as_the_heap_fills_and_holds_last() {
        heap.live = 25 * MB; // of others
        fill(budgets.data(), 300);
        assertThat(heap.live).isBetween(55 * MB, 61 * MB);
        assertThat(budgets.subscriptions().tryReserve(300)).isFalse();
        fill(budgets.waits(), 128);
        assertThat(budgets.data().tryReserve(300)).isFalse();
        fill(budgets.names(), 200);
        assertThat(heap.live).isBetween(63 * MB, 69 * MB);
        assertThat(budgets.waits().tryReserve(128)).isFalse();
        for (int i = 0; i < 500; i++) {
            assertThat(guard.connections().tryReserve()).as("to remove something").isTrue();
        }
        assertThat(budgets.names().tryReserve(200)).isFalse();
        assertThat(fill(budgets.holds(), 112)).as("a reserve").isGreaterThan(8 * MB);
        assertThat(heap.live).isLessThan(79 * MB);
        assertThat(heap.collections).isLessThan(20);
    }

    @Test
    void refuses_in_time_when_state_is_larger_than_it_was_estimated() {
        while (budgets.data().tryReserve(100)) {
            heap.live += 200;
        }
        assertThat(heap.live).isBetween(50 * MB, 65 * MB);
    }

    @Test
    void charges_a_grant_to_the_holds_however_little_is_left() {
        fill(budgets.holds(), 112);
        budgets.holds().reserve(112);
        budgets.holds().release(112);
        assertThat(budgets.holds().tryReserve(112)).isFalse();
        budgets.holds().release(112);
        assertThat(budgets.holds().tryReserve(112)).isTrue();
    }

    /** Each collection stops everybody. Most of what is made is garbage at once. */
    @Test
    void does_not_collect_again_and_again_while_the_heap_fills_up() {
        while (budgets.names().tryReserve(100)) {
            now += 10_000; // a hundred thousand a second
            heap.live += 100;
            heap.garbage += 300;
            if (heap.usedBytes() > 95 * MB) {
                heap.garbage = 0; // the collector ran by itself
            }
        }
        assertThat(heap.live).isBetween(40 * MB, 69 * MB);
        assertThat(heap.collections).isLessThan(10);
    }

    @Test
    void lets_much_come_and_go_without_a_collection() {
        heap.live = 40 * MB;
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(budgets.holds().tryReserve(112)).isTrue();
            budgets.holds().release(112);
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(50);
    }

    @Test
    void takes_garbage_for_what_it_is() {
        heap.live = 10 * MB;
        heap.garbage = 85 * MB;
        assertThat(budgets.data().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
        heap.garbage = 85 * MB;
        assertThat(budgets.holds().tryReserve(112)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void once_full_does_not_collect_for_each_that_asks_nor_every_few_seconds() {
        heap.live = 90 * MB;
        for (int i = 0; i < 10_000; i++) {
            now += TimeUnit.MILLISECONDS.toNanos(1);
            assertThat(budgets.names().tryReserve(200)).isFalse();
            assertThat(budgets.data().tryReserve(200)).isFalse();
        }
        assertThat(heap.collections).isEqualTo(1);
        now += TimeUnit.MINUTES.toNanos(1);
        assertThat(budgets.names().tryReserve(200)).isFalse();
        assertThat(heap.collections).isEqualTo(2);
    }

    @Test
    void notices_free_memory_without_a_collection_of_its_own() {
        heap.live = 90 * MB;
        assertThat(budgets.data().tryReserve(300)).isFalse();
        heap.live = 20 * MB; // the collector ran by itself
        assertThat(budgets.data().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void collects_again_soon_when_very_much_was_given_back() {
        heap.live = 40 * MB;
        long taken = fill(budgets.data(), 300);
        assertThat(budgets.subscriptions().tryReserve(300)).isFalse();
        budgets.data().release(taken);
        heap.live -= taken;
        heap.garbage += taken + 2 * MB;
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(budgets.subscriptions().tryReserve(300)).isTrue();
    }

    @Test
    void collects_again_when_much_was_given_back_meanwhile() {
        heap.live = 54 * MB;
        long taken = 4 * MB;
        fill(budgets.data(), 300);
        assertThat(budgets.subscriptions().tryReserve(300)).isFalse();
        int collections = heap.collections;
        budgets.data().release(taken);
        heap.live -= taken + 3 * MB; // what is not counted too
        heap.garbage += taken + 5 * MB;
        assertThat(budgets.subscriptions().tryReserve(300)).as("too soon").isFalse();
        assertThat(heap.collections).isEqualTo(collections);
        now += TimeUnit.SECONDS.toNanos(6);
        assertThat(budgets.subscriptions().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(collections + 1);
    }

    @Test
    void looks_again_before_a_kind_gets_back_what_it_gave_back() {
        long taken = fill(budgets.data(), 300);
        budgets.data().release(taken);
        heap.live = 0;
        fill(budgets.names(), 200);
        fill(budgets.waits(), 128);
        fill(budgets.holds(), 112);
        assertThat(heap.live).isBetween(74 * MB, 79 * MB);
        fill(budgets.data(), 300);
        assertThat(heap.live).isLessThan(80 * MB);
    }

    /** Sets and deletes again and again what is more than the guard ignores. */
    private int collectionsOfChurn(long seconds) {
        heap.live = 40 * MB; // of others
        fill(budgets.data(), 300);
        int before = heap.collections;
        long end = now + TimeUnit.SECONDS.toNanos(seconds);
        for (long taken = 12 * MB; now < end; now += TimeUnit.MILLISECONDS.toNanos(10)) {
            budgets.data().release(taken);
            heap.live -= taken;
            heap.garbage = taken;
            taken = 0;
            while (taken < 12 * MB && budgets.data().tryReserve(300)) {
                taken += 300;
                heap.live += 300;
            }
        }
        return heap.collections - before;
    }

    @Test
    void collects_at_most_once_a_second_however_much_comes_and_goes_at_the_level() {
        assertThat(collectionsOfChurn(20)).isBetween(1, 20);
        assertThat(heap.live).isLessThan(65 * MB);
    }

    @Test
    void collects_for_a_twentieth_of_the_time_at_most() {
        heap.collectionNanos = TimeUnit.MILLISECONDS.toNanos(500);
        assertThat(collectionsOfChurn(60)).isBetween(1, 6);
    }

    @Test
    void allows_a_kind_again_that_is_below_its_level_whatever_lower_levels_are_full() {
        heap.live = 23 * MB; // of others
        fill(budgets.names(), 200);
        long holds = fill(budgets.holds(), 112);
        assertThat(guard.connections().tryReserve()).isFalse();
        budgets.holds().release(holds);
        heap.live = 68 * MB + 6 * MB / 10;
        heap.garbage = 3 * MB;
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(guard.connections().tryReserve()).isTrue();
        assertThat(budgets.names().tryReserve(200)).isFalse();
    }

    @Test
    void allows_waiters_while_values_have_filled_the_heap_to_their_level() {
        heap.live = 25 * MB; // of others
        fill(budgets.data(), 300);
        long waits = fill(budgets.waits(), 128);
        budgets.waits().release(waits);
        assertThat(budgets.waits().tryReserve(2 * MB - 100)).as("without a look").isTrue();
        heap.live = 60 * MB + 6 * MB / 10;
        heap.garbage = 5 * MB;
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(budgets.waits().tryReserve(128)).isTrue();
        assertThat(budgets.data().tryReserve(300)).isFalse();
    }

    @Test
    void collects_for_a_kind_that_is_full_although_garbage_is_just_below_its_level() {
        heap.live = 90 * MB;
        assertThat(budgets.names().tryReserve(200)).isFalse();
        heap.live = 20 * MB;
        heap.garbage = 47 * MB + MB / 2;
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(budgets.names().tryReserve(200)).isTrue();
    }
}
