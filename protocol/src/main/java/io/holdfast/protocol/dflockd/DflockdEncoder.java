package io.holdfast.protocol.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.Token;
import io.holdfast.protocol.json.JsonText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import java.nio.charset.StandardCharsets;

/** Writes responses, each a complete line. */
public final class DflockdEncoder {
    private static final byte[] OK = line("ok");
    private static final byte[] QUEUED = line("queued");
    private static final byte[] TIMEOUT = line("timeout");
    private static final byte[] ERROR = line("error");
    private static final byte[] ERROR_AUTH = line("error_auth");
    private static final byte[] ERROR_DRAINING = line("error_draining");
    private static final byte[] ERROR_MAX_LOCKS = line("error_max_locks");
    private static final byte[] ERROR_MAX_WAITERS = line("error_max_waiters");
    private static final byte[] ERROR_LIMIT_MISMATCH = line("error_limit_mismatch");
    private static final byte[] ERROR_ALREADY_ENQUEUED = line("error_already_enqueued");
    private static final byte[] ERROR_NOT_ENQUEUED = line("error_not_enqueued");
    private static final byte[] ERROR_MAX_KEYS = line("error_max_keys");
    private static final byte[] ERROR_LIST_FULL = line("error_list_full");
    private static final byte[] NIL = line("nil");
    private static final byte[] SIG_PREFIX = ascii("sig ");
    private static final byte[] OK_PREFIX = ascii("ok ");
    private static final byte[] ACQUIRED_PREFIX = ascii("acquired ");
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final short[] HEX = hexPairs();

    private DflockdEncoder() {}

    public static void ok(ByteBuf out) {
        out.writeBytes(OK);
    }

    /** {@code ok <token> <lease>} */
    public static void granted(Token token, long leaseNanos, ByteBuf out) {
        out.writeBytes(OK_PREFIX);
        tokenAndLease(token, leaseNanos, out);
    }

    /** {@code acquired <token> <lease>} */
    public static void acquired(Token token, long leaseNanos, ByteBuf out) {
        out.writeBytes(ACQUIRED_PREFIX);
        tokenAndLease(token, leaseNanos, out);
    }

    /** {@code ok <lease>} */
    public static void renewed(long leaseNanos, ByteBuf out) {
        out.writeBytes(OK_PREFIX);
        seconds(leaseNanos, out);
        out.writeByte('\n');
    }

    /** {@code ok <n>} */
    public static void number(long value, ByteBuf out) {
        out.writeBytes(OK_PREFIX);
        ByteBufUtil.writeAscii(out, Long.toString(value));
        out.writeByte('\n');
    }

    /** {@code ok <value>}; a bare {@code ok} for an empty one. */
    public static void value(ByteString value, ByteBuf out) {
        if (value.isEmpty()) {
            ok(out);
        } else {
            out.writeBytes(OK_PREFIX).writeBytes(value.bytes()).writeByte('\n');
        }
    }

    /** {@code nil}: there is no such value or item. */
    public static void nil(ByteBuf out) {
        out.writeBytes(NIL);
    }

    /**
     * Begins {@code ok <json array of strings>}, to be followed by {@link #item} and {@link
     * #endItems}.
     */
    public static void beginItems(ByteBuf out) {
        out.writeBytes(OK_PREFIX).writeByte('[');
    }

    public static void item(ByteString item, boolean first, ByteBuf out) {
        if (!first) {
            out.writeByte(',');
        }
        JsonText.write(item.bytes(), out);
    }

    public static void endItems(ByteBuf out) {
        out.writeByte(']').writeByte('\n');
    }

    /** {@code sig <channel> <payload>}: a pushed line, not a response. */
    public static void pushed(Key channel, ByteString payload, ByteBuf out) {
        out.writeBytes(SIG_PREFIX).writeBytes(channel.bytes()).writeByte(' ');
        out.writeBytes(payload.bytes()).writeByte('\n');
    }

    /** The number of bytes that {@link #pushed} writes. */
    public static int pushedLength(Key channel, ByteString payload) {
        return SIG_PREFIX.length + channel.bytes().length + 1 + payload.length() + 1;
    }

    /** The payload of a line that {@link #pushed} wrote. */
    public static ByteString payloadOf(ByteBuf line, Key channel) {
        int start = SIG_PREFIX.length + channel.bytes().length + 1;
        byte[] payload = new byte[line.writerIndex() - start - 1];
        line.getBytes(start, payload);
        return ByteString.of(payload);
    }

    public static void queued(ByteBuf out) {
        out.writeBytes(QUEUED);
    }

    public static void timeout(ByteBuf out) {
        out.writeBytes(TIMEOUT);
    }

    public static void error(ByteBuf out) {
        out.writeBytes(ERROR);
    }

    public static void errorAuth(ByteBuf out) {
        out.writeBytes(ERROR_AUTH);
    }

    public static void errorDraining(ByteBuf out) {
        out.writeBytes(ERROR_DRAINING);
    }

    /** The mapping of refusals to responses. */
    public static void refused(Refusal reason, ByteBuf out) {
        out.writeBytes(
                switch (reason) {
                    case NOT_HELD, BUSY, OUT_OF_RANGE, UNAVAILABLE -> ERROR;
                    case TOO_MANY_KEYS -> ERROR_MAX_LOCKS;
                    case TOO_MANY_WAITERS -> ERROR_MAX_WAITERS;
                    case LIMIT_MISMATCH -> ERROR_LIMIT_MISMATCH;
                    case ALREADY_ENQUEUED -> ERROR_ALREADY_ENQUEUED;
                    case NOT_ENQUEUED -> ERROR_NOT_ENQUEUED;
                    case TOO_MANY_ENTRIES -> ERROR_MAX_KEYS;
                    case LIST_FULL -> ERROR_LIST_FULL;
                });
    }

    private static void tokenAndLease(Token token, long leaseNanos, ByteBuf out) {
        token(token, out);
        out.writeByte(' ');
        seconds(leaseNanos, out);
        out.writeByte('\n');
    }

    /** 32 hex digits. */
    static void token(Token token, ByteBuf out) {
        hex(token.fence(), out);
        hex(token.salt(), out);
    }

    private static void hex(long value, ByteBuf out) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            out.writeShort(HEX[(int) (value >>> shift) & 0xff]);
        }
    }

    private static void seconds(long nanos, ByteBuf out) {
        long value = nanos / NANOS_PER_SECOND;
        long unit = 1;
        while (value / unit >= 10) {
            unit *= 10;
        }
        for (; unit > 0; unit /= 10) {
            out.writeByte((byte) ('0' + value / unit % 10));
        }
    }

    private static short[] hexPairs() {
        byte[] digits = ascii("0123456789abcdef");
        short[] pairs = new short[256];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = (short) (digits[i >> 4] << 8 | digits[i & 15]);
        }
        return pairs;
    }

    private static byte[] line(String text) {
        return ascii(text + "\n");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
