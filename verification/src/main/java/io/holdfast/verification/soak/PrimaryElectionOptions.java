package io.holdfast.verification.soak;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * How often to kill the primary of a lock, and among how many processes. The constructor validates
 * the values.
 *
 * @param folder where a new folder for the socket and the protected files is created; null for the
 *     folder of temporary files
 */
record PrimaryElectionOptions(int rounds, int processes, @Nullable Path folder) {
    private static final int MAX_PROCESSES = 64;

    /** Throws an {@link IllegalArgumentException} that names the flag. */
    PrimaryElectionOptions {
        require(rounds > 0, "--rounds must be > 0 (got " + rounds + ")");
        require(
                processes > 1 && processes <= MAX_PROCESSES,
                "--processes must be 2 to " + MAX_PROCESSES + " (got " + processes + ")");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
