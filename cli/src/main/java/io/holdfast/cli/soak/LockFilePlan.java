package io.holdfast.cli.soak;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * How often to go through all that can happen to a lock file, and with how many processes. The
 * constructor is the one gate.
 *
 * @param folder where the files are made, below a new folder of their own; null for the folder of
 *     temporary files
 * @param seed of every choice that is made at random
 */
record LockFilePlan(int rounds, int processes, @Nullable Path folder, long seed) {
    private static final int MIN_PROCESSES = 3;
    private static final int MAX_PROCESSES = 64;

    /** Throws {@link IllegalArgumentException} that names the flag. */
    LockFilePlan {
        require(rounds > 0, "--rounds must be > 0 (got " + rounds + ")");
        require(
                processes >= MIN_PROCESSES && processes <= MAX_PROCESSES,
                "--processes must be "
                        + MIN_PROCESSES
                        + " to "
                        + MAX_PROCESSES
                        + " (got "
                        + processes
                        + ")");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
