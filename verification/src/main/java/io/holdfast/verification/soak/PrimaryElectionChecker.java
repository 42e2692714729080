package io.holdfast.verification.soak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Checks what the processes report. Thread-safe: each process has a reader thread that calls {@link
 * #add}.
 */
final class PrimaryElectionChecker {
    /** The maximum time from a kill to the next grant, on however busy a machine. */
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

    /** Records one report of a process. */
    synchronized void add(String name, PrimaryElectionLine line) {
        switch (line) {
            case PrimaryElectionLine.Serves(var now) -> serves(name, now);
            case PrimaryElectionLine.Wrote(var number, var requested, var granted) -> {
                wrote(name, number);
                granted(name, requested, granted);
            }
            case PrimaryElectionLine.Read(var requested, var granted) ->
                    granted(name, requested, granted);
            case PrimaryElectionLine.Met(var other) -> met(name, other);
            case PrimaryElectionLine.Lost() ->
                    faults.add(name + " lost its lock while it was running");
            case PrimaryElectionLine.Failed(var reason) -> failed(name, reason);
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

    private void granted(String name, long requestedMicros, long grantedMicros) {
        grants++;
        working.add(name);
        if (requestedMicros
                > killedMicros) { // an earlier request may have been granted before the kill
            progressMicros = grantedMicros - killedMicros;
            slowestMicros = Math.max(slowestMicros, progressMicros);
            killedMicros = Long.MAX_VALUE;
        }
    }

    private void met(String name, String other) {
        if (!killed.contains(other)) { // a process that was killed leaves its file behind
            overlaps++;
            faults.add(name + " was inside together with " + other);
        }
    }

    private void failed(String name, String reason) {
        if (!killed.contains(name)) {
            faults.add(name + ": " + reason);
        }
    }

    /** Must be called before the process is killed. */
    synchronized void willKill(String name) {
        killed.add(name);
        primaries.remove(name);
    }

    /** Starts to measure the time until a lock is granted, after the primary has been killed. */
    synchronized void primaryIsGone(long nowMicros) {
        killedMicros = nowMicros;
    }

    /**
     * Called before all processes are shut down: from then on a primary may report late that it no
     * longer is one, so two at once are no fault.
     */
    synchronized void willEnd() {
        ending = true;
    }

    /** Waits until a lock has been granted after the last kill. Returns the name of the primary. */
    synchronized String awaitProgress() throws InterruptedException, CheckFailedException {
        await(
                () -> !primaries.isEmpty() && killedMicros == Long.MAX_VALUE,
                "no lock was granted for 10 s after a kill");
        return primaries.iterator().next();
    }

    /** Waits until each of these processes has held the lock. */
    synchronized void awaitAll(Set<String> names)
            throws InterruptedException, CheckFailedException {
        await(() -> working.containsAll(names), "not every process was granted a lock within 10 s");
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

    /** Throws if any fault has been found. */
    synchronized void check() throws CheckFailedException {
        if (!faults.isEmpty()) {
            throw new CheckFailedException(
                    faults.getFirst()
                            + (faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : ""));
        }
    }

    /** Checks the counter in the file after all processes have exited. */
    synchronized void checkCounter(long counter) throws CheckFailedException {
        check();
        int unreported = Math.toIntExact(counter) - numbers.cardinality();
        // A process that was killed may have written its number without reporting it.
        if (counter < highest || unreported > killed.size()) {
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

    /** The time from the last kill of a primary until a lock was granted. */
    synchronized long progressMicros() {
        return progressMicros;
    }

    /** The longest time from a kill of a primary until a lock was granted. */
    synchronized long slowestMicros() {
        return slowestMicros;
    }
}
