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
 * Random histories of one lock, played on the model and on every implementation. The lines that are
 * sent must be the same.
 *
 * <p>No two timeouts end at the same time, so their order is the same everywhere: commands are a
 * whole number of microseconds apart, and each kind of timeout has its own offset from whole
 * microseconds.
 */
@Label("Implementations of a read/write lock")
class ReadWriteModelPropertyTest {
    private static final int SESSIONS = 4;
    private static final List<String> LOCKS = List.of("l1", "l2", "l3");
    private static final long MILLI = 1_000_000;
    private static final long QUEUE_LIMIT = 5_300 * MILLI + 7;
    private static final long CONFIRM_LIMIT = 2_900 * MILLI + 13;

    /** The implementations to compare with the model. */
    private static final Map<String, Function<PrimaryConfig, ReadWriteSubject>> SUBJECTS =
            Map.of("engine", EngineSubject::new, "embedded", EmbeddedSubject::new);

    enum Verb {
        REQUEST,
        CONFIRM,
        DECLINE,
        RELEASE,
        CHECK,
        CLOSE,
        /** This and the following verbs apply to a request in the named state. */
        CONFIRM_OFFERED,
        DECLINE_OFFERED,
        RELEASE_OFFERED,
        RELEASE_HELD,
        CHECK_HELD,
        RELEASE_QUEUED,
        CHECK_EXPIRED,
        RELEASE_EXPIRED,
        REQUEST_EXPIRED
    }

    record Act(Verb verb, int session, int lock, ReadWriteMode mode, int ttl, long restMillis) {}

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void every_implementation_sends_the_same_lines_as_the_model(
            @ForAll QueuePolicy queuePolicy, @ForAll("histories") List<Act> history) {
        play(queuePolicy, history);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void nothing_is_left_when_all_sessions_are_closed(
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
                Tuple.of(40, Verb.REQUEST),
                Tuple.of(3, Verb.CONFIRM),
                Tuple.of(3, Verb.DECLINE),
                Tuple.of(3, Verb.RELEASE),
                Tuple.of(3, Verb.CHECK),
                Tuple.of(3, Verb.CLOSE),
                Tuple.of(35, Verb.CONFIRM_OFFERED),
                Tuple.of(4, Verb.DECLINE_OFFERED),
                Tuple.of(3, Verb.RELEASE_OFFERED),
                Tuple.of(18, Verb.RELEASE_HELD),
                Tuple.of(3, Verb.CHECK_HELD),
                Tuple.of(3, Verb.RELEASE_QUEUED),
                Tuple.of(2, Verb.CHECK_EXPIRED),
                Tuple.of(2, Verb.RELEASE_EXPIRED),
                Tuple.of(1, Verb.REQUEST_EXPIRED));
    }

    /** Applies the same actions to the model and to all subjects. */
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
                case REQUEST -> request(act, new RequestId(act.session(), LOCKS.get(act.lock())));
                case REQUEST_EXPIRED -> pick(act, State.EXPIRED, id -> request(act, id));
                case CONFIRM -> confirm(new RequestId(act.session(), LOCKS.get(act.lock())));
                case CONFIRM_OFFERED -> pick(act, State.OFFERED, this::confirm);
                case DECLINE -> decline(new RequestId(act.session(), LOCKS.get(act.lock())));
                case DECLINE_OFFERED -> pick(act, State.OFFERED, this::decline);
                case RELEASE -> release(new RequestId(act.session(), LOCKS.get(act.lock())));
                case RELEASE_OFFERED -> pick(act, State.OFFERED, this::release);
                case RELEASE_HELD -> pick(act, State.HELD, this::release);
                case RELEASE_QUEUED -> pick(act, State.QUEUED, this::release);
                case RELEASE_EXPIRED -> pick(act, State.EXPIRED, this::release);
                case CHECK -> check(new RequestId(act.session(), LOCKS.get(act.lock())));
                case CHECK_HELD -> pick(act, State.HELD, this::check);
                case CHECK_EXPIRED -> pick(act, State.EXPIRED, this::check);
                case CLOSE -> same(subject -> subject.close(act.session()));
            }
        }

        /** Advances the time, one deadline after the other. */
        private void rest(long nanos) {
            long end = now + nanos;
            while (now < end) {
                now = Math.min(end, model.nextDeadline());
                same(subject -> subject.advanceTo(now));
            }
        }

        private interface Action {
            void to(RequestId id);
        }

        private void pick(Act act, State state, Action action) {
            List<RequestId> ids = model.ids(state);
            if (!ids.isEmpty()) {
                action.to(ids.get((act.session() * LOCKS.size() + act.lock()) % ids.size()));
            }
        }

        private void request(Act act, RequestId id) {
            same(subject -> subject.request(id.session(), id.lock(), act.mode(), act.ttl()));
        }

        private void confirm(RequestId id) {
            same(subject -> subject.confirm(id.session(), id.lock()));
        }

        private void decline(RequestId id) {
            same(subject -> subject.decline(id.session(), id.lock()));
        }

        private void release(RequestId id) {
            same(subject -> subject.release(id.session(), id.lock()));
        }

        private void check(RequestId id) {
            same(subject -> subject.check(id.session(), id.lock()));
        }

        void same(Function<ReadWriteSubject, List<OutgoingLine>> action) {
            List<OutgoingLine> expected = action.apply(model);
            assertThat(model.isSafe()).as("the model is safe").isTrue();
            subjects.forEach(
                    (name, subject) ->
                            assertThat(action.apply(subject))
                                    .as("%s at %s ns", name, now)
                                    .isEqualTo(expected));
        }
    }
}
