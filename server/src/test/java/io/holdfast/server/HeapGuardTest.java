package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

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
    private static final class FakeHeap implements HeapGuard.Heap {
        long live;
        long garbage;
        int collections;
        int looks;

        @Override
        public long mostBytes() {
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
            garbage = 0;
        }
    }

    @Test
    void says_yes_while_there_is_room_and_hardly_ever_looks() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(guard.take()).isTrue();
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(10);
    }

    @Test
    void says_no_before_live_objects_fill_the_heap() {
        while (guard.take()) {
            heap.live += 250;
        }
        assertThat(heap.live).isBetween(50 * MB, 90 * MB);
    }

    /** Each collection stops everybody. Most of what is made is garbage at once. */
    @Test
    void does_not_collect_again_and_again_while_the_heap_fills_up() {
        while (guard.take()) {
            now += 10_000; // a hundred thousand a second
            heap.live += 100;
            heap.garbage += 300;
            if (heap.usedBytes() > 95 * MB) {
                heap.garbage = 0; // the collector ran by itself
            }
        }
        assertThat(heap.live).isBetween(50 * MB, 90 * MB);
        assertThat(heap.collections).isLessThan(20);
    }

    @Test
    void lets_much_come_and_go_without_a_collection() {
        heap.live = 40 * MB;
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(guard.take()).isTrue();
            guard.giveBack();
        }
        assertThat(heap.collections).isZero();
        assertThat(heap.looks).isLessThan(50);
    }

    /** A key that was held and released gives back one of its two pieces. */
    @Test
    void counts_what_stays_when_most_of_what_comes_goes_again() {
        while (guard.take()) {
            heap.live += 200;
            if (guard.take()) {
                guard.giveBack();
            }
        }
        assertThat(heap.live).isBetween(50 * MB, 90 * MB);
    }

    @Test
    void is_not_fooled_by_small_pieces_that_make_room_for_large_ones() {
        int small = 0;
        while (guard.take()) {
            heap.live += 100;
            small++;
        }
        now += TimeUnit.SECONDS.toNanos(6);
        while (small > 0 || guard.take()) {
            if (small > 0) {
                heap.live -= 100;
                guard.giveBack();
                small--;
                if (!guard.take()) {
                    continue;
                }
            }
            heap.live += 300;
            assertThat(heap.live).isLessThan(95 * MB);
        }
    }

    @Test
    void takes_garbage_for_what_it_is() {
        heap.live = 10 * MB;
        heap.garbage = 90 * MB;
        assertThat(guard.take()).isTrue();
        assertThat(heap.collections).isEqualTo(1);
        assertThat(guard.take()).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void once_full_does_not_collect_for_each_that_asks() {
        heap.live = 90 * MB;
        for (int i = 0; i < 10_000; i++) {
            assertThat(guard.take()).isFalse();
        }
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void notices_room_without_a_collection_of_its_own() {
        heap.live = 90 * MB;
        assertThat(guard.take()).isFalse();
        heap.live = 20 * MB; // the collector ran by itself
        assertThat(guard.take()).isTrue();
        assertThat(heap.collections).isEqualTo(1);
    }

    @Test
    void looks_for_room_again_after_a_while() {
        heap.live = 90 * MB;
        assertThat(guard.take()).isFalse();
        heap.live = 20 * MB;
        heap.garbage = 65 * MB; // released, but not collected
        assertThat(guard.take()).isFalse();
        now += TimeUnit.SECONDS.toNanos(6);
        assertThat(guard.take()).isTrue();
        assertThat(heap.collections).isEqualTo(2);
    }

    @Test
    void fills_up_again_after_it_recovered() {
        heap.live = 90 * MB;
        assertThat(guard.take()).isFalse();
        heap.live = 70 * MB;
        now += TimeUnit.SECONDS.toNanos(6);
        while (guard.take()) {
            heap.live += 250;
        }
        assertThat(heap.live).isBetween(71 * MB, 90 * MB);
    }
}
