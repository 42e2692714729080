package io.holdfast.engine.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.lock.EngineObjectCount;
import io.holdfast.engine.lock.LockEngine;
import io.holdfast.engine.lock.TestQuotas;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.lifecycle.BeforeTry;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

@Label("Listings of data that are read while it comes and goes")
class DataListingPropertyTest {
    private static final int NAMES = 8;
    private static final long IDLE = 10;

    enum Sort {
        COUNTER,
        VALUE,
        LIST
    }

    enum What {
        MAKE,
        CHANGE,
        REMOVE,
        PASS,
        COLLECT,
        READ
    }

    /** An action on a key of a type; a reader reads slices of this size. */
    record Turn(What what, Sort sort, int number, int slice) {}

    /** What one reader has read, and what was in its list throughout. */
    private static final class Reader<T> {
        final Sort sort;
        final KeyScan<T> listing;
        final Function<T, Key> key;
        final List<Key> seen = new ArrayList<>();
        final Set<Key> throughout;
        final Set<Key> ever;

        Reader(Sort sort, KeyScan<T> keyScan, Function<T, Key> key, Set<Key> present) {
            this.sort = sort;
            this.listing = keyScan;
            this.key = key;
            this.throughout = new HashSet<>(present);
            this.ever = new HashSet<>(present);
        }

        boolean read(int slice, long now) {
            List<T> views = new ArrayList<>();
            boolean more = listing.next(slice, now, views);
            assertThat(views).hasSizeLessThanOrEqualTo(slice);
            views.forEach(view -> seen.add(key.apply(view)));
            return more;
        }
    }

    private LockEngine engine = new LockEngine(new EngineSettings(0, IDLE, true));
    private TestQuotas quotas = new TestQuotas();
    private final List<Reader<?>> readers = new ArrayList<>();
    private long now;

    @BeforeTry
    void start() {
        engine = new LockEngine(new EngineSettings(0, IDLE, true));
        quotas = new TestQuotas();
        readers.clear();
        now = 0;
    }

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void data_listings_have_permanent_entries_once_and_absent_ones_never(
            @ForAll("turns") List<Turn> turns) {
        long empty = EngineObjectCount.of(engine);
        for (Turn turn : turns) {
            Key key = Key.of("name-" + turn.number());
            switch (turn.what()) {
                case MAKE -> make(turn.sort(), key, turn.slice());
                case CHANGE -> change(turn.sort(), key);
                case REMOVE -> remove(turn.sort(), key);
                case PASS -> {
                    now += turn.slice();
                    apply(new Command.Tick());
                }
                case COLLECT -> apply(new Command.Collect(turn.slice()));
                case READ -> read(turn);
            }
        }
        while (!readers.isEmpty()) {
            finish(readers.getFirst(), 2);
        }
        for (int i = 0; i < NAMES; i++) {
            for (Sort sort : Sort.values()) {
                remove(sort, Key.of("name-" + i));
            }
        }
        now += IDLE + 1;
        apply(new Command.Collect(Integer.MAX_VALUE));
        assertThat(EngineObjectCount.of(engine)).isEqualTo(empty);
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(
                                What.MAKE,
                                What.MAKE,
                                What.MAKE,
                                What.CHANGE,
                                What.REMOVE,
                                What.REMOVE,
                                What.PASS,
                                What.COLLECT,
                                What.READ,
                                What.READ,
                                What.READ),
                        Arbitraries.of(Sort.class),
                        Arbitraries.integers().between(0, NAMES - 1),
                        Arbitraries.integers().between(0, 4))
                .as(Turn::new)
                .list()
                .ofMaxSize(150)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private void make(Sort sort, Key key, int life) {
        data(
                key,
                switch (sort) {
                    case COUNTER -> new DataOperation.SetCounter(life % 2);
                    case VALUE ->
                            new DataOperation.SetValue(
                                    ByteString.EMPTY, life == 0 ? Command.FOREVER : 3L * life);
                    case LIST -> new DataOperation.Push(DataOperation.End.BACK, ByteString.EMPTY);
                });
    }

    private void change(Sort sort, Key key) {
        data(
                key,
                switch (sort) {
                    case COUNTER -> new DataOperation.GetCounter();
                    case VALUE -> new DataOperation.GetValue();
                    case LIST -> new DataOperation.Length();
                });
    }

    private void remove(Sort sort, Key key) {
        switch (sort) {
            case COUNTER -> {
                if (present(Sort.COUNTER).contains(key)) {
                    data(key, new DataOperation.SetCounter(0));
                }
            }
            case VALUE -> data(key, new DataOperation.DeleteValue());
            case LIST -> {
                while (present(Sort.LIST).contains(key)) {
                    data(key, new DataOperation.Pop(DataOperation.End.FRONT));
                }
            }
        }
    }

    private void data(Key key, DataOperation operation) {
        apply(new Command.Data(1, 1, key, operation));
    }

    private void apply(Command command) {
        engine.apply(command, now, quotas, new ArrayList<>());
        for (Reader<?> reader : readers) {
            Set<Key> present = present(reader.sort);
            reader.throughout.retainAll(present);
            reader.ever.addAll(present);
        }
    }

    /** The existing keys, read in one slice. */
    private Set<Key> present(Sort sort) {
        DataViews views = DataViews.of(engine, now);
        return switch (sort) {
            case COUNTER -> keys(views.counters(), CounterView::key);
            case VALUE -> keys(views.values(), ValueView::key);
            case LIST -> keys(views.lists(), ListView::key);
        };
    }

    private static <T> Set<Key> keys(List<T> views, Function<T, Key> key) {
        Set<Key> keys = new HashSet<>();
        views.forEach(view -> keys.add(key.apply(view)));
        return keys;
    }

    private void read(Turn turn) {
        if (turn.number() >= readers.size()) {
            readers.add(open(turn.sort()));
            return;
        }
        Reader<?> reader = readers.get(turn.number());
        if (turn.slice() == 0) {
            reader.listing.close(); // tired of it
            readers.remove(reader);
        } else if (!reader.read(turn.slice(), now)) {
            check(reader);
        }
    }

    private Reader<?> open(Sort sort) {
        Set<Key> present = present(sort);
        return switch (sort) {
            case COUNTER ->
                    new Reader<>(sort, engine.views().listCounters(), CounterView::key, present);
            case VALUE -> new Reader<>(sort, engine.views().listValues(), ValueView::key, present);
            case LIST -> new Reader<>(sort, engine.views().listLists(), ListView::key, present);
        };
    }

    private void finish(Reader<?> reader, int slice) {
        while (reader.read(slice, now)) {}
        check(reader);
    }

    private void check(Reader<?> reader) {
        readers.remove(reader);
        for (Key key : reader.throughout) {
            assertThat(reader.seen).filteredOn(key::equals).as("%s", key).hasSize(1);
        }
        assertThat(reader.ever).containsAll(reader.seen);
    }
}
