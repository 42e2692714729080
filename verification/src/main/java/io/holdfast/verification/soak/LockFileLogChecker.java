package io.holdfast.verification.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads the lines of a {@link LockFileLog}, tracks which processes are inside (hold the lock) and
 * collects faults.
 */
final class LockFileLogChecker {
    /** The prefix of the names of processes that use the library. */
    static final String OURS = "ours";

    /** One hold of one process. */
    private record Turn(String name, long turn) {
        boolean isOurs() {
            return name.startsWith(OURS);
        }

        @Override
        public String toString() {
            return name + " in turn " + turn;
        }
    }

    private final Map<String, Turn> inside = new LinkedHashMap<>();
    private final Set<String> seen = new HashSet<>();
    private final Set<Turn> displaced = new LinkedHashSet<>();
    private final List<List<Turn>> pairs = new ArrayList<>();
    private final Set<Turn> lost = new LinkedHashSet<>();
    private final List<String> overlaps = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private long turns;
    private int kills;
    private int killsInside;
    private long unreported;
    private long last;

    /** Records the next line of the log. */
    void add(String text) {
        switch (LockFileLine.parse(text)) {
            case LockFileLine.Entered(var name, var turn) -> entered(new Turn(name, turn));
            case LockFileLine.Left(var name, var turn, var number) ->
                    left(new Turn(name, turn), number);
            case LockFileLine.Killed(var name) -> killed(name);
            case LockFileLine.Lost(var name, var turn) -> lost.add(new Turn(name, turn));
            case null -> faults.add("a line of the log is \"" + text + "\"");
        }
    }

    private void entered(Turn turn) {
        turns++;
        seen.add(turn.name());
        if (!inside.isEmpty()) {
            overlaps.add(turn + " entered beside " + inside.values());
            inside.values().forEach(other -> met(turn, other));
        }
        inside.put(turn.name(), turn);
    }

    private void met(Turn turn, Turn other) {
        if (turn.isOurs() && other.isOurs()) {
            pairs.add(List.of(turn, other));
        } else {
            Stream.of(turn, other).filter(Turn::isOurs).forEach(displaced::add);
        }
    }

    private void left(Turn turn, long number) {
        if (!inside.remove(turn.name(), turn)) {
            faults.add(turn + " left and had not entered");
        }
        // A process that was killed inside may have written its number without recording it.
        if (number <= last || number > last + 1 + unreported) {
            faults.add(turn + " wrote " + number + " after " + last + ": an update was lost");
        }
        unreported = 0;
        last = Math.max(last, number);
    }

    private void killed(String name) {
        kills++;
        if (inside.remove(name) != null) {
            killsInside++;
            unreported++;
        }
    }

    /**
     * Fails if two processes were inside at once, or if a process was notified that it had lost the
     * lock.
     */
    void checkAlone() throws CheckFailedException {
        check(overlaps);
        check(faults);
        check(lost.stream().map(turn -> turn + " lost the lock").toList());
    }

    /**
     * Fails unless every library process that was inside together with an overwriting script was
     * notified of the loss, and at least one of two library processes that were inside together
     * (the one that the script had displaced before).
     *
     * @param tolerated how often the script was displaced instead
     */
    void checkLossesReported(int tolerated) throws CheckFailedException {
        var notNotified = displaced.stream().filter(turn -> !lost.contains(turn)).toList();
        if (notNotified.size() > tolerated) {
            throw new CheckFailedException(
                    notNotified
                            + " displaced without a loss notification, tolerated: "
                            + tolerated);
        }
        check(
                pairs.stream()
                        .filter(pair -> pair.stream().noneMatch(lost::contains))
                        .map(pair -> pair + " inside together without a loss notification")
                        .toList());
    }

    private static void check(List<String> faults) throws CheckFailedException {
        if (!faults.isEmpty()) {
            throw new CheckFailedException(
                    faults.getFirst()
                            + (faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : ""));
        }
    }

    /** The names of the processes that are inside. */
    Set<String> inside() {
        return inside.keySet();
    }

    /** The names of the processes that have been inside. */
    Set<String> seen() {
        return seen;
    }

    long turns() {
        return turns;
    }

    int kills() {
        return kills;
    }

    /** The number of processes that were killed inside and left the lock held. */
    int killsInside() {
        return killsInside;
    }

    int overlaps() {
        return overlaps.size();
    }

    /**
     * The number of turns of library processes that were inside together with an overwriting
     * script.
     */
    int displaced() {
        return displaced.size();
    }

    int losses() {
        return lost.size();
    }
}
