package io.holdfast.cli.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a run has seen so far. */
final class LockFileStatistics {
    private long turns;
    private long kills;
    private long takeovers;
    private long overlaps;
    private long displaced;
    private long losses;
    private final List<Long> recoveries = new ArrayList<>();
    private final List<Long> wakeUps = new ArrayList<>();

    /** Turns of processes that respect the lock, as far as a tally knows. */
    void addAlone(LockFileLogChecker tally) {
        turns += tally.turns();
        kills += tally.kills();
        overlaps += tally.overlaps();
        losses += tally.losses();
    }

    /** Turns beside a script that respects nothing. */
    void addDisplaced(LockFileLogChecker tally) {
        turns += tally.turns();
        displaced += tally.displaced();
        losses += tally.losses();
    }

    void addTakeover() {
        takeovers++;
    }

    void addKill() {
        kills++;
    }

    void addLoss() {
        losses++;
    }

    /** One was killed inside; so long it took until somebody entered. */
    void addRecovery(long micros) {
        takeovers++;
        recoveries.add(micros);
    }

    /** From the release of a lock until one that waited has it. */
    void addWakeUp(long micros) {
        wakeUps.add(micros);
    }

    long turns() {
        return turns;
    }

    long kills() {
        return kills;
    }

    long takeovers() {
        return takeovers;
    }

    long overlaps() {
        return overlaps;
    }

    /** Turns of ours that a script disturbed that respects nothing. */
    long displaced() {
        return displaced;
    }

    long losses() {
        return losses;
    }

    List<Long> recoveries() {
        return recoveries;
    }

    List<Long> wakeUps() {
        return wakeUps;
    }

    @Override
    public String toString() {
        return "%d turns, %d kills, %d takeovers, %d recoveries (%s), %d overlaps, %d displaced by a script that overwrites, %d losses reported, %d wake-ups (%s)"
                .formatted(
                        turns,
                        kills,
                        takeovers,
                        recoveries.size(),
                        spread(recoveries),
                        overlaps,
                        displaced,
                        losses,
                        wakeUps.size(),
                        spread(wakeUps));
    }

    /** Median and worst, in words. */
    static String spread(List<Long> micros) {
        if (micros.isEmpty()) {
            return "none";
        }
        var sorted = micros.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "median %.3fs, worst %.3fs",
                sorted.get(sorted.size() / 2) / 1e6,
                sorted.getLast() / 1e6);
    }
}
