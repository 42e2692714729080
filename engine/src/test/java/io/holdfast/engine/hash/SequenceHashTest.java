package io.holdfast.engine.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

@DisplayName("The hash of a sequence")
class SequenceHashTest {
    @Test
    void depends_on_its_items_and_not_on_how_they_were_added() {
        Random random = new Random(7);
        Deque<Long> items = new ArrayDeque<>();
        SequenceHash hash = new SequenceHash();
        for (int step = 0; step < 10_000; step++) {
            long item = random.nextLong();
            switch (random.nextInt(items.isEmpty() ? 2 : 4)) {
                case 0 -> {
                    items.addFirst(item);
                    hash.addFirst(item);
                }
                case 1 -> {
                    items.addLast(item);
                    hash.addLast(item);
                }
                case 2 -> hash.removeFirst(items.removeFirst());
                default -> hash.removeLast(items.removeLast());
            }
            assertThat(hash.value()).isEqualTo(of(items));
        }
    }

    @Test
    void depends_on_the_order_of_its_items() {
        SequenceHash one = new SequenceHash();
        SequenceHash two = new SequenceHash();
        one.addLast(1);
        one.addLast(2);
        two.addLast(2);
        two.addLast(1);
        assertThat(one.value()).isNotEqualTo(two.value());
    }

    private static long of(Iterable<Long> items) {
        SequenceHash hash = new SequenceHash();
        items.forEach(hash::addLast);
        return hash.value();
    }
}
