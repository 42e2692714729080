package io.holdfast.cli.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.socketlock.ReadWriteModel.RequestId;
import io.holdfast.cli.socketlock.ReadWriteModel.State;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Random histories of one lock, played on the model and on everything that keeps such a lock. What
 * is told must be the same, line by line.
 *
 * <p>No two limits ever end at the same time, so their order is the same everywhere: commands are a
 * whole number of microseconds apart, and the limits end beside whole microseconds, each sort at
 * its own distance.
 */
@Label("Whoever keeps a read/write lock")
class ReadWriteModelPropertyTest {
    private static final int SESSIONS = 4;
    private static final List<String> LOCKS = List.of("l1", "l2", "l3");
    private static final long MILLI = 1_000_000;
    private static final long QUEUE_LIMIT = 5_300 * MILLI + 7;
    private static final long CONFIRM_LIMIT = 2_900 * MILLI + 13;

    /** All that must do as the model does. */
    private static final Map<String, Function<PrimaryConfig, ReadWriteSubject>> SUBJECTS =
            Map.of("engine", EngineSubject::new, "embedded", EmbeddedSubject::new);

    enum Verb {
        ASK,
        CONFIRM,
        DECLINE,
        GIVE_UP,
        CHECK,
        CLOSE,
        /** The rest is done to whoever is in such a state. */
        CONFIRM_OFFERED,
        DECLINE_OFFERED,
        GIVE_UP_OFFERED,
        GIVE_UP_HELD,
        CHECK_HELD,
        GIVE_UP_QUEUED,
        CHECK_EXPIRED,
        GIVE_UP_EXPIRED,
        ASK_EXPIRED
    }

