package io.holdfast.lockfile;

import java.io.IOException;

/** A program without this library that acquires the lock in its own way, repeatedly. */
abstract class ForeignProgram implements SimulatedProcess.Program {
    private final MutualExclusionChecker mutualExclusionChecker;
    private final int turns;

    ForeignProgram(MutualExclusionChecker mutualExclusionChecker, int turns) {
        this.mutualExclusionChecker = mutualExclusionChecker;
        this.turns = turns;
    }

    @Override
    public final void run(SimulatedProcess self) throws IOException {
        for (int i = 0; i < turns; i++) {
            self.busy();
            turn(self);
            self.idle();
            self.step("waits");
        }
    }

    /** Acquires the lock, works and releases it, or finds it held. */
    abstract void turn(SimulatedProcess self) throws IOException;

    final void work(SimulatedProcess self) {
        mutualExclusionChecker.enters(self);
        for (int work = self.simulation().below(4); work > 0; work--) {
            self.step("works");
        }
        mutualExclusionChecker.leaves(self);
    }
}
