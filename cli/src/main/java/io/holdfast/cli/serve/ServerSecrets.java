package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.server.ConfigException;

import org.jspecify.annotations.Nullable;

/**
 * The tokens that clients authenticate with.
 *
 * @param full token with full access; null if no token is required
 * @param reading token with read access over HTTP; null if there is none
 */
record ServerSecrets(@Nullable Secret full, @Nullable Secret reading) {
    ServerSecrets {
        if (full != null && reading != null && full.isSame(reading)) {
            throw new ConfigException(
                    "--http-read-token is the same as --auth-token, so it would give full access:"
                            + " choose another");
        }
    }
}