    record Act(Verb verb, int session, int lock, ReadWriteMode mode, int ttl, long restMillis) {}

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void tells_everybody_what_the_description_says(
            @ForAll QueuePolicy queuePolicy, @ForAll("histories") List<Act> history) {
        play(queuePolicy, history);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void has_nothing_left_when_all_are_gone(
            @ForAll QueuePolicy queuePolicy, @ForAll("histories") List<Act> history) {
        Game game = play(queuePolicy, history);
        for (int session = 0; session < SESSIONS; session++) {
            int leaving = session;
            game.same(subject -> subject.close(leaving));
        }
        assertThat(game.model.isEmpty()).isTrue();
        assertThat(((EngineSubject) game.subjects.get("engine")).isEmpty()).isTrue();
        assertThat(((EmbeddedSubject) game.subjects.get("embedded")).isEmpty()).isTrue();
    }

    private static Game play(QueuePolicy queuePolicy, List<Act> history) {
        Game game = new Game(new PrimaryConfig(queuePolicy, QUEUE_LIMIT, CONFIRM_LIMIT));
        history.forEach(game::act);
        return game;
    }

    @Provide
    Arbitrary<List<Act>> histories() {
        return Combinators.combine(
                        verbs(),
                        Arbitraries.integers().between(0, SESSIONS - 1),
                        Arbitraries.integers().between(0, LOCKS.size() - 1),
                        Arbitraries.of(ReadWriteMode.READ, ReadWriteMode.READ, ReadWriteMode.WRITE),
                        Arbitraries.of(0, 0, 1, 2, 4),
                        Arbitraries.of(0L, 0L, 0L, 0L, 1L, 300L, 1_000L, 3_000L, 9_000L))
                .as(Act::new)
                .list()
                .ofMaxSize(120)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    private static Arbitrary<Verb> verbs() {
        return Arbitraries.frequency(
                Tuple.of(40, Verb.ASK),
                Tuple.of(3, Verb.CONFIRM),
                Tuple.of(3, Verb.DECLINE),
                Tuple.of(3, Verb.GIVE_UP),
                Tuple.of(3, Verb.CHECK),
                Tuple.of(3, Verb.CLOSE),
                Tuple.of(35, Verb.CONFIRM_OFFERED),
                Tuple.of(4, Verb.DECLINE_OFFERED),
                Tuple.of(3, Verb.GIVE_UP_OFFERED),
                Tuple.of(18, Verb.GIVE_UP_HELD),
                Tuple.of(3, Verb.CHECK_HELD),
                Tuple.of(3, Verb.GIVE_UP_QUEUED),
                Tuple.of(2, Verb.CHECK_EXPIRED),
                Tuple.of(2, Verb.GIVE_UP_EXPIRED),
                Tuple.of(1, Verb.ASK_EXPIRED));
    }

    /** The model and all subjects at the same work. */
    private static final class Game {
        final ReadWriteModel model;
        final Map<String, ReadWriteSubject> subjects = new LinkedHashMap<>();
        private long now;

        Game(PrimaryConfig primaryConfig) {
            model = new ReadWriteModel(primaryConfig);
            SUBJECTS.forEach((name, make) -> subjects.put(name, make.apply(primaryConfig)));
        }

        void act(Act act) {
            rest(act.restMillis() * MILLI + 1_000);
            switch (act.verb()) {
                case ASK -> ask(act, new RequestId(act.session(), LOCKS.get(act.lock())));
                case ASK_EXPIRED -> pick(act, State.EXPIRED, id -> ask(act, id));
                case CONFIRM -> confirm(new RequestId(act.session(), LOCKS.get(act.lock())));
                case CONFIRM_OFFERED -> pick(act, State.OFFERED, this::confirm);
                case DECLINE -> decline(new RequestId(act.session(), LOCKS.get(act.lock())));
                case DECLINE_OFFERED -> pick(act, State.OFFERED, this::decline);
                case GIVE_UP -> giveUp(new RequestId(act.session(), LOCKS.get(act.lock())));
                case GIVE_UP_OFFERED -> pick(act, State.OFFERED, this::giveUp);
                case GIVE_UP_HELD -> pick(act, State.HELD, this::giveUp);
                case GIVE_UP_QUEUED -> pick(act, State.QUEUED, this::giveUp);
                case GIVE_UP_EXPIRED -> pick(act, State.EXPIRED, this::giveUp);
                case CHECK -> check(new RequestId(act.session(), LOCKS.get(act.lock())));
                case CHECK_HELD -> pick(act, State.HELD, this::check);
                case CHECK_EXPIRED -> pick(act, State.EXPIRED, this::check);
                case CLOSE -> same(subject -> subject.close(act.session()));
            }
        }

        /** Time passes, from one limit that ends to the next. */
        private void rest(long nanos) {
            long end = now + nanos;
            while (now < end) {
                now = Math.min(end, model.nextDeadline());
                same(subject -> subject.advanceTo(now));
            }
        }

        private interface Deed {
            void to(RequestId id);
        }

        private void pick(Act act, State state, Deed deed) {
            List<RequestId> ids = model.ids(state);
            if (!ids.isEmpty()) {
                deed.to(ids.get((act.session() * LOCKS.size() + act.lock()) % ids.size()));
            }
        }

        private void ask(Act act, RequestId id) {
            same(subject -> subject.ask(id.session(), id.lock(), act.mode(), act.ttl()));
        }

        private void confirm(RequestId id) {
            same(subject -> subject.confirm(id.session(), id.lock()));
        }

        private void decline(RequestId id) {
            same(subject -> subject.decline(id.session(), id.lock()));
        }

        private void giveUp(RequestId id) {
            same(subject -> subject.giveUp(id.session(), id.lock()));
        }

        private void check(RequestId id) {
            same(subject -> subject.check(id.session(), id.lock()));
        }

        void same(Function<ReadWriteSubject, List<OutgoingLine>> deed) {
            List<OutgoingLine> expected = deed.apply(model);
            assertThat(model.isSafe()).as("the model is safe").isTrue();
            subjects.forEach(
                    (name, subject) ->
                            assertThat(deed.apply(subject))
                                    .as("%s at %s ns", name, now)
                                    .isEqualTo(expected));
        }
    }
}
