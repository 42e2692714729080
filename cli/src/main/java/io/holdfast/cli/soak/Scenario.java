package io.holdfast.cli.soak;

import java.io.IOException;

/** One feature, exercised once per cycle. Leaves nothing behind on the server. */
interface Scenario {
    /** As it stands in {@code FAIL [name]}. */
    String name();

    /** Returns early, without failing, once {@link SoakCycle#ended} says so. */
    void run(SoakCycle soakCycle) throws IOException, CheckFailedException, InterruptedException;
}
