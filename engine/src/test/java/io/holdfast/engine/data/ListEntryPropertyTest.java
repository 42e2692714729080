package io.holdfast.engine.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.BeforeTry;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

@Label("A list of items, next to a plain deque")
class ListEntryPropertyTest {
    /** A number of items are pushed or popped at one end. */
    record Turn(boolean push, DataOperation.End end, int times) {}

    private ListEntry list = new ListEntry(Key.of("jobs"), false);
    private final Deque<ByteString> deque = new ArrayDeque<>();
    private int lastItem;

    @BeforeTry
    void start() {
        list = new ListEntry(Key.of("jobs"), false);
        deque.clear();
    }

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void a_list_has_the_items_of_a_deque_and_a_bounded_capacity(@ForAll("turns") List<Turn> turns) {
        for (Turn turn : turns) {
            for (int i = 0; i < turn.times(); i++) {
                if (turn.push()) {
                    push(turn.end());
                } else if (!deque.isEmpty()) {
                    pop(turn.end());
                }
                assertThat(list.size()).isEqualTo(deque.size());
                checkRing();
            }
            checkRanges();
        }
        while (!deque.isEmpty()) {
            pop(deque.size() % 2 == 0 ? DataOperation.End.FRONT : DataOperation.End.BACK);
            checkRing();
        }
    }

    /** Growing and shrinking around one size must not copy the ring each time. */
    @Property
    void a_list_keeps_its_capacity_when_few_items_come_and_go(
            @ForAll @IntRange(min = 2, max = 300) int size, @ForAll DataOperation.End end) {
        while (deque.size() < size) {
            push(end);
        }
        comeAndGo(1 + size / 8, end); // reaches its capacity, whatever it was before
        Object[] array = ring();
        for (int i = 0; i < 3; i++) {
            comeAndGo(1 + size / 8, end);
            assertThat(ring()).isSameAs(array);
        }
    }

    private void comeAndGo(int items, DataOperation.End end) {
        for (int i = 0; i < items; i++) {
            pop(end);
        }
        for (int i = 0; i < items; i++) {
            push(end);
        }
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(true, false),
                        Arbitraries.of(DataOperation.End.class),
                        Arbitraries.of(1, 1, 1, 2, 3, 4, 5, 8, 13, 40, 100))
                .as(Turn::new)
                .list()
                .ofMaxSize(40)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private void push(DataOperation.End end) {
        ByteString item = ByteString.of("item-" + ++lastItem);
        list.push(end, item);
        switch (end) {
            case FRONT -> deque.addFirst(item);
            case BACK -> deque.addLast(item);
        }
    }

    private void pop(DataOperation.End end) {
        ByteString expected =
                switch (end) {
                    case FRONT -> deque.removeFirst();
                    case BACK -> deque.removeLast();
                };
        assertThat(list.pop(end)).isSameAs(expected);
    }

    private void checkRanges() {
        List<ByteString> items = new ArrayList<>(deque);
        int size = items.size();
        assertThat(list.range(0, size)).isEqualTo(items);
        for (int from : new int[] {0, 1, size / 3, size / 2, size - 1, size}) {
            for (int to : new int[] {0, 1, size / 2, size - 1, size}) {
                if (from >= 0 && from <= to && to <= size) {
                    assertThat(list.range(from, to)).isEqualTo(items.subList(from, to));
                }
            }
        }
    }

    /** At most four slots per item, and none that still refers to a popped item. */
    private void checkRing() {
        Object[] ring = ring();
        if (ring.length > Math.max(4, 4 * deque.size())) {
            throw new AssertionError(ring.length + " places for " + deque.size());
        }
        if (Arrays.stream(ring).filter(Objects::nonNull).count() != deque.size()) {
            throw new AssertionError("an item that is gone is remembered");
        }
    }

    private Object[] ring() {
        try {
            Field field = ListEntry.class.getDeclaredField("ring");
            field.setAccessible(true);
            return (Object[]) field.get(list);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
