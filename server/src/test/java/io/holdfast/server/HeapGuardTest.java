package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

@DisplayName("The heap guard")
@Timeout(120)
class HeapGuardTest {
    private static final long MB = 1024 * 1024;
    private static final long MAX_BYTES = 100 * MB;

    private final FakeHeap heap = new FakeHeap();
    private long now;
    private final HeapGuard guard = new HeapGuard(heap, () -> now);

    /** A heap of live bytes and garbage that the test sets. */
    private final class FakeHeap implements HeapGuard.Heap {
        long live;
        long garbage;
        int collections;
        int looks;
        long collectionNanos;

        @Override
        public long maxBytes() {
            return MAX_BYTES;
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

    /** Reserves pieces of a kind until one is refused; each really needs its estimated size. */
    private long fill(MemoryBudget budget, int bytes) {
        long taken = 0;
        while (budget.tryReserve(bytes)) {
            heap.live += bytes;
            taken += bytes;
        }
        return taken;
    }

    @Test
    void the_heap_guard_allows_state_while_the_heap_is_empty_and_rarely_checks() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(budgets.names().tryReserve(250)).isTrue();
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(10);
    }

    @Test
    void each_kind_of_state_has_a_share_of_the_heap() {
        assertThat(fill(budgets.data(), 300)).isBetween(39 * MB, 40 * MB);
        heap.live = 0;
        assertThat(fill(budgets.waits(), 128)).isBetween(24 * MB, 25 * MB);
        heap.live = 0;
        assertThat(fill(budgets.names(), 200)).isBetween(44 * MB, 45 * MB);
        assertThat(heap.collections).isZero();
    }

    @Test
    void a_filling_heap_refuses_one_kind_of_state_after_the_other_and_holds_last() {
        heap.live = 25 * MB; // other state
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
    void state_is_refused_in_time_when_it_is_larger_than_estimated() {
        while (budgets.data().tryReserve(100)) {
            heap.live += 200;
        }
        assertThat(heap.live).isBetween(50 * MB, 65 * MB);
    }

    @Test
    void a_grant_is_charged_to_the_holds_however_little_is_left() {
        fill(budgets.holds(), 112);
        budgets.holds().reserve(112);
        budgets.holds().release(112);
        assertThat(budgets.holds().tryReserve(112)).isFalse();
        budgets.holds().release(112);
        assertThat(budgets.holds().tryReserve(112)).isTrue();
    }

    /** Each collection stops all threads. Most of what is allocated is garbage at once. */
    @Test
    void there_are_few_collections_while_the_heap_fills_up() {
        while (budgets.names().tryReserve(100)) {
            now += 10_000; // 100,000 per second
            heap.live += 100;
            heap.garbage += 300;
            if (heap.usedBytes() > 95 * MB) {
                heap.garbage = 0; // the JVM collected
            }
        }
        assertThat(heap.live).isBetween(40 * MB, 69 * MB);
        assertThat(heap.collections).isLessThan(10);
    }

    @Test
    void large_changes_of_state_need_no_collection() {
        heap.live = 40 * MB;
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(budgets.holds().tryReserve(112)).isTrue();
            budgets.holds().release(112);
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(50);
    }

    @Test
    void garbage_does_not_count_as_live_state() {
        heap.live = 10 * MB;
        heap.garbage = 85 * MB;
        assertThat(budgets.data().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
        heap.garbage = 85 * MB;
        assertThat(budgets.holds().tryReserve(112)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void a_full_heap_is_not_collected_for_each_reservation_nor_every_few_seconds() {
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
    void free_memory_is_noticed_after_a_collection_by_the_jvm() {
        heap.live = 90 * MB;
        assertThat(budgets.data().tryReserve(300)).isFalse();
        heap.live = 20 * MB; // the JVM collected
        assertThat(budgets.data().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void there_is_a_collection_soon_when_very_much_was_released() {
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
    void there_is_another_collection_when_much_was_released() {
        heap.live = 54 * MB;
        long taken = 4 * MB;
        fill(budgets.data(), 300);
        assertThat(budgets.subscriptions().tryReserve(300)).isFalse();
        int collections = heap.collections;
        budgets.data().release(taken);
        heap.live -= taken + 3 * MB; // uncounted state too
        heap.garbage += taken + 5 * MB;
        assertThat(budgets.subscriptions().tryReserve(300)).as("too soon").isFalse();
        assertThat(heap.collections).isEqualTo(collections);
        now += TimeUnit.SECONDS.toNanos(6);
        assertThat(budgets.subscriptions().tryReserve(300)).isTrue();
        assertThat(heap.collections).isEqualTo(collections + 1);
    }

    @Test
    void a_kind_is_checked_again_before_it_reserves_what_it_released() {
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

    /**
     * Repeatedly sets and deletes more than the guard ignores; returns the number of collections.
     */
    private int collectionsOfChurn(long seconds) {
        heap.live = 40 * MB; // other state
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
    void there_is_at_most_one_collection_a_second_at_the_level() {
        assertThat(collectionsOfChurn(20)).isBetween(1, 20);
        assertThat(heap.live).isLessThan(65 * MB);
    }

    @Test
    void collections_take_at_most_a_twentieth_of_the_time() {
        heap.collectionNanos = TimeUnit.MILLISECONDS.toNanos(500);
        assertThat(collectionsOfChurn(60)).isBetween(1, 6);
    }

    @Test
    void a_kind_below_its_level_is_allowed_again_although_lower_levels_are_full() {
        heap.live = 23 * MB; // other state
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
    void waiters_are_allowed_while_values_have_filled_the_heap_to_their_level() {
        heap.live = 25 * MB; // other state
        fill(budgets.data(), 300);
        long waits = fill(budgets.waits(), 128);
        budgets.waits().release(waits);
        assertThat(budgets.waits().tryReserve(2 * MB - 100)).as("without a check").isTrue();
        heap.live = 60 * MB + 6 * MB / 10;
        heap.garbage = 5 * MB;
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(budgets.waits().tryReserve(128)).isTrue();
        assertThat(budgets.data().tryReserve(300)).isFalse();
    }

    @Test
    void there_is_a_collection_for_a_full_kind_with_garbage_just_below_its_level() {
        heap.live = 90 * MB;
        assertThat(budgets.names().tryReserve(200)).isFalse();
        heap.live = 20 * MB;
        heap.garbage = 47 * MB + MB / 2;
        now += TimeUnit.MINUTES.toNanos(2);
        assertThat(budgets.names().tryReserve(200)).isTrue();
    }
}
