package io.holdfast.cli.soak;

import java.io.IOException;

/** One kind of trouble that a lock file must stand. */
interface LockFileScenario {
    /** For the message of a failure. */
    String name();

    /** Ends early, and in order, when the run is to stop. */
    void run(LockFileStage stage) throws IOException, InterruptedException, CheckFailedException;
}
