package io.holdfast.driver.signal;

import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.testsupport.TestTier;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Threads share two subscribers and three topics, of which one is a group. The results must be
 * those of some order of whole operations. (With two groups it need not: of two signals at once
 * each may be the first for one of them.)
 */
@DisplayName("The hub, in many interleavings,")
@Param(name = "who", gen = IntGen.class, conf = "0:1")
@Param(name = "topic", gen = IntGen.class, conf = "0:2")
public class SignalHubLincheckTest {
    private static final Key CHANNEL = Key.of("a.b");
    private static final Key[] PATTERNS = {CHANNEL, CHANNEL, Key.of("a.*")};
    private static final ByteString[] GROUPS = {
        ByteString.EMPTY, ByteString.of("workers"), ByteString.EMPTY
    };

    private final SignalHub hub = new SignalHub(2, MemoryBudget.UNLIMITED);
    private final SignalListener[] people = {new Ready(), new Ready()};
    private final Subscriber[] subscribers = {hub.open(people[0]), hub.open(people[1])};

    @Operation
    public ListenOutcome listen(@Param(name = "who") int who, @Param(name = "topic") int topic) {
        return subscribers[who].listen(PATTERNS[topic], GROUPS[topic]);
    }

    @Operation
    public void unlisten(@Param(name = "who") int who, @Param(name = "topic") int topic) {
        subscribers[who].unlisten(PATTERNS[topic], GROUPS[topic]);
    }

    @Operation
    public void close(@Param(name = "who") int who) {
        subscribers[who].close();
    }

    /** The chosen recipients, in order, as digits. */
    @Operation
    public int emit() {
        int digits = 0;
        for (SignalListener signalListener : hub.choose(CHANNEL).listeners()) {
            digits = digits * 10 + (signalListener.equals(people[0]) ? 1 : 2);
        }
        return digits;
    }

    /** The number of listeners of each topic, as digits. */
    @Operation
    public int list() {
        int digits = 0;
        for (ChannelView view : hub.list().next()) {
            digits = digits * 10 + view.listeners();
        }
        return digits;
    }

    @Test
    void the_hub_is_linearizable() {
        new StressOptions()
                .iterations(TestTier.usually(10, 100))
                .invocationsPerIteration(400)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(getClass());
    }

    private static final class Ready implements SignalListener {
        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void deliver(Signal signal) {}

        @Override
        public void overrun() {}
    }
}
