package io.holdfast.bench;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
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
 * A long queue for one key: release to the next waiter, and waiters that cancel in the middle of
 * the queue.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx2g", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class QueueBenchmark {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final Key KEY = Key.of("deploy");

    @Param({"10", "100000"})
    private int waiters;

    private final List<Effect> effects = new ArrayList<>();
    private final UnlimitedQuotas quotas = new UnlimitedQuotas();
    private LockEngine engine = new LockEngine(new EngineSettings(0, HOUR, true));
    private Token token = new Token(0, 0);
    private long holder;
    private long middle;
    private long now;

    @Setup
    public void fill() {
        engine = new LockEngine(new EngineSettings(0, HOUR, true));
        for (long session = 0; session <= waiters; session++) {
            acquire(session);
        }
        granted();
        middle = waiters / 2;
    }

    /** The holder releases, the first waiter is granted, and the old holder is enqueued. */
    @Benchmark
    public long passOn() {
        now += 1000;
        engine.apply(
                new Command.Release(holder, 2, ResourceKind.LOCK, KEY, token),
                now,
                quotas,
                effects);
        acquire(holder);
        granted();
        return holder;
    }

    /** A waiter in the middle cancels and is enqueued again; then as {@link #passOn}. */
    @Benchmark
    public long leaveFromTheMiddle() {
        middle = (middle + 1) % (waiters + 1);
        if (middle != holder) {
            engine.apply(
                    new Command.Cancel(middle, 1, ResourceKind.LOCK, KEY), now, quotas, effects);
            acquire(middle);
        }
        return passOn();
    }

    private void granted() {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Granted granted) {
                token = granted.token();
                holder = granted.session();
            }
        }
        effects.clear();
    }

    private void acquire(long session) {
        engine.apply(
                new Command.Acquire(session, 1, ResourceKind.LOCK, KEY, 1, HOUR, HOUR, session),
                now,
                quotas,
                effects);
    }
}
