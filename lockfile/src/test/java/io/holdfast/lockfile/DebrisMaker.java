package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;

/** Creates the lock file, writes a beginning of the content and ends. */
final class DebrisMaker implements SimulatedProcess.Program {
    @Override
    public void run(SimulatedProcess self) throws IOException {
        self.busy();
        String whole = Scripts.content(self, self.simulation().now());
        for (int tries = 0; tries < 20; tries++) {
            try (var file = self.disk.create(Simulation.LOCK, false)) {
                file.write(Scripts.bytes(whole.substring(0, self.simulation().below(20))));
                return;
            } catch (FileAlreadyExistsException e) {
                self.step("waits");
            }
        }
    }
}
