package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A writer waits without a timeout while readers come and go in any way. They cannot hold the lock
 * indefinitely: an offer ends and a lease ends. With {@link QueuePolicy#FIFO} and {@link
 * QueuePolicy#WRITER_PREFERRED} only readers that were admitted or queued before the writer can be
 * before it: n of them, each for no longer than an offer and a lease. So the writer gets its offer
 * after n (offer + lease) at the latest, and no reader that arrived later gets an offer before.
 */
@Label("A waiting writer")
class StarvationPropertyTest {
    private static final Key KEY = Key.of("key");
    private static final long CONFIRM = 3;
    private static final long LEASE = 5;
    private static final long WRITER = 1_000_000;

    /** What readers do in one moment. */
    enum Move {
        COME,
        COME_AND_CONFIRM,
        CONFIRM,
        DECLINE,
        LEAVE,
        REST
    }

    private static final class Hall {
        private final LockEngine engine;
        private final TestQuotas quotas = new TestQuotas();
        private final List<Long> offered = new ArrayList<>();
        private final List<Long> inside = new ArrayList<>();
        private final List<Long> came = new ArrayList<>();
        private long lastRequest;
        private long now;

        Hall(QueuePolicy queuePolicy) {
            engine = new LockEngine(new EngineSettings(0, 0, true, 0, Map.of(KEY, queuePolicy)));
        }

        void apply(Command command) {
            List<Effect> effects = new ArrayList<>();
            engine.apply(command, now, quotas, effects);
            for (Effect effect : effects) {
                if (effect instanceof Effect.Offered) {
                    offered.add(effect.request());
                    inside.add(effect.request());
                }
            }
        }

        void comeToWrite() {
            apply(
                    new Command.RequestOffer(
                            2,
                            WRITER,
                            KEY,
                            ReadWriteMode.WRITE,
                            Command.FOREVER,
                            CONFIRM,
                            LEASE,
                            0));
        }

        boolean writerIsOffered() {
            return offered.contains(WRITER);
        }

        /** Readers act; then the moment passes. */
        void move(Move move) {
            long last = inside.isEmpty() ? 0 : inside.getLast();
            switch (move) {
                case COME -> come();
                case COME_AND_CONFIRM -> {
                    come();
                    confirm(lastRequest);
                }
                case CONFIRM -> confirm(last);
                case DECLINE -> apply(new Command.Decline(1, 0, KEY, last));
                case LEAVE -> {
                    if (!inside.isEmpty()) {
                        apply(new Command.CancelOrRelease(1, 0, KEY, inside.removeFirst()));
                    }
                }
                case REST -> {}
            }
            now++;
            apply(new Command.Tick());
        }

        private void come() {
            came.add(++lastRequest);
            apply(
                    new Command.RequestOffer(
                            1,
                            lastRequest,
                            KEY,
                            ReadWriteMode.READ,
                            Command.FOREVER,
                            CONFIRM,
                            LEASE,
                            0));
        }

        private void confirm(long request) {
            apply(new Command.Confirm(1, 0, KEY, request));
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void a_writer_gets_its_offer_in_time_whatever_readers_do(
            @ForAll("fair") QueuePolicy queuePolicy,
            @ForAll("moves") List<Move> before,
            @ForAll("moves") List<Move> after) {
        Hall hall = new Hall(queuePolicy);
        before.forEach(hall::move);
        int earlier = hall.came.size();
        int offersBefore = hall.offered.size();
        hall.comeToWrite();
        long deadline = hall.now + earlier * (CONFIRM + LEASE);
        for (int i = 0; !hall.writerIsOffered(); i++) {
            assertThat(hall.now).as("the last moment").isLessThanOrEqualTo(deadline);
            hall.move(after.isEmpty() ? Move.REST : after.get(i % after.size()));
        }
        List<Long> inBetween = hall.offered.subList(offersBefore, hall.offered.indexOf(WRITER));
        if (queuePolicy == QueuePolicy.WRITER_PREFERRED) {
            assertThat(inBetween).as("readers before a writer who waits").isEmpty();
        } else {
            assertThat(inBetween).as("readers who came later").allMatch(it -> it <= earlier);
        }
    }

    @Example
    void a_writer_starves_where_readers_are_preferred_and_keep_coming() {
        Hall hall = new Hall(QueuePolicy.READER_PREFERRED);
        hall.move(Move.COME_AND_CONFIRM);
        hall.comeToWrite();
        for (int i = 0; i < 10_000; i++) {
            hall.move(Move.COME_AND_CONFIRM);
            hall.move(Move.LEAVE);
        }
        assertThat(hall.offered).hasSizeGreaterThan(10_000).doesNotContain(WRITER);
        for (int i = 0; i < CONFIRM + LEASE; i++) { // and gets it when they stop
            hall.move(Move.REST);
        }
        assertThat(hall.writerIsOffered()).isTrue();
    }

    @Provide
    Arbitrary<QueuePolicy> fair() {
        return Arbitraries.of(QueuePolicy.FIFO, QueuePolicy.WRITER_PREFERRED);
    }

    @Provide
    Arbitrary<List<Move>> moves() {
        return Arbitraries.of(Move.class).list().ofMaxSize(25);
    }
}
