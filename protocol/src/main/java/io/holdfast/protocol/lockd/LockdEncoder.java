package io.holdfast.protocol.lockd;

import io.holdfast.engine.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes responses. Some lines end with a carriage return and a line feed and some with only a line
 * feed, as in the original.
 */
public final class LockdEncoder {
    private static final byte[] ACQUIRED = ascii("1 Lock Get Success: ");
    private static final byte[] NOT_ACQUIRED = ascii("0 Lock Get Failure: ");
    private static final byte[] RELEASED = ascii("1 Lock Release Success: ");
    private static final byte[] NOT_RELEASED = ascii("0 Lock Release Failure: ");
    private static final byte[] LOCKED = ascii("1 Lock Is Locked: ");
    private static final byte[] NOT_LOCKED = ascii("0 Lock Not Locked: ");
    private static final byte[] SHARED_ACQUIRED = ascii(" Shared Lock Get Success: ");
    private static final byte[] SHARED_NOT_ACQUIRED = ascii("0 Shared Lock Get Failure: ");
    private static final byte[] SHARED_RELEASED = ascii("1 Shared Lock Release Success: ");
    private static final byte[] SHARED_NOT_RELEASED = ascii("0 Shared Lock Release Failure: ");
    private static final byte[] SHARED_LOCKED = ascii(" Shared Lock Is Locked: ");
    private static final byte[] SHARED_NOT_LOCKED = ascii("0 Shared Lock Not Locked: ");
    private static final byte[] DISABLED = ascii("0 disabled\n");
    private static final byte[] OK = ascii("1 ok\n");

    private LockdEncoder() {}

    /**
     * The response to {@code g}.
     *
     * @param isNew false if the connection held it before
     */
    public static void acquired(byte[] name, boolean isNew, ByteBuf out) {
        out.writeBytes(ACQUIRED).writeBytes(name);
        end(isNew, out);
    }

    public static void notAcquired(byte[] name, ByteBuf out) {
        out.writeBytes(NOT_ACQUIRED).writeBytes(name);
        end(true, out);
    }

    public static void released(byte[] name, boolean held, ByteBuf out) {
        out.writeBytes(held ? RELEASED : NOT_RELEASED).writeBytes(name);
        end(false, out);
    }

    /**
     * The response to {@code i}.
     *
     * @param own whether the requesting connection holds it
     */
    public static void inspected(byte[] name, boolean held, boolean own, ByteBuf out) {
        out.writeBytes(held ? LOCKED : NOT_LOCKED).writeBytes(name);
        end(!own, out);
    }

    public static void sharedAcquired(byte[] name, int holders, ByteBuf out) {
        number(holders, out);
        out.writeBytes(SHARED_ACQUIRED).writeBytes(name);
        end(true, out);
    }

    public static void sharedNotAcquired(byte[] name, ByteBuf out) {
        out.writeBytes(SHARED_NOT_ACQUIRED).writeBytes(name);
        end(true, out);
    }

    public static void sharedReleased(byte[] name, boolean held, ByteBuf out) {
        out.writeBytes(held ? SHARED_RELEASED : SHARED_NOT_RELEASED).writeBytes(name);
        end(true, out);
    }

    public static void sharedInspected(byte[] name, int holders, ByteBuf out) {
        if (holders == 0) {
            out.writeBytes(SHARED_NOT_LOCKED).writeBytes(name);
        } else {
            number(holders, out);
            out.writeBytes(SHARED_LOCKED).writeBytes(name);
        }
        end(true, out);
    }

    public static void disabled(ByteBuf out) {
        out.writeBytes(DISABLED);
    }

    public static void ok(ByteBuf out) {
        out.writeBytes(OK);
    }

    /**
     * {@code 1 CONNECTION REGISTERED}
     *
     * @param registered the registered name of the connection; null if it has none
     */
    public static void me(String connection, @Nullable ByteString registered, ByteBuf out) {
        ByteBufUtil.writeAscii(out, "1 " + connection + " ");
        out.writeBytes(registered == null ? ascii(connection) : registered.bytes());
        end(false, out);
    }

    /** A line of the response to {@code q}. */
    public static void counter(String name, long value, ByteBuf out) {
        ByteBufUtil.writeAscii(out, name + ": " + value);
        end(false, out);
    }

    /** {@code NAME: VALUE}, a line of the responses to {@code d}, {@code sd} and {@code who}. */
    public static void pair(byte[] name, byte[] value, ByteBuf out) {
        out.writeBytes(name).writeByte(':').writeByte(' ').writeBytes(value);
        end(false, out);
    }

    /** The number of bytes that {@link #pair} writes. */
    public static long pairLength(byte[] name, byte[] value) {
        return name.length + value.length + 3L;
    }

    public static void beginMap(ByteBuf out) {
        ByteBufUtil.writeAscii(out, "map[");
    }

    public static void endMap(ByteBuf out) {
        out.writeByte(']');
        end(false, out);
    }

    /** The number of bytes of the brackets and of the spaces between the entries of a map. */
    public static long mapLength(int entries) {
        return 6L + Math.max(0, entries - 1);
    }

    /** The number of bytes of one entry of a map. */
    public static long mapEntryLength(byte[] name, List<byte[]> holders, boolean list) {
        long length = name.length + 1L + (list ? 2 : 0) + (holders.size() - 1);
        for (byte[] holder : holders) {
            length += holder.length;
        }
        return length;
    }

    /**
     * A holder after {@link #mapName}.
     *
     * @param list whether the holders of a name are in brackets
     */
    public static void mapHolder(
            byte[] holder, boolean list, boolean first, boolean last, ByteBuf out) {
        if (!first) {
            out.writeByte(' ');
        } else if (list) {
            out.writeByte('[');
        }
        out.writeBytes(holder);
        if (last && list) {
            out.writeByte(']');
        }
    }

    /** {@code NAME:} inside a map; entries are separated by a space. */
    public static void mapName(byte[] name, boolean first, ByteBuf out) {
        if (!first) {
            out.writeByte(' ');
        }
        out.writeBytes(name).writeByte(':');
    }

    private static void number(int value, ByteBuf out) {
        ByteBufUtil.writeAscii(out, Integer.toString(value));
    }

    private static void end(boolean withReturn, ByteBuf out) {
        if (withReturn) {
            out.writeByte('\r');
        }
        out.writeByte('\n');
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
