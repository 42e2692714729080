package io.holdfast.cli.serve;

import java.util.Locale;
import java.util.Optional;

/** Booleans as variables and flags spell them. */
final class Switches {
    private Switches() {}

    static Optional<Boolean> parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "t", "yes", "true" -> Optional.of(true);
            case "0", "f", "no", "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
