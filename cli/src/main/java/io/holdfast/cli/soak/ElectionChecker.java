package io.holdfast.cli.soak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What the processes have told, and what is wrong with it. Called from the thread of each. */
final class ElectionChecker {
    /** Nobody has this much patience with a failover, whatever else the machine does. */
    static final long SLOWEST_MICROS = 10_000_000;

    private final Set<String> killed = new HashSet<>();
    private final Set<String> primaries = new HashSet<>();
    private final Set<String> working = new HashSet<>();
    private final List<String> faults = new ArrayList<>();
    private final BitSet numbers = new BitSet();
    private int highest;
    private long grants;
    private int overlaps;
    private long killedMicros = Long.MAX_VALUE;
    private long progressMicros;
    private long slowestMicros;
    private boolean ending;

    /** What a process has told. */
    synchronized void add(String name, ElectionLine line) {
        switch (line) {
            case ElectionLine.Serves(var now) -> serves(name, now);
            case ElectionLine.Wrote(var number, var asked, var got) -> {
                wrote(name, number);
                granted(name, asked, got);
            }
            case ElectionLine.Read(var asked, var got) -> granted(name, asked, got);
            case ElectionLine.Met(var other) -> met(name, other);
            case ElectionLine.Lost() -> faults.add(name + " lost its lock while it was running");
            case ElectionLine.Failed(var reason) -> failed(name, reason);
        }
        notifyAll();
    }

    private void serves(String name, boolean now) {
        if (!now) {
            primaries.remove(name);
        } else if (!killed.contains(name) && !ending) {
            for (var other : primaries) {
                faults.add(name + " became the primary beside " + other);
            }
            primaries.add(name);
        }
    }

    private void wrote(String name, long number) {
        int index = Math.toIntExact(number);
        if (numbers.get(index)) {
            faults.add(name + " lost an update: " + number + " was written before");
        }
        numbers.set(index);
        highest = Math.max(highest, index);
    }

    private void granted(String name, long askedMicros, long gotMicros) {
        grants++;
        working.add(name);
        if (askedMicros > killedMicros) { // what was asked for before may have been granted before
            progressMicros = gotMicros - killedMicros;
            slowestMicros = Math.max(slowestMicros, progressMicros);
            killedMicros = Long.MAX_VALUE;
        }
    }

    private void met(String name, String other) {
        if (!killed.contains(other)) { // one that was killed leaves its file behind
            overlaps++;
            faults.add(name + " was inside together with " + other);
        }
    }

    private void failed(String name, String reason) {
        if (!killed.contains(name)) {
            faults.add(name + ": " + reason);
        }
    }

    /** Call it before the process is killed. */
    synchronized void willKill(String name) {
        killed.add(name);
        primaries.remove(name);
    }

    /** The primary is gone: from now on it is counted how long it takes until a lock is granted. */
    synchronized void primaryIsGone(long nowMicros) {
        killedMicros = nowMicros;
    }

    /** All end by themselves: a primary may say too late that it is none any more. */
    synchronized void willEnd() {
        ending = true;
    }

    /** Waits until a lock was granted after the last kill. Gives the name of who serves. */
    synchronized String awaitProgress() throws InterruptedException, CheckFailedException {
        await(
                () -> !primaries.isEmpty() && killedMicros == Long.MAX_VALUE,
                "no lock was granted for 10 s after a kill");
        return primaries.iterator().next();
    }

    /** Waits until each of them has had the lock. */
    synchronized void awaitAll(Set<String> names)
            throws InterruptedException, CheckFailedException {
        await(() -> working.containsAll(names), "not everybody was granted a lock in 10 s");
    }

    private void await(BooleanSupplier condition, String otherwise)
            throws InterruptedException, CheckFailedException {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(SLOWEST_MICROS);
        check();
        while (!condition.getAsBoolean()) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (leftMillis <= 0) {
                throw new CheckFailedException(otherwise);
            }
            wait(leftMillis);
            check();
        }
    }

    /** Throws if anything is wrong so far. */
    synchronized void check() throws CheckFailedException {
        if (!faults.isEmpty()) {
            throw new CheckFailedException(
                    faults.getFirst()
                            + (faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : ""));
        }
    }

    /** All have ended, and the file says so much. */
    synchronized void checkCounter(long counter) throws CheckFailedException {
        check();
        int unheard = Math.toIntExact(counter) - numbers.cardinality();
        // One that is killed may have written, and not have told.
        if (counter < highest || unheard > killed.size()) {
            throw new CheckFailedException(
                    "the counter is "
                            + counter
                            + " after "
                            + numbers.cardinality()
                            + " increments and "
                            + killed.size()
                            + " kills");
        }
    }

    synchronized long grants() {
        return grants;
    }

    synchronized long increments() {
        return numbers.cardinality();
    }

    synchronized int overlaps() {
        return overlaps;
    }

    synchronized int kills() {
        return killed.size();
    }

    /** How long it took after the last kill of a primary until a lock was granted. */
    synchronized long progressMicros() {
        return progressMicros;
    }

    /** Of all kills of a primary, the longest time until a lock was granted. */
    synchronized long slowestMicros() {
        return slowestMicros;
    }
}
