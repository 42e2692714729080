package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HolderView;
import io.holdfast.engine.view.KeyScan;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holders are read in slices while keys are try-acquired and released. */
@Label("Listings of holders")
class HoldersPropertyTest {
    private static final int KEYS = 8;
    private static final int SESSIONS = 3;

    /** A session try-acquires or releases a key, or a reader reads. */
    record Turn(boolean reads, int key, int session, int slice) {}

    private static final class Reader {
        final KeyScan<HolderView> listing;
        final List<HolderView> views = new ArrayList<>();
        final Set<Integer> throughout;
        final Set<Integer> ever;

        Reader(KeyScan<HolderView> keyScan, Set<Integer> held) {
            this.listing = keyScan;
            this.throughout = new HashSet<>(held);
            this.ever = new HashSet<>(held);
        }
    }

    @Property(tries = 300)
    void a_key_that_is_held_throughout_is_listed_with_its_holders_once(
            @ForAll boolean shared, @ForAll("turns") List<Turn> turns) {
        Run run = new Run(shared ? ResourceKind.SHARED : ResourceKind.LOCK);
        turns.forEach(run::take);
        run.readToTheEnd();
    }

    @Provide
    Arbitrary<List<Turn>> turns() {
        return Combinators.combine(
                        Arbitraries.of(true, false, false),
                        Arbitraries.integers().between(0, KEYS - 1),
                        Arbitraries.integers().between(0, SESSIONS - 1),
                        Arbitraries.integers().between(1, 4))
                .as(Turn::new)
                .list()
                .ofMaxSize(150)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private static Key key(int number) {
        return Key.of("key-" + number);
    }

    /** An engine and its readers. */
    private static final class Run {
        private final LockEngine engine = new LockEngine(new EngineSettings(0, 0, true));
        private final TestQuotas quotas = new TestQuotas();
        private final Map<Integer, Set<Long>> held = new HashMap<>();
        private final List<Reader> readers = new ArrayList<>();
        private final ResourceKind resourceKind;

        Run(ResourceKind resourceKind) {
            this.resourceKind = resourceKind;
            // Retained keys keep their position; transient ones come and go.
            for (int key = 0; key < KEYS && resourceKind == ResourceKind.LOCK; key += 2) {
                send(new Command.Acquire(9, 1, resourceKind, key(key), 1, 0, 1, 0));
            }
            send(new Command.CloseSession(9, 1));
        }

        void take(Turn turn) {
            if (!turn.reads()) {
                toggle(turn.key(), turn.session() + 1);
            } else if (turn.key() >= readers.size()) {
                readers.add(
                        new Reader(
                                engine.views().listHolders(Namespace.DEFAULT, resourceKind),
                                held.keySet()));
            } else {
                read(readers.get(turn.key()), turn.slice());
            }
            int holds = held.values().stream().mapToInt(Set::size).sum();
            assertThat(engine.views().countHeld(Namespace.DEFAULT, resourceKind))
                    .isEqualTo(new HeldCounts(held.size(), holds));
        }

        void readToTheEnd() {
            while (!readers.isEmpty()) {
                read(readers.getFirst(), 2);
            }
        }

        private void toggle(int number, long session) {
            Set<Long> holders = held.computeIfAbsent(number, _ -> new LinkedHashSet<>());
            Key key = key(number);
            if (holders.contains(session)) {
                send(new Command.ReleaseBySession(session, 1, resourceKind, key));
                holders.remove(session);
            } else {
                Effect effect =
                        send(new Command.TryAcquire(session, 1, resourceKind, key, 0)).getFirst();
                if (effect instanceof Effect.TryAcquired) {
                    holders.add(session);
                }
            }
            if (holders.isEmpty()) {
                held.remove(number);
            }
            for (Reader reader : readers) {
                reader.throughout.retainAll(held.keySet());
                reader.ever.addAll(held.keySet());
            }
        }

        private void read(Reader reader, int slice) {
            int before = reader.views.size();
            boolean more = reader.listing.next(slice, 0, reader.views);
            for (HolderView view : reader.views.subList(before, reader.views.size())) {
                assertThat(view).isEqualTo(engine.views().holders(resourceKind, view.key()));
            }
            if (more) {
                return;
            }
            readers.remove(reader);
            for (int number = 0; number < KEYS; number++) {
                Key key = key(number);
                long times = reader.views.stream().filter(view -> view.key().equals(key)).count();
                if (reader.throughout.contains(number)) {
                    assertThat(times).as("held throughout: %s", key).isEqualTo(1);
                } else if (!reader.ever.contains(number)) {
                    assertThat(times).as("never held: %s", key).isZero();
                }
            }
        }

        private List<Effect> send(Command command) {
            List<Effect> effects = new ArrayList<>();
            engine.apply(command, 0, quotas, effects);
            return effects;
        }
    }
}
