package io.holdfast.protocol.dflockd;

import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;

/** Reads the fields of an argument line one after the other. */
final class Fields {
    /** What a number reads as when there is none, or not a valid one. */
    static final long INVALID = Long.MIN_VALUE;

    private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000L;
    private static final long NANOS = 1_000_000_000L;

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
        int start = at;
        int fieldEnd = nextField();
        if (!isInteger(start, fieldEnd)) {
            return INVALID;
        }
        long value = integer(start, fieldEnd);
        return value >= 1 ? value : INVALID;
    }

    private long seconds(long least) {
        int start = at;
        int fieldEnd = nextField();
        if (!isInteger(start, fieldEnd)) {
            return INVALID;
        }
        long value = integer(start, fieldEnd);
        return value >= least && value <= MOST_SECONDS ? value * NANOS : INVALID;
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

    private boolean isInteger(int start, int fieldEnd) {
        int from =
                start < fieldEnd && (text[start] == '+' || text[start] == '-') ? start + 1 : start;
        if (from == fieldEnd) {
            return false;
        }
        for (int i = from; i < fieldEnd; i++) {
            if (text[i] < '0' || text[i] > '9') {
                return false;
            }
        }
        return true;
    }

    /** The value of a well-formed integer; {@link #INVALID} if it does not fit 64 bits. */
    private long integer(int start, int fieldEnd) {
        boolean negative = text[start] == '-';
        int from = negative || text[start] == '+' ? start + 1 : start;
        long value = 0;
        for (int i = from; i < fieldEnd; i++) {
            int digit = text[i] - '0';
            if (value < (Long.MIN_VALUE + digit) / 10) {
                return INVALID;
            }
            value = value * 10 - digit; // negative: the range is larger on that side
        }
        if (negative) {
            return value;
        }
        return value == Long.MIN_VALUE ? INVALID : -value;
    }
}
