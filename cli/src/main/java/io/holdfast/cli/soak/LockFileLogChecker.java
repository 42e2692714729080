package io.holdfast.cli.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Goes through the lines of a {@link LockFileLog} and knows who is inside. */
final class LockFileLogChecker {
    /** The names of processes that use the library begin so. */
    static final String OURS = "ours";

    /** One stay inside. */
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
    private long unheard;
    private long last;

    /** The next line. */
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
        // One that was killed inside may have written, and not have told.
        if (number <= last || number > last + 1 + unheard) {
            faults.add(turn + " wrote " + number + " after " + last + ": an update was lost");
        }
        unheard = 0;
        last = Math.max(last, number);
    }

    private void killed(String name) {
        kills++;
        if (inside.remove(name) != null) {
            killsInside++;
            unheard++;
        }
    }

    /** Nobody was ever inside together with another, and nobody heard that it had lost the lock. */
    void checkAlone() throws CheckFailedException {
        check(overlaps);
        check(faults);
        check(lost.stream().map(turn -> turn + " lost the lock").toList());
    }

    /**
     * Each of ours that was inside together with somebody who does not look has heard of it, and of
     * two of ours the one that he had displaced before.
     *
     * @param excused so many times it was he who was displaced
     */
    void checkDisplacedKnow(int excused) throws CheckFailedException {
        var unaware = displaced.stream().filter(turn -> !lost.contains(turn)).toList();
        if (unaware.size() > excused) {
            throw new CheckFailedException(
                    unaware + " displaced and did not hear of it, excused: " + excused);
        }
        check(
                pairs.stream()
                        .filter(pair -> pair.stream().noneMatch(lost::contains))
                        .map(pair -> pair + " inside together and did not hear of it")
                        .toList());
    }

    private static void check(List<String> faults) throws CheckFailedException {
        if (!faults.isEmpty()) {
            throw new CheckFailedException(
                    faults.getFirst()
                            + (faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : ""));
        }
    }

    /** Who is inside, by name. */
    Set<String> inside() {
        return inside.keySet();
    }

    /** Who has been inside, by name. */
    Set<String> seen() {
        return seen;
    }

    long turns() {
        return turns;
    }

    int kills() {
        return kills;
    }

    /** How many were killed inside, and left the lock held. */
    int killsInside() {
        return killsInside;
    }

    int overlaps() {
        return overlaps.size();
    }

    /** How many of ours were inside together with somebody who does not look. */
    int displaced() {
        return displaced.size();
    }

    int losses() {
        return lost.size();
    }
}
