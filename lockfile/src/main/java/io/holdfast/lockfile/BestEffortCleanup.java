package io.holdfast.lockfile;

import java.io.IOException;

/** Runs cleanup steps whose failure is ignored. */
final class BestEffortCleanup {
    interface Step {
        void run() throws IOException;
    }

    private BestEffortCleanup() {}

    static void run(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            // What remains is a helper file, or a channel that is closed when the process ends.
        }
    }
}
