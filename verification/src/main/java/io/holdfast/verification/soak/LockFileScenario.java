package io.holdfast.verification.soak;

import java.io.IOException;

/** One kind of fault that a lock file must tolerate. */
interface LockFileScenario {
    /** The name printed in {@code FAIL [name]}. */
    String name();

    /** Returns early, without failing, when a stop is requested. */
    void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException;
}
