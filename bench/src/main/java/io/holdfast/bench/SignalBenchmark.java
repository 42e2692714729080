package io.holdfast.bench;

import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Selection of the listeners of a signal and its delivery, with many listeners of other channels.
 * The other channels and patterns share the first tokens with the measured channels, or differ from
 * the first token on, or have wildcards.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx2g", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class SignalBenchmark {
    private static final int PER_LISTENER = 100;
    private static final int MANY_LISTENERS = 1000;

    /**
     * The number of other listeners: on exact channels, and on patterns with wildcards of six
     * forms.
     */
    @Param({"10+0", "10+12", "100000+10000"})
    private String others = "";

    private SignalHub hub = new SignalHub(0, MemoryBudget.UNLIMITED);
    private final TestSignal signal = new TestSignal(Key.of("orders.eu.created"));
    private final Key exactChannel = Key.of("orders.eu.created");
    private final Key wildChannel = Key.of("orders.eu.paid");
    private final Key crowdedChannel = Key.of("orders.eu.shipped");
    private final Key unusedChannel = Key.of("orders.eu.lost");
    private Key[] channels = {};
    private int next;

    @Setup
    public void fill() {
        hub = new SignalHub(0, MemoryBudget.UNLIMITED);
        String[] counts = others.split("\\+", -1);
        int exact = Integer.parseInt(counts[0]);
        int wild = Integer.parseInt(counts[1]);
        channels = new Key[exact];
        Subscriber subscriber = hub.open(new DiscardingListener());
        for (int i = 0; i < exact + wild; i++) {
            if (i % PER_LISTENER == 0) {
                subscriber = hub.open(new DiscardingListener());
            }
            Key pattern = Key.of(i < exact ? exact(i) : wild(i));
            if (i < exact) {
                channels[i] = pattern;
            }
            subscriber.listen(pattern, ByteString.EMPTY);
        }
        hub.open(new DiscardingListener()).listen(exactChannel, ByteString.EMPTY);
        hub.open(new DiscardingListener()).listen(Key.of("orders.*.paid"), ByteString.EMPTY);
        for (int i = 0; i < MANY_LISTENERS; i++) {
            hub.open(new DiscardingListener()).listen(crowdedChannel, ByteString.EMPTY);
        }
        check(exactChannel, 1);
        check(wildChannel, 1);
        check(crowdedChannel, MANY_LISTENERS);
        check(channels[0], 1);
        check(unusedChannel, 0);
    }

    /** Half of these channels share the first tokens with the measured channels. */
    private static String exact(int i) {
        return i % 2 == 0 ? "orders.eu.order" + i : "metrics" + i + ".cpu";
    }

    /**
     * None of these patterns matches a measured channel; some differ from it only in the last
     * token.
     */
    private static String wild(int i) {
        return switch (i % 6) {
            case 0 -> "orders.*.state" + i;
            case 1 -> "orders.eu.state" + i + ".>";
            case 2 -> "*.eu.state" + i;
            case 3 -> "shop" + i + ".>";
            case 4 -> "shop" + i + ".*.done";
            default -> "*.region" + i + ".paid";
        };
    }

    private void check(Key channel, int receivers) {
        if (hub.choose(channel).listeners().size() != receivers) {
            throw new IllegalStateException(channel + " should reach " + receivers);
        }
    }

    /** Delivers to one listener of the channel. */
    @Benchmark
    public int exact() {
        return emit(exactChannel);
    }

    /** Delivers to one listener of a pattern. */
    @Benchmark
    public int wildcard() {
        return emit(wildChannel);
    }

    /**
     * Delivers to one listener of the channel; each time another channel, far from the previous
     * one.
     */
    @Benchmark
    public int exactFarApart() {
        next = (int) ((next + 514_229L) % channels.length);
        return emit(channels[next]);
    }

    /** Sends to a channel without listeners. */
    @Benchmark
    public int noListeners() {
        return emit(unusedChannel);
    }

    /** Delivers to a thousand listeners of the channel. */
    @Benchmark
    public int thousand() {
        return emit(crowdedChannel);
    }

    private int emit(Key channel) {
        List<SignalListener> receivers = hub.choose(channel).listeners();
        for (int i = 0; i < receivers.size(); i++) {
            receivers.get(i).deliver(signal);
        }
        return receivers.size();
    }

    private record TestSignal(Key channel) implements Signal {
        @Override
        public ByteString payload() {
            return ByteString.EMPTY;
        }

        @Override
        public void release() {}
    }

    /** Is never full, and discards each signal. */
    private static final class DiscardingListener implements SignalListener {
        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void deliver(Signal signal) {
            signal.release();
        }

        @Override
        public void overrun() {}
    }
}
