package io.holdfast.lockfile;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Tracks the processes that work under the lock. A killed process does not count any more. */
final class MutualExclusionChecker {
    /** Two processes that worked under the lock at the same time. */
    record Overlap(SimulatedProcess earlier, SimulatedProcess later) {
        boolean isOf(SimulatedProcess process) {
            return earlier == process || later == process;
        }
    }

    private final Set<SimulatedProcess> inside = new LinkedHashSet<>();
    private final List<Overlap> overlaps = new ArrayList<>();
    private int turns;

    void enters(SimulatedProcess process) {
        process.simulation().trace(process, "ENTERS");
        inside.removeIf(other -> !other.isAlive());
        inside.forEach(other -> overlaps.add(new Overlap(other, process)));
        inside.add(process);
        turns++;
    }

    void leaves(SimulatedProcess process) {
        process.simulation().trace(process, "LEAVES");
        inside.remove(process);
    }

    int turns() {
        return turns;
    }

    List<Overlap> overlaps() {
        return overlaps;
    }

    /** The number of overlaps with this process so far. */
    int overlapsOf(SimulatedProcess process) {
        return (int) overlaps.stream().filter(overlap -> overlap.isOf(process)).count();
    }
}
