package io.holdfast.engine.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.EngineObjectCount;
import io.holdfast.engine.lock.LockEngine;
import io.holdfast.engine.lock.TestQuotas;

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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

@Label("Listings that are read while keys come and go")
class KeyScanPropertyTest {
    private static final int KEYS = 12;

    /** A key is acquired or released, or a reader reads a slice; its last one if it is 0. */
    record Turn(boolean reads, int number, int slice) {}

    /** What one reader has read, and which keys were in its list throughout. */
    private static final class Reader {
        final KeyScan<ResourceView> listing;
        final boolean inUse;
        final Set<Integer> throughout;
        final List<ResourceView> views = new ArrayList<>();

        Reader(KeyScan<ResourceView> keyScan, boolean inUse, Set<Integer> throughout) {
            this.listing = keyScan;
            this.inUse = inUse;
            this.throughout = new HashSet<>(throughout);
        }
    }

    private LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
    private TestQuotas quotas = new TestQuotas();
    private final Map<Integer, Token> held = new HashMap<>();
    private final Set<Integer> idle = new HashSet<>();
    private final List<Reader> readers = new ArrayList<>();

    @BeforeTry
    void start() {
        engine = new LockEngine(new EngineSettings(0, 0, true));
        quotas = new TestQuotas();
        held.clear();
        idle.clear();
        readers.clear();
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void key_scans_have_permanent_keys_once_and_absent_ones_never(
            @ForAll("turns") List<Turn> turns) {
        long empty = EngineObjectCount.of(engine);
        for (Turn turn : turns) {
            if (!turn.reads()) {
                toggle(turn.number());
            } else if (turn.number() >= readers.size()) {
                boolean inUse = turn.slice() % 2 == 0;
                readers.add(
                        inUse
                                ? new Reader(engine.views().listInUse(), true, held.keySet())
                                : new Reader(engine.views().listIdle(), false, idle));
            } else {
                read(turn.number(), turn.slice());
            }
        }
        while (!readers.isEmpty()) {
            read(0, 2);
        }
        for (int key : List.copyOf(held.keySet())) {
            toggle(key);
        }
        engine.apply(new Command.CloseSession(1, 0), 0, quotas, new ArrayList<>());
        engine.apply(new Command.Collect(KEYS), 0, quotas, new ArrayList<>());
        assertThat(EngineObjectCount.of(engine)).isEqualTo(empty);
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(true, false, false),
                        Arbitraries.integers().between(0, KEYS - 1),
                        Arbitraries.integers().between(0, 4))
                .as(Turn::new)
                .list()
                .ofMaxSize(120)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private void toggle(int number) {
        Key key = Key.of("key-" + number);
        List<Effect> effects = new ArrayList<>();
        Token token = held.remove(number);
        if (token == null) {
            engine.apply(
                    new Command.Acquire(1, 1, ResourceKind.LOCK, key, 1, 0, Command.FOREVER, 7),
                    0,
                    quotas,
                    effects);
            held.put(number, ((Effect.Granted) effects.getFirst()).token());
            idle.remove(number);
        } else {
            engine.apply(
                    new Command.Release(1, 1, ResourceKind.LOCK, key, token), 0, quotas, effects);
            idle.add(number);
        }
        for (Reader reader : readers) {
            reader.throughout.retainAll(reader.inUse ? held.keySet() : idle);
        }
    }

    private void read(int number, int slice) {
        Reader reader = readers.get(number);
        if (slice == 0) {
            reader.listing.close(); // tired of it
            readers.remove(reader);
            return;
        }
        int before = reader.views.size();
        boolean more = reader.listing.next(slice, 0, reader.views);
        assertThat(reader.views.size() - before).isLessThanOrEqualTo(slice);
        for (ResourceView view : reader.views.subList(before, reader.views.size())) {
            assertThat(view.holders()).isEqualTo(reader.inUse ? 1 : 0);
        }
        if (!more) {
            readers.remove(reader);
            for (int key : reader.throughout) {
                assertThat(reader.views)
                        .filteredOn(view -> view.key().equals(Key.of("key-" + key)))
                        .as("key-%d", key)
                        .hasSize(1);
            }
        }
    }
}
