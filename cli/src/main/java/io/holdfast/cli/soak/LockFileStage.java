package io.holdfast.cli.soak;

import java.nio.file.Path;
import java.util.Random;

/**
 * Where a {@link LockFileScenario} takes place.
 *
 * @param folder empty at the beginning
 */
record LockFileStage(
        Path folder,
        int processes,
        Random random,
        StopRequest stop,
        LockFileStatistics statistics) {}
