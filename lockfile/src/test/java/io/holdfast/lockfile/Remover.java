package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** A program that removes the lock file of any holder. */
final class Remover implements SimulatedProcess.Program {
    private final int turns;

    Remover(int turns) {
        this.turns = turns;
    }

    @Override
    public void run(SimulatedProcess self) throws IOException {
        for (int i = 0; i < turns; i++) {
            for (int pause = self.simulation().below(40); pause > 0; pause--) {
                self.step("waits");
            }
            try {
                self.disk.delete(Simulation.LOCK);
            } catch (NoSuchFileException e) {
                // rm -f ignores it
            }
        }
    }
}
