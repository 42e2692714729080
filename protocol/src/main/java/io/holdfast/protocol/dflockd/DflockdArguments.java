package io.holdfast.protocol.dflockd;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.protocol.text.Whitespace;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Reads the fields of an argument line in order. */
final class DflockdArguments {
    /** Returned for a missing or invalid number. */
    static final long INVALID = Long.MIN_VALUE;

    static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000L;
    static final long NANOS = 1_000_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final byte[] text;
    private final boolean tagged;
    private final int end;
    private int at;

    /**
     * @param tagged whether durations may be in milliseconds, and hold attributes may be given
     */
    DflockdArguments(byte[] text, int start, int end, boolean tagged) {
        this.text = text;
        this.tagged = tagged;
        this.at = start;
        this.end = end;
        skipWhitespace();
    }

    boolean hasMore() {
        return at < end;
    }

    /** Whether the next field may be a duration: in tagged mode keywords may follow instead. */
    boolean hasDuration() {
        return hasMore() && !(tagged && text[at] >= 'a' && text[at] <= 'z');
    }

    /** A duration in nanoseconds, 0 or more; {@link #INVALID} otherwise. */
    long timeout() {
        return duration(0);
    }

    /** A duration in nanoseconds, above 0; {@link #INVALID} otherwise. */
    long lease() {
        return duration(1);
    }

    /** A number of slots, 1 or more; {@link #INVALID} otherwise. */
    long limit() {
        Long value = integer();
        return value != null && value >= 1 ? value : INVALID;
    }

    private long duration(long min) {
        int start = at;
        return duration(text, start, nextField(), tagged, min);
    }

    /**
     * A duration in whole seconds or, if {@code millis} is set, in milliseconds with the suffix
     * {@code ms}.
     */
    static long duration(byte[] text, int start, int end, boolean millis, long min) {
        boolean inMillis =
                millis && end - start > 2 && text[end - 2] == 'm' && text[end - 1] == 's';
        long unit = inMillis ? NANOS_PER_MILLI : NANOS;
        Long value = integer(text, start, inMillis ? end - 2 : end);
        return value != null && value >= min && value <= Long.MAX_VALUE / unit
                ? value * unit
                : INVALID;
    }

    /**
     * The keywords {@code read} and {@code unbound}, each at most once; null if there is any other
     * field. Without tags there are no keywords.
     */
    @Nullable HoldAttributes attributes(ResourceKind resourceKind) {
        if (!tagged) {
            return HoldAttributes.PLAIN;
        }
        boolean read = false;
        boolean unbound = false;
        while (hasMore()) {
            String keyword = nextText();
            if (keyword.equals("read") && resourceKind == ResourceKind.LOCK && !read) {
                read = true;
            } else if (keyword.equals("unbound") && !unbound) {
                unbound = true;
            } else {
                return null;
            }
        }
        return new HoldAttributes(read ? ReadWriteMode.READ : ReadWriteMode.WRITE, !unbound, true);
    }

    /** The next field, as ISO 8859-1. */
    String nextText() {
        int start = at;
        return new String(text, start, nextField() - start, StandardCharsets.ISO_8859_1);
    }

    /** A signed 64-bit decimal number; null if the field is anything else. */
    @Nullable Long integer() {
        int start = at;
        return integer(text, start, nextField());
    }

    /** As {@link #integer()}, of the bytes {@code [start, end)}. */
    static @Nullable Long integer(byte[] text, int start, int end) {
        boolean negative = start < end && text[start] == '-';
        int from = negative || (start < end && text[start] == '+') ? start + 1 : start;
        if (from == end) {
            return null;
        }
        long value = 0; // kept negative: the negative range is larger
        for (int i = from; i < end; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
                return null;
            }
            value = value * 10 - digit;
        }
        if (negative) {
            return value;
        }
        return value == Long.MIN_VALUE ? null : -value;
    }

    /** 32 lower-case hex digits; null if the field is anything else, which no hold can match. */
    @Nullable Token token() {
        int start = at;
        int fieldEnd = nextField();
        if (fieldEnd - start != 32) {
            return null;
        }
        for (int i = start; i < fieldEnd; i++) {
            if (hexValue(text[i]) < 0) {
                return null;
            }
        }
        return new Token(hex(start), hex(start + 16));
    }

    private long hex(int start) {
        long value = 0;
        for (int i = start; i < start + 16; i++) {
            value = value << 4 | hexValue(text[i]);
        }
        return value;
    }

    private static int hexValue(byte c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    }

    /**
     * Skips the field that starts here and the whitespace after it; returns the end of the field.
     */
    private int nextField() {
        while (at < end && Whitespace.lengthAt(text, at, end) == 0) {
            at++;
        }
        int fieldEnd = at;
        skipWhitespace();
        return fieldEnd;
    }

    private void skipWhitespace() {
        while (at < end) {
            int length = Whitespace.lengthAt(text, at, end);
            if (length == 0) {
                return;
            }
            at += length;
        }
    }
}
