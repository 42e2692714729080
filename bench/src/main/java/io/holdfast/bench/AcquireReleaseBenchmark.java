package io.holdfast.bench;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockEngine;

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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Acquire and release of a free key, with a given number of keys in the engine. The keys are used
 * in turn, or each far from the previous one, so that little of its state is in the processor's
 * caches.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx3g", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class AcquireReleaseBenchmark {
    private static final long LEASE = TimeUnit.SECONDS.toNanos(30);
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    @Param({"10", "1000", "100000", "1000000"})
    private int keys;

    /** The distance from one key to the next. 514229 is coprime to all numbers of keys. */
    @Param({"1", "514229"})
    private long stride;

    private final List<Effect> effects = new ArrayList<>();
    private final UnlimitedQuotas quotas = new UnlimitedQuotas();
    private LockEngine engine = new LockEngine(new EngineSettings(0, HOUR, true));
    private Key[] keysToAcquire = {};
    private int next;
    private long now;
    private long request;

    @Setup
    public void fill() {
        engine = new LockEngine(new EngineSettings(0, HOUR, true));
        keysToAcquire = new Key[keys];
        for (int i = 0; i < keys; i++) {
            keysToAcquire[i] = Key.of("key" + i);
        }
        for (int i = 0; i < keys; i++) {
            acquireAndRelease();
        }
    }

    @Benchmark
    public long acquireAndRelease() {
        Key key = keysToAcquire[next];
        next = (int) ((next + stride) % keys);
        now += 1000;
        acquire(key, LEASE);
        Effect.Granted granted = (Effect.Granted) effects.removeLast();
        engine.apply(
                new Command.Release(1, ++request, ResourceKind.LOCK, key, granted.token()),
                now,
                quotas,
                effects);
        effects.clear();
        return granted.token().fence();
    }

    private void acquire(Key key, long lease) {
        engine.apply(
                new Command.Acquire(1, ++request, ResourceKind.LOCK, key, 1, 0, lease, request),
                now,
                quotas,
                effects);
    }
}
