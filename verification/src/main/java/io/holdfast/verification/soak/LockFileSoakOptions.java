package io.holdfast.verification.soak;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * How often to run the scenarios of a lock file, and with how many processes. The constructor
 * validates the values.
 *
 * @param folder where a new folder for the files is created; null for the folder of temporary files
 * @param seed seed of all random choices
 */
record LockFileSoakOptions(int rounds, int processes, @Nullable Path folder, long seed) {
    private static final int MIN_PROCESSES = 3;
    private static final int MAX_PROCESSES = 64;

    /** Throws an {@link IllegalArgumentException} that names the flag. */
    LockFileSoakOptions {
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
