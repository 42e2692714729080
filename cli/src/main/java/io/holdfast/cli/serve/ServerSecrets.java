package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

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

    /** Reads the secrets that the settings contain or name; again at each call. */
    static ServerSecrets of(SettingValues values) {
        return new ServerSecrets(
                secret(values, Setting.AUTH_TOKEN, Setting.AUTH_TOKEN_FILE, "the auth token"),
                secret(
                        values,
                        Setting.HTTP_READ_TOKEN,
                        Setting.HTTP_READ_TOKEN_FILE,
                        "the HTTP read token"));
    }

    /**
     * The more important source decides; in the same source, the token is preferred to the file.
     */
    private static @Nullable Secret secret(
            SettingValues values, Setting token, Setting file, String noun) {
        if (!values.isGiven(token) && !values.isGiven(file)) {
            return null;
        }
        return new Secret(
                values.isAtLeastAsImportant(token, file)
                        ? SecretFile.trimmed(
                                values.text(token).getBytes(StandardCharsets.UTF_8), noun)
                        : SecretFile.read(values.text(file), noun));
    }
}
