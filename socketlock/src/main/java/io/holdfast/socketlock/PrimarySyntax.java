package io.holdfast.socketlock;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The grammar of the clients' lines. Text is decoded as ISO-8859-1, one character per byte, so that
 * ids are echoed unchanged.
 */
final class PrimarySyntax {
    /** The maximum length of a line, without its line end. */
    static final int MAX_BYTES = 64 * 1024;

    private PrimarySyntax() {}

    /** The fields of a line that ends before {@code end}. */
    static List<String> fields(byte[] bytes, int start, int end) {
        List<String> fields = new ArrayList<>(4);
        int from = start;
        for (int i = start; i <= end; i++) {
            if (i == end || isBlank(bytes[i])) {
                if (i > from) {
                    fields.add(new String(bytes, from, i - from, StandardCharsets.ISO_8859_1));
                }
                from = i + 1;
            }
        }
        return fields;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r' || b == 0x0B || b == '\f';
    }

    /** Whether the field has the syntax of an integer, of any size. */
    static boolean isInteger(String field) {
        int start = field.startsWith("+") || field.startsWith("-") ? 1 : 0;
        return field.length() > start
                && field.chars().skip(start).allMatch(c -> c >= '0' && c <= '9');
    }

    /** A positive integer, or empty. */
    static OptionalLong seconds(String field) {
        OptionalLong number = number(field);
        return number.isPresent() && number.getAsLong() > 0 ? number : OptionalLong.empty();
    }

    /** A 64-bit integer, or empty. */
    static OptionalLong number(String field) {
        if (!isInteger(field)) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(field));
        } catch (NumberFormatException e) { // too large
            return OptionalLong.empty();
        }
    }
}
