package io.holdfast.verification.soak;

import io.holdfast.console.options.ServerAddress;

import org.jspecify.annotations.Nullable;

import java.util.List;

import javax.net.ssl.SSLContext;

/**
 * What to exercise, and how much. The constructor validates the values.
 *
 * @param servers addresses of one service; the first that responds is used
 * @param cycles number of cycles; 0 for unlimited
 * @param tls null for plain TCP
 */
record SoakOptions(
        List<ServerAddress> servers,
        int workers,
        int rounds,
        long cycles,
        @Nullable String authToken,
        @Nullable SSLContext tls) {

    /** Throws an {@link IllegalArgumentException} that names the flag. */
    SoakOptions {
        require(workers > 0, "--workers must be > 0 (got " + workers + ")");
        require(rounds > 0, "--rounds-per-cycle must be > 0 (got " + rounds + ")");
        require(cycles >= 0, "--cycles must be >= 0 (got " + cycles + ")");
        require(
                authToken == null || authToken.chars().noneMatch(c -> c == '\n' || c == '\r'),
                "the token must not contain a line break");
        servers = List.copyOf(servers);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
