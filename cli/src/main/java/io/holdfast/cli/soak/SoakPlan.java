package io.holdfast.cli.soak;

import io.holdfast.cli.bench.ServerAddress;

import org.jspecify.annotations.Nullable;

/**
 * What to exercise, and how much. The constructor is the one gate.
 *
 * @param cycles 0 for no end
 */
record SoakPlan(
        ServerAddress server, int workers, int rounds, long cycles, @Nullable String authToken) {

    /** Throws {@link IllegalArgumentException} that names the flag. */
    SoakPlan {
        require(workers > 0, "--workers must be > 0 (got " + workers + ")");
        require(rounds > 0, "--rounds-per-cycle must be > 0 (got " + rounds + ")");
        require(cycles >= 0, "--cycles must be >= 0 (got " + cycles + ")");
        require(
                authToken == null || authToken.chars().noneMatch(c -> c == '\n' || c == '\r'),
                "--auth-token must not contain a line break");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
