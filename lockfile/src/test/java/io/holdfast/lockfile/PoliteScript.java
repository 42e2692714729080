package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;

/** A shell script that creates the lock exclusively and removes it only if it is still its own. */
final class PoliteScript implements SimulatedProcess.Program {
    private final Witness witness;
    private final int turns;

    PoliteScript(Witness witness, int turns) {
        this.witness = witness;
        this.turns = turns;
    }

    @Override
    public void run(SimulatedProcess self) throws IOException {
        for (int i = 0; i < turns; i++) {
            self.busy();
            turn(self);
            self.idle();
            self.step("waits");
        }
    }

    private void turn(SimulatedProcess self) throws IOException {
        byte[] content = Scripts.bytes(Scripts.content(self, self.simulation().now()));
        try (var file = self.disk.create(Simulation.LOCK, false)) {
            file.write(content);
        } catch (FileAlreadyExistsException e) {
            return;
        }
        witness.enters(self);
        for (int work = self.simulation().below(4); work > 0; work--) {
            self.step("works");
        }
        witness.leaves(self);
        try {
            if (Arrays.equals(content, self.disk.read(Simulation.LOCK, LockFile.READ_LIMIT))) {
                self.disk.delete(Simulation.LOCK);
            }
        } catch (NoSuchFileException e) {
            // rm -f says nothing
        }
    }
}
