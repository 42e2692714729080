package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/**
 * Follows the published protocol literally: it removes a stale lock by its path, and at its release
 * any file at the path.
 */
final class NaiveProgram extends ForeignProgram {
    NaiveProgram(MutualExclusionChecker mutualExclusionChecker, int turns) {
        super(mutualExclusionChecker, turns);
    }

    @Override
    void turn(SimulatedProcess self) throws IOException {
        byte[] content = Scripts.bytes(Scripts.content(self, self.simulation().now()));
        if (isStale(self)) {
            remove(self);
        }
        try (var file = self.disk.create(Simulation.LOCK, false)) {
            file.write(content);
        } catch (FileAlreadyExistsException e) {
            return;
        }
        work(self);
        remove(self);
    }

    private static boolean isStale(SimulatedProcess self) throws IOException {
        try {
            byte[] bytes = self.disk.read(Simulation.LOCK, LockFile.READ_LIMIT);
            LockFile file = LockFile.parse(bytes, self.simulation().instant());
            return file.content() == LockFileContent.VALID
                    && file.isStale(self.simulation().instant(), Simulation.STALE);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void remove(SimulatedProcess self) throws IOException {
        try {
            self.disk.delete(Simulation.LOCK);
        } catch (NoSuchFileException e) {
            // already removed
        }
    }
}
