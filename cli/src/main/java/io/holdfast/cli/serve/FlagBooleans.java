package io.holdfast.cli.serve;

import java.util.Locale;
import java.util.Optional;

/** Booleans as variables and flags spell them. */
final class FlagBooleans {
    private FlagBooleans() {}

    static Optional<Boolean> parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true" -> Optional.of(true);
            case "0", "no", "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /** The words that flags of Go programs take. */
    static Optional<Boolean> parseGoFlag(String text) {
        return switch (text) {
            case "1", "t", "T", "true", "TRUE", "True" -> Optional.of(true);
            case "0", "f", "F", "false", "FALSE", "False" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
