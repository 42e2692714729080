package io.holdfast.lockfile;

import java.io.IOException;

/** For clearing up after something that matters more. */
final class BestEffortCleanup {
    interface Step {
        void run() throws IOException;
    }

    private BestEffortCleanup() {}

    static void run(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            // What stays behind is a helper file, or a channel that the process's end closes.
        }
    }
}
