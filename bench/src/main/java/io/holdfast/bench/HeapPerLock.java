package io.holdfast.bench;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.lock.LockEngine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Prints the heap that a held and an idle lock take, without their keys. Run it with the flags of
 * the launcher: {@code java -XX:+UseCompactObjectHeaders -XX:+UseSerialGC -cp
 * bench/target/benchmarks.jar io.holdfast.bench.HeapPerLock}
 */
public final class HeapPerLock {
    private static final int LOCKS = 1_000_000;
    private static final long LEASE = TimeUnit.HOURS.toNanos(1);

    private HeapPerLock() {}

    public static void main(String[] args) {
        Key[] keys = new Key[LOCKS];
        for (int i = 0; i < LOCKS; i++) {
            keys[i] = Key.of("some/lock/name/" + i);
        }
        long before = usedBytes();
        LockEngine engine = new LockEngine(new EngineSettings(0, LEASE, true));
        UnlimitedQuotas quotas = new UnlimitedQuotas();
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            engine.apply(
                    new Command.Acquire(1, i + 1, ResourceKind.LOCK, keys[i], 1, 0, LEASE, i),
                    i,
                    quotas,
                    effects);
            effects.clear();
        }
        print("held", usedBytes() - before);
        engine.apply(new Command.CloseSession(1, 0), LOCKS, quotas, effects);
        print("idle", usedBytes() - before);
        if (engine.views().hasHolds(1) || keys.length != LOCKS) {
            throw new IllegalStateException("locks are still held");
        }
    }

    private static void print(String what, long bytes) {
        System.out.printf(Locale.ROOT, "%s lock: %d bytes%n", what, bytes / LOCKS);
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
