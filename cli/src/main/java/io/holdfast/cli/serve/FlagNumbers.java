package io.holdfast.cli.serve;

import java.util.OptionalLong;

/** Parses whole numbers of flags: decimal, or with the prefix 0x, 0o or 0b. */
final class FlagNumbers {
    private FlagNumbers() {}

    static OptionalLong parse(String text) {
        boolean negative = text.startsWith("-");
        String digits = negative || text.startsWith("+") ? text.substring(1) : text;
        int radix = 10;
        if (digits.length() > 2 && digits.charAt(0) == '0') {
            radix =
                    switch (Character.toLowerCase(digits.charAt(1))) {
                        case 'x' -> 16;
                        case 'o' -> 8;
                        case 'b' -> 2;
                        default -> 10;
                    };
        }
        if (radix != 10) {
            digits = digits.substring(2);
        }
        if (digits.isEmpty()
                || !digits.chars().allMatch(c -> c < 0x80 && Character.isLetterOrDigit(c))) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong((negative ? "-" : "") + digits, radix));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
