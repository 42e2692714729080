package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The processes of one simulation, and what is true of them all at the end. */
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

    /** Perhaps somebody died long ago, with the lock or while taking it. */
    SimulatedProcesses afterSomebodyDied() {
        if (simulation.oneIn(2)) {
            String content = "pid=99\ntimestamp=1234567890\ntag=dead\n";
            int length = simulation.oneIn(3) ? simulation.below(20) : content.length();
            simulation.plant(content.substring(0, length), 1234567890);
        }
        return this;
    }

    /** As a schedule draws it: seldom, often or never. */
    int someKillOdds() {
        return new int[] {0, 30, 100, 400}[simulation.below(4)];
    }

    /** But for files that could not be put back: those are kept for whoever misses them. */
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

    /** Whether there is something that might as well be somebody's document. */
    boolean isForeign() {
        var inode = simulation.folder().at(Simulation.LOCK);
        return inode != null
                && LockFile.parse(inode.bytes(), inode.modified()).content()
                        == LockFileContent.FOREIGN;
    }

    /** Once everything that the dead have left is stale, somebody new can take the lock. */
    void assertObtainable() {
        simulation.setClock(simulation.latest() + Simulation.STALE.toSeconds() + 1);
        var last = new LibraryProcess(new MutualExclusionChecker(), 1);
        simulation.finish(simulation.add("last", last));
        assertThat(last.acquired()).as("acquired at the end").isEqualTo(1);
        assertThat(last.losses()).as("lost at the end").isZero();
        assertThat(simulation.folder().at(Simulation.LOCK)).as("left at the end").isNull();
    }

    /** An hour later all that anybody has left can be removed, but for the sidecar. */
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
