package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.server.ConfigException;

import org.jspecify.annotations.Nullable;

/**
 * What clients have to know.
 *
 * @param full lets do everything; null if nobody needs one
 * @param reading lets read over HTTP; null if there is none
 */
record ServerSecrets(@Nullable Secret full, @Nullable Secret reading) {
    ServerSecrets {
        if (full != null && reading != null && full.isSame(reading)) {
            throw new ConfigException(
                    "--http-read-token is the same as --auth-token, so it would let clients change"
                            + " everything");
        }
    }
}
