package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;

/** A shell script that creates the lock exclusively and removes it only if it is still its own. */
final class ExclusiveCreateScript extends ForeignProgram {
    ExclusiveCreateScript(MutualExclusionChecker mutualExclusionChecker, int turns) {
        super(mutualExclusionChecker, turns);
    }

    @Override
    void turn(SimulatedProcess self) throws IOException {
        byte[] content = Scripts.bytes(Scripts.content(self, self.simulation().now()));
        try (var file = self.disk.create(Simulation.LOCK, false)) {
            file.write(content);
        } catch (FileAlreadyExistsException e) {
            return;
        }
        work(self);
        try {
            if (Arrays.equals(content, self.disk.read(Simulation.LOCK, LockFile.READ_LIMIT))) {
                self.disk.delete(Simulation.LOCK);
            }
        } catch (NoSuchFileException e) {
            // rm -f ignores it
        }
    }
}
