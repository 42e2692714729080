package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Writes a holder as lines of text, each ended by a line feed. */
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

    /**
     * Padded to ten digits: a heartbeat overwrites the digits in place, and a clock that started at
     * 1970 may be set to a later time.
     */
    private static String tenDigits(long seconds) {
        String digits = Long.toString(seconds);
        return "0".repeat(Math.max(0, TIMESTAMP_DIGITS - digits.length())) + digits;
    }

    private static void line(StringBuilder lines, String key, @Nullable Object value) {
        if (value != null) {
            lines.append(key).append('=').append(clean(value.toString())).append('\n');
        }
    }

    /**
     * Replaces each character that would end a line, is a control character, or cannot be encoded
     * in UTF-8.
     */
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

    /**
     * The text cut to at most {@code maxLength} UTF-16 units, without splitting a surrogate pair.
     */
    static String cut(String clean, int maxLength) {
        if (clean.length() <= maxLength) {
            return clean;
        }
        boolean inside = maxLength > 0 && Character.isHighSurrogate(clean.charAt(maxLength - 1));
        return clean.substring(0, inside ? maxLength - 1 : maxLength);
    }
}
