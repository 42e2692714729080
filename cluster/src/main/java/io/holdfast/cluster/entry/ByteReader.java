package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;

/**
 * Reads what {@link ByteWriter} wrote. It allocates no more than the remaining input can fill, even
 * for malformed input.
 */
public final class ByteReader {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int LAST_SHIFT = 63;

    private final byte[] buffer;
    private final int start;
    private final int end;
    private int next;

    /** Consecutive keys often have the same namespace and then share the object. */
    private Namespace lastNamespace = Namespace.DEFAULT;

    public ByteReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** Reads a slice of an array without copying it. */
    public ByteReader(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        this.buffer = array;
        this.start = offset;
        this.next = offset;
        this.end = offset + length;
    }

    /** Returns the number of bytes that have not been read. */
    public int remaining() {
        return end - next;
    }

    /** Checks that all bytes have been read. */
    public void finish() throws EncodingException {
        if (next != end) {
            throw wrong("%d trailing bytes".formatted(remaining()));
        }
    }

    /** Returns an exception with the position of what was just read. */
    public EncodingException wrong(String what) {
        return new EncodingException("%s before byte %d".formatted(what, next - start));
    }

    public int octet() throws EncodingException {
        need(1);
        return buffer[next++] & 0xFF;
    }

    public boolean flag() throws EncodingException {
        int value = octet();
        if (value > 1) {
            throw wrong("not a boolean: %d".formatted(value));
        }
        return value == 1;
    }

    public long fixed() throws EncodingException {
        need(Long.BYTES);
        long value = (long) LONGS.get(buffer, next);
        next += Long.BYTES;
        return value;
    }

    public long number() throws EncodingException {
        long value = 0;
        for (int shift = 0; shift <= LAST_SHIFT; shift += 7) {
            int piece = octet();
            value |= (piece & 0x7FL) << shift;
            if (piece < 0x80) {
                if (shift == LAST_SHIFT && piece > 1) {
                    break;
                }
                return value;
            }
        }
        throw wrong("a number of more than 64 bits");
    }

    public long signed() throws EncodingException {
        long value = number();
        return (value >>> 1) ^ -(value & 1);
    }

    /** Reads a number from 0 to {@link Integer#MAX_VALUE}. */
    public int count() throws EncodingException {
        long value = number();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw wrong("a count of %s".formatted(Long.toUnsignedString(value)));
        }
        return (int) value;
    }

    /** Reads the number of elements that follow, each of at least one byte. */
    public int length() throws EncodingException {
        long value = number();
        if (value < 0 || value > remaining()) {
            throw wrong(
                    "a length of %s, with %d bytes left,"
                            .formatted(Long.toUnsignedString(value), remaining()));
        }
        return (int) value;
    }

    public long duration() throws EncodingException {
        long value = number();
        if (value == ByteWriter.FOREVER_DURATION) {
            return Command.FOREVER;
        }
        if (value == ByteWriter.NANOS_DURATION) {
            return signed();
        }
        long millis = value - ByteWriter.FIRST_MILLIS_DURATION;
        if (millis < 0 || millis > Long.MAX_VALUE / ByteWriter.NANOS_PER_MILLI) {
            throw wrong("a duration of %s ms".formatted(Long.toUnsignedString(millis)));
        }
        return millis * ByteWriter.NANOS_PER_MILLI;
    }

    public byte[] bytes() throws EncodingException {
        int length = length();
        byte[] value = Arrays.copyOfRange(buffer, next, next + length);
        next += length;
        return value;
    }

    public ByteString byteString() throws EncodingException {
        return ByteString.of(bytes());
    }

    public String text() throws EncodingException {
        int length = length();
        var text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            long value = number();
            if (value < 0 || value > Character.MAX_VALUE) {
                throw wrong("not a character: %s".formatted(Long.toUnsignedString(value)));
            }
            text.append((char) value);
        }
        return text.toString();
    }

    public UUID uuid() throws EncodingException {
        long highBits = fixed();
        return new UUID(highBits, fixed());
    }

    public Namespace namespace() throws EncodingException {
        if (next < end && buffer[next] == 0) {
            next++;
            return Namespace.DEFAULT;
        }
        String name = text();
        if (!lastNamespace.name().equals(name)) {
            lastNamespace = new Namespace(name);
        }
        return lastNamespace;
    }

    public Key key() throws EncodingException {
        Namespace namespace = namespace();
        return Key.of(namespace, bytes());
    }

    private void need(int bytes) throws EncodingException {
        if (end - next < bytes) {
            throw wrong("unexpected end: %d bytes needed, %d left,".formatted(bytes, remaining()));
        }
    }
}
