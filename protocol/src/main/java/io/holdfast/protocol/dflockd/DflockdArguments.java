package io.holdfast.protocol.dflockd;

import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.protocol.text.Whitespace;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Reads the fields of an argument line one after the other. */
final class DflockdArguments {
    /** What a number reads as when there is none, or not a valid one. */
    static final long INVALID = Long.MIN_VALUE;

    static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000L;
    static final long NANOS = 1_000_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final byte[] text;
    private final boolean tagged;
    private final int end;
    private int at;

    /**
     * @param tagged whether times may be in milliseconds, and terms be named
     */
    DflockdArguments(byte[] text, int start, int end, boolean tagged) {
        this.text = text;
        this.tagged = tagged;
        this.at = start;
        this.end = end;
        skipBlanks();
    }

    boolean hasMore() {
        return at < end;
    }

    /** Whether the next field may be a time: in tagged mode words may follow instead. */
    boolean hasSpan() {
        return hasMore() && !(tagged && text[at] >= 'a' && text[at] <= 'z');
    }

    /** A time as nanoseconds, 0 allowed; {@link #INVALID} otherwise. */
    long timeout() {
        return span(0);
    }

    /** A time as nanoseconds, above 0; {@link #INVALID} otherwise. */
    long lease() {
        return span(1);
    }

    /** A number of slots, 1 or more; {@link #INVALID} otherwise. */
    long limit() {
        Long value = integer();
        return value != null && value >= 1 ? value : INVALID;
    }

    private long span(long least) {
        int start = at;
        return span(text, start, nextField(), tagged, least);
    }

    /** Whole seconds, or where it is allowed milliseconds with {@code ms} behind them. */
    static long span(byte[] text, int start, int end, boolean millis, long least) {
        boolean inMillis =
                millis && end - start > 2 && text[end - 2] == 'm' && text[end - 1] == 's';
        long unit = inMillis ? NANOS_PER_MILLI : NANOS;
        Long value = integer(text, start, inMillis ? end - 2 : end);
        return value != null && value >= least && value <= Long.MAX_VALUE / unit
                ? value * unit
                : INVALID;
    }

    /**
     * The words {@code read} and {@code unbound}, each at most once; null if there is another. What
     * is not tagged has none.
     */
    @Nullable HoldAttributes terms(ResourceKind resourceKind) {
        if (!tagged) {
            return HoldAttributes.PLAIN;
        }
        boolean read = false;
        boolean unbound = false;
        while (hasMore()) {
            String word = nextText();
            if (word.equals("read") && resourceKind == ResourceKind.LOCK && !read) {
                read = true;
            } else if (word.equals("unbound") && !unbound) {
                unbound = true;
            } else {
                return null;
            }
        }
        return new HoldAttributes(read ? ReadWriteMode.READ : ReadWriteMode.WRITE, !unbound, true);
    }

    /** The next field, byte by byte. */
    String nextText() {
        int start = at;
        return new String(text, start, nextField() - start, StandardCharsets.ISO_8859_1);
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
        while (at < end && Whitespace.lengthAt(text, at, end) == 0) {
            at++;
        }
        int fieldEnd = at;
        skipBlanks();
        return fieldEnd;
    }

    private void skipBlanks() {
        while (at < end) {
            int blank = Whitespace.lengthAt(text, at, end);
            if (blank == 0) {
                return;
            }
            at += blank;
        }
    }
}
