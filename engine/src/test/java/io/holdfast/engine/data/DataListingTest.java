package io.holdfast.engine.data;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.EngineObjectCount;
import io.holdfast.engine.lock.Views;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@DisplayName("A listing of data")
class DataListingTest {
    private final DataScenario data = new DataScenario();

    @Test
    void a_listing_of_data_has_one_type_in_order_of_creation() {
        data.incr("b", 1);
        data.kset("a", "text");
        data.rpush("c", "item");
        data.incr("a", 1);
        data.kset("c", "text");
        data.rpush("b", "item");
        assertThat(data.counters()).containsExactly("b", "a");
        assertThat(data.values()).containsExactly("a", "c");
        assertThat(data.lists()).containsExactly("c", "b");
    }

    @Test
    void a_listing_of_data_has_no_locks_and_a_listing_of_locks_no_data() {
        data.engine.apply(
                new Command.Acquire(1, 1, ResourceKind.LOCK, Key.of("x"), 1, 0, Command.FOREVER, 7),
                data.now(),
                data.quotas,
                new ArrayList<>());
        assertThat(data.views().all()).isEmpty();
        data.engine.apply(
                new Command.CloseSession(1, 0), data.now(), data.quotas, new ArrayList<>());
        data.incr("x", 1);
        data.kset("x", "text");
        data.rpush("x", "item");
        Views locks = Views.of(data.engine, data.now());
        assertThat(locks.inUse()).isEmpty();
        assertThat(locks.idle()).hasSize(1);
    }

    @Test
    void a_listing_of_data_comes_in_slices() {
        for (int i = 0; i < 10; i++) {
            data.kset("value-" + i, "text");
        }
        KeyScan<ValueView> keyScan = data.engine.views().listValues();
        List<Integer> sizes = new ArrayList<>();
        boolean more = true;
        while (more) {
            List<ValueView> slice = new ArrayList<>();
            more = keyScan.next(4, data.now(), slice);
            sizes.add(slice.size());
        }
        assertThat(sizes).containsExactly(4, 4, 2);
    }

    @Test
    void a_listing_of_data_has_each_counter_that_exists_throughout_once() {
        for (int i = 0; i < 6; i++) {
            data.cset("counter-" + i, i == 3 ? 0 : i + 1);
        }
        data.advance(DataScenario.IDLE.plusNanos(1));
        KeyScan<CounterView> keyScan = data.engine.views().listCounters();
        List<CounterView> views = new ArrayList<>();
        keyScan.next(2, data.now(), views); // counter-0, counter-1
        data.collect(); // drops the next but one
        data.incr("counter-4", 10);
        data.incr("new", 1);
        data.cset("counter-0", 0); // already read
        data.advance(DataScenario.IDLE.plusNanos(1));
        data.collect();
        data.cset("counter-0", 7); // read, dropped, and created again at the end
        while (keyScan.next(1, data.now(), views)) {}
        assertThat(views.stream().map(view -> view.key() + "=" + view.value()))
                .containsExactly(
                        "counter-0=1",
                        "counter-1=2",
                        "counter-2=3",
                        "counter-4=15",
                        "counter-5=6",
                        "new=1",
                        "counter-0=7");
    }

    @Test
    void a_listing_of_data_has_a_value_that_is_replaced_between_slices_once() {
        for (int i = 0; i < 4; i++) {
            data.kset("value-" + i, "text", ofSeconds(1000));
        }
        KeyScan<ValueView> keyScan = data.engine.views().listValues();
        List<ValueView> views = new ArrayList<>();
        keyScan.next(2, data.now(), views);
        for (int i = 0; i < 4; i++) {
            data.kset("value-" + i, "another text");
        }
        while (keyScan.next(2, data.now(), views)) {}
        assertThat(views.stream().map(view -> view.key() + ":" + view.length()))
                .containsExactly("value-0:4", "value-1:4", "value-2:12", "value-3:12");
    }

    @Test
    void a_listing_of_data_omits_values_that_expire_between_slices() {
        for (int i = 0; i < 6; i++) {
            data.kset("value-" + i, "text", ofSeconds(i % 2 == 0 ? 10 : 20));
        }
        KeyScan<ValueView> keyScan = data.engine.views().listValues();
        List<ValueView> views = new ArrayList<>();
        keyScan.next(1, data.now(), views);
        data.advanceSilently(ofSeconds(10));
        // Passes a due one that was not removed yet, and one that is not due.
        keyScan.next(2, data.now(), views);
        data.advance(ofSeconds(1));
        while (keyScan.next(1, data.now(), views)) {}
        assertThat(views.stream().map(view -> view.key().toString()))
                .containsExactly("value-0", "value-1", "value-3", "value-5");
    }

    @Test
    void a_listing_of_data_continues_when_the_lists_at_its_cursor_are_removed() {
        for (int i = 0; i < 4; i++) {
            data.rpush("list-" + i, "item");
        }
        KeyScan<ListView> keyScan = data.engine.views().listLists();
        List<ListView> views = new ArrayList<>();
        keyScan.next(2, data.now(), views);
        for (int i = 0; i < 4; i++) {
            data.lpop("list-" + i);
        }
        data.rpush("late", "item");
        assertThat(keyScan.next(2, data.now(), views)).isFalse();
        assertThat(views.stream().map(view -> view.key().toString()))
                .containsExactly("list-0", "list-1", "late");
        data.lpop("late");
        data.assertNothingIsLeft();
    }

    @Test
    void a_listing_of_data_leaves_nothing_behind_when_closed_early() {
        for (int i = 0; i < 4; i++) {
            data.incr("x" + i, 1);
            data.kset("x" + i, "text");
            data.rpush("x" + i, "item");
        }
        long before = EngineObjectCount.of(data.engine);
        List<KeyScan<?>> open =
                List.of(
                        data.engine.views().listCounters(),
                        data.engine.views().listValues(),
                        data.engine.views().listLists());
        for (KeyScan<?> keyScan : open) {
            keyScan.next(2, data.now(), new ArrayList<>());
        }
        assertThat(EngineObjectCount.of(data.engine)).isEqualTo(before + 3);
        open.forEach(KeyScan::close);
        assertThat(EngineObjectCount.of(data.engine)).isEqualTo(before);
    }
}
