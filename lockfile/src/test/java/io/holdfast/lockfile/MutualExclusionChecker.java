package io.holdfast.lockfile;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Knows who believes to have the lock. Whoever was killed is inside no more. */
final class MutualExclusionChecker {
    /** Two that were inside together. */
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

    /** How many overlaps this process has been in until now. */
    int overlapsOf(SimulatedProcess process) {
        return (int) overlaps.stream().filter(overlap -> overlap.isOf(process)).count();
    }
}
