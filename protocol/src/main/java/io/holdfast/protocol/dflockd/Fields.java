package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Token;
import io.holdfast.protocol.text.Blanks;

import org.jspecify.annotations.Nullable;

/** Reads the fields of an argument line one after the other. */
final class Fields {
    /** What a number reads as when there is none, or not a valid one. */
    static final long INVALID = Long.MIN_VALUE;

    static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000L;
    static final long NANOS = 1_000_000_000L;

    private final byte[] text;
    private final int end;
    private int at;

    Fields(byte[] text, int start, int end) {
        this.text = text;
        this.at = start;
        this.end = end;
        skipBlanks();
    }

    boolean hasMore() {
        return at < end;
    }

    /** Seconds as nanoseconds, 0 allowed; {@link #INVALID} otherwise. */
    long timeout() {
        return seconds(0);
    }

    /** Seconds as nanoseconds, above 0; {@link #INVALID} otherwise. */
    long lease() {
        return seconds(1);
    }

    /** A number of slots, 1 or more; {@link #INVALID} otherwise. */
    long limit() {
        Long value = integer();
        return value != null && value >= 1 ? value : INVALID;
    }

    private long seconds(long least) {
        Long value = integer();
        return value != null && value >= least && value <= MOST_SECONDS ? value * NANOS : INVALID;
    }

    /** A number of 64 bits; null if the field is anything else. */
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
        long value = 0; // kept negative: the range is larger on that side
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

    /** Moves behind the field that starts here and the blanks after it; tells where it ended. */
    private int nextField() {
        while (at < end && Blanks.lengthAt(text, at, end) == 0) {
            at++;
        }
        int fieldEnd = at;
        skipBlanks();
        return fieldEnd;
    }

    private void skipBlanks() {
        while (at < end) {
            int blank = Blanks.lengthAt(text, at, end);
            if (blank == 0) {
                return;
            }
            at += blank;
        }
    }
}
