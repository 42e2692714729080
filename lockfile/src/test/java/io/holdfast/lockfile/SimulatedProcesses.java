package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The processes of one simulation, and the checks at its end. */
final class SimulatedProcesses {
    final Simulation simulation;
    final MutualExclusionChecker witness = new MutualExclusionChecker();
    final List<LibraryProcess> members = new ArrayList<>();
    private final int turns;

    SimulatedProcesses(Simulation simulation, int turns) {
        this.simulation = simulation;
        this.turns = turns;
    }

    SimulatedProcesses members(int count) {
        for (int i = 0; i < count; i++) {
            member(new LibraryProcess(witness, turns));
        }
        return this;
    }

    SimulatedProcess member(LibraryProcess libraryProcess) {
        members.add(libraryProcess);
        return simulation.add("member-" + members.size(), libraryProcess);
    }

    SimulatedProcesses polite(int count) {
        return others(count, "script", new ExclusiveCreateScript(witness, turns));
    }

    SimulatedProcesses naive(int count) {
        return others(count, "naive", new NaiveProgram(witness, turns));
    }

    SimulatedProcesses echo(int count) {
        return others(count, "echo", new CheckThenCreateScript(witness, turns));
    }

    SimulatedProcesses others(int count, String name, SimulatedProcess.Program program) {
        for (int i = 1; i <= count; i++) {
            simulation.add(name + "-" + i, program);
        }
        return this;
    }

    /**
     * At random, adds the remains of a process that died long ago, with the lock or while acquiring
     * it.
     */
    SimulatedProcesses afterPossibleCrash() {
        if (simulation.oneIn(2)) {
            String content = "pid=99\ntimestamp=1234567890\ntag=dead\n";
            int length = simulation.oneIn(3) ? simulation.below(20) : content.length();
            simulation.plant(content.substring(0, length), 1234567890);
        }
        return this;
    }

    /** The odds of a kill, drawn at random: rarely, often or never. */
    int someKillOdds() {
        return new int[] {0, 30, 100, 400}[simulation.below(4)];
    }

    /** Except for files that could not be put back, which are kept. */
    void assertOnlyTheDeadLeftHelpers() {
        List<String> left = new ArrayList<>();
        for (var path : simulation.folder().paths()) {
            SimulatedProcess giver = simulation.folder().giver(path);
            if (giver != null && giver.isAlive() && !path.equals(Simulation.LOCK)) {
                left.add(giver + " " + path);
            }
        }
        int kept =
                simulation.processes().stream()
                        .mapToInt(process -> process.audit.displaced())
                        .sum();
        assertThat(left).as("helpers of the living").hasSizeLessThanOrEqualTo(kept);
    }

    /** Whether the file at the path is foreign, and may be an unrelated document. */
    boolean isForeign() {
        var inode = simulation.folder().at(Simulation.LOCK);
        return inode != null
                && LockFile.parse(inode.bytes(), inode.modified()).content()
                        == LockFileContent.FOREIGN;
    }

    /** A new process can acquire the lock once everything that dead processes left is stale. */
    void assertObtainable() {
        simulation.setClock(simulation.latest() + Simulation.STALE.toSeconds() + 1);
        var last = new LibraryProcess(new MutualExclusionChecker(), 1);
        simulation.finish(simulation.add("last", last));
        assertThat(last.acquired()).as("acquired at the end").isEqualTo(1);
        assertThat(last.losses()).as("lost at the end").isZero();
        assertThat(simulation.folder().at(Simulation.LOCK)).as("left at the end").isNull();
    }

    /** An hour later, all remaining files can be removed except for the sidecar. */
    void assertCleanable() {
        simulation.setClock(simulation.latest() + Duration.ofHours(2).toSeconds());
        SimulatedProcess cleaner =
                simulation.add(
                        "cleaner",
                        self ->
                                LibraryProcess.operations(self, Duration.ZERO, new ArrayList<>())
                                        .clean());
        simulation.finish(cleaner);
        assertThat(simulation.folder().paths()).isSubsetOf(List.of(Simulation.SIDECAR));
    }
}
