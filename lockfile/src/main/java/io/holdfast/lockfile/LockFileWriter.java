package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** A holder as lines of text, each ended by a line feed. */
final class LockFileWriter {
    private static final int TIMESTAMP_DIGITS = 10;
    private static final char NO_CHARACTER = '\ufffd';

    private LockFileWriter() {}

    static byte[] write(Holder holder) {
        StringBuilder lines = new StringBuilder();
        line(lines, "pid", holder.pid());
        line(lines, "timestamp", tenDigits(holder.timestamp()));
        line(lines, "tag", holder.tag());
        line(lines, "nonce", holder.nonce());
        line(lines, "start", holder.start());
        line(lines, "host", holder.host());
        line(lines, "acquired", holder.acquired());
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A clock that begins in 1970 may be set later, and a heartbeat writes over what is there. */
    private static String tenDigits(long seconds) {
        String digits = Long.toString(seconds);
        return "0".repeat(Math.max(0, TIMESTAMP_DIGITS - digits.length())) + digits;
    }

    private static void line(StringBuilder lines, String key, @Nullable Object value) {
        if (value != null) {
            lines.append(key).append('=').append(clean(value.toString())).append('\n');
        }
    }

    /** One character for each, so that nothing ends a line, upsets a terminal or is not UTF-8. */
    static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().map(LockFileWriter::clean).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static int clean(int character) {
        if (isControl(character)) {
            return ' ';
        }
        return isLoneSurrogate(character) ? NO_CHARACTER : character;
    }

    private static boolean isControl(int character) {
        return character < ' '
                || character == 0x7f
                || character == 0x85
                || character == 0x2028
                || character == 0x2029;
    }

    private static boolean isLoneSurrogate(int character) {
        return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
    }

    /** At most so many units of UTF-16, and no half of a character at the end. */
    static String cut(String clean, int maxLength) {
        if (clean.length() <= maxLength) {
            return clean;
        }
        boolean inside = maxLength > 0 && Character.isHighSurrogate(clean.charAt(maxLength - 1));
        return clean.substring(0, inside ? maxLength - 1 : maxLength);
    }
}
