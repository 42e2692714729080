package io.holdfast.verification.soak;

import java.nio.file.Path;
import java.util.Random;

/**
 * The environment of a {@link LockFileScenario}.
 *
 * @param folder the folder of the scenario; empty at the start
 */
record LockFileScenarioContext(
        Path folder,
        int processes,
        Random random,
        StopRequest stop,
        LockFileStatistics statistics) {}
