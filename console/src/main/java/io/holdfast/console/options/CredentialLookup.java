package io.holdfast.console.options;

import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The credentials for a server, from options or variables. An option overrides its variable; an
 * empty variable counts as unset. All methods throw {@link IllegalArgumentException} with a message
 * for the user.
 */
public final class CredentialLookup {
    public static final String TOKEN = "HOLDFAST_TOKEN";
    public static final String TOKEN_FILE = "HOLDFAST_TOKEN_FILE";
    public static final String TLS_CA = "HOLDFAST_TLS_CA";

    private CredentialLookup() {}

    /**
     * Returns the auth token; a file is read again at each call of the supplier. The precedence is
     * option, token variable, file variable, as for the server's own token.
     *
     * @param file value of the option that names the token file
     */
    public static Optional<Supplier<String>> token(
            @Nullable String file, Map<String, String> environment) {
        Optional<String> secret = variable(environment, TOKEN);
        if (file == null && secret.isPresent()) {
            String text = secret.get().strip();
            return Optional.of(() -> text);
        }
        return given(file, environment, TOKEN_FILE)
                .map(FileNames::parse)
                .map(
                        path -> {
                            String _ = read(path); // so that an unreadable file is reported at once
                            return () -> read(path);
                        });
    }

    /**
     * Returns the file with the certificates to trust.
     *
     * @param file value of the option that names it
     */
    public static Optional<Path> trusted(@Nullable String file, Map<String, String> environment) {
        return given(file, environment, TLS_CA).map(FileNames::parse);
    }

    /** Returns the variable if it is set and not empty. */
    public static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
    }

    private static Optional<String> given(
            @Nullable String option, Map<String, String> environment, String variable) {
        return option != null ? Optional.of(option) : variable(environment, variable);
    }

    private static String read(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "Cannot read the token file " + file + " (--token-file): " + FailureText.of(e),
                    e);
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException("The token file " + file + " is empty");
        }
        return text;
    }
}
