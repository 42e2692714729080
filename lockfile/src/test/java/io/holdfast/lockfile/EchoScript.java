package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Looks whether there is a file, and if not makes it with three {@code echo} commands. */
final class EchoScript implements SimulatedProcess.Program {
    private final Witness witness;
    private final int turns;

    EchoScript(Witness witness, int turns) {
        this.witness = witness;
        this.turns = turns;
    }

    @Override
    public void run(SimulatedProcess self) throws IOException {
        for (int i = 0; i < turns; i++) {
            self.busy();
            if (self.disk.look(Simulation.LOCK) == null) {
                turn(self);
            }
            self.idle();
            self.step("waits");
        }
    }

    private void turn(SimulatedProcess self) throws IOException {
        self.disk.overwrite(Simulation.LOCK, "pid=" + self.pid + "\n");
        self.disk.append(Simulation.LOCK, "timestamp=" + self.simulation().now() + "\n");
        self.disk.append(Simulation.LOCK, "tag=script\n");
        witness.enters(self);
        for (int work = self.simulation().below(4); work > 0; work--) {
            self.step("works");
        }
        witness.leaves(self);
        try {
            self.disk.delete(Simulation.LOCK);
        } catch (NoSuchFileException e) {
            // rm -f says nothing
        }
    }
}
