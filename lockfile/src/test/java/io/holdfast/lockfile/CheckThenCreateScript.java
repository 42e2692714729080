package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Checks whether the file exists, and if not, writes it with three {@code echo} commands. */
final class CheckThenCreateScript extends ForeignProgram {
    CheckThenCreateScript(MutualExclusionChecker mutualExclusionChecker, int turns) {
        super(mutualExclusionChecker, turns);
    }

    @Override
    void turn(SimulatedProcess self) throws IOException {
        if (self.disk.stat(Simulation.LOCK) != null) {
            return;
        }
        self.disk.overwrite(Simulation.LOCK, "pid=" + self.pid + "\n");
        self.disk.append(Simulation.LOCK, "timestamp=" + self.simulation().now() + "\n");
        self.disk.append(Simulation.LOCK, "tag=script\n");
        work(self);
        try {
            self.disk.delete(Simulation.LOCK);
        } catch (NoSuchFileException e) {
            // rm -f ignores it
        }
    }
}
