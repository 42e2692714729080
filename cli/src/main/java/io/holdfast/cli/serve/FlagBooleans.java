package io.holdfast.cli.serve;

import java.util.Locale;
import java.util.Optional;

/** Parses booleans of variables and flags. */
final class FlagBooleans {
    private FlagBooleans() {}

    static Optional<Boolean> parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true" -> Optional.of(true);
            case "0", "no", "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /** Parses the spellings that flags of Go programs accept. */
    static Optional<Boolean> parseGoFlag(String text) {
        return switch (text) {
            case "1", "t", "T", "true", "TRUE", "True" -> Optional.of(true);
            case "0", "f", "F", "false", "FALSE", "False" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
