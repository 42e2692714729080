package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.protocol.text.Whitespace;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

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
        return values.isAtLeastAsImportant(token, file)
                ? secret(values.text(token).getBytes(StandardCharsets.UTF_8), noun)
                : read(values.text(file), noun + " file " + values.text(file));
    }

    private static Secret read(String file, String noun) {
        try {
            return secret(Files.readAllBytes(Path.of(file)), noun);
        } catch (NoSuchFileException e) {
            throw new ConfigException("cannot read " + noun + ": it does not exist");
        } catch (AccessDeniedException e) {
            throw new ConfigException("cannot read " + noun + ": permission denied");
        } catch (InvalidPathException e) {
            throw new ConfigException("cannot read " + noun + ": " + e.getReason());
        } catch (IOException e) { // for a directory, the message is "Is a directory"
            throw new ConfigException("cannot read " + noun + ": " + e.getMessage());
        }
    }

    /** Whitespace around a secret is removed. */
    private static Secret secret(byte[] bytes, String noun) {
        byte[] trimmed = Whitespace.trim(bytes);
        if (trimmed.length == 0) {
            throw new ConfigException(noun + " is empty");
        }
        for (byte c : trimmed) {
            if (c == '\n' || c == '\r') {
                throw new ConfigException(noun + " contains a line break");
            }
        }
        return new Secret(trimmed);
    }
}
