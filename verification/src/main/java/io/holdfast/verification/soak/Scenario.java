package io.holdfast.verification.soak;

import java.io.IOException;

/** Exercises one feature, once per cycle, and leaves nothing behind on the server. */
interface Scenario {
    /** The name printed in {@code FAIL [name]}. */
    String name();

    /** Returns early, without failing, once {@link SoakCycle#ended} returns true. */
    void run(SoakCycle soakCycle) throws IOException, CheckFailedException, InterruptedException;
}
