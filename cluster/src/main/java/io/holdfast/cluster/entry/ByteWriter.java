package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;

/** Writes values into a growing buffer that can be reused. */
public final class ByteWriter {
    static final int FOREVER_DURATION = 0;
    static final int NANOS_DURATION = 1;
    static final int FIRST_MILLIS_DURATION = 2;
    static final long NANOS_PER_MILLI = 1_000_000;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MAX_NUMBER_BYTES = 10;

    private byte[] buffer;
    private int length;

    public ByteWriter() {
        this(256);
    }

    public ByteWriter(int capacity) {
        buffer = new byte[capacity];
    }

    /** Returns the number of bytes written. */
    public int length() {
        return length;
    }

    /**
     * Returns the buffer itself, of which the first {@link #length} bytes are valid. Must not be
     * modified.
     */
    public byte[] array() {
        return buffer;
    }

    /** Returns a copy of the bytes written. */
    public byte[] toBytes() {
        return Arrays.copyOf(buffer, length);
    }

    /** Discards what was written and keeps the buffer. */
    public void clear() {
        length = 0;
    }

    /** One byte. */
    public void octet(int value) {
        ensureCapacity(1);
        buffer[length++] = (byte) value;
    }

    /** One byte. */
    public void flag(boolean value) {
        octet(value ? 1 : 0);
    }

    /**
     * Eight bytes, for values that are evenly distributed and would not be shorter as a {@link
     * #number}.
     */
    public void fixed(long value) {
        ensureCapacity(Long.BYTES);
        LONGS.set(buffer, length, value);
        length += Long.BYTES;
    }

    /** A varint: one byte for less than 128, ten for negative values. */
    public void number(long value) {
        ensureCapacity(MAX_NUMBER_BYTES);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
    }

    /** A zigzag varint: a negative number is as long as its absolute value. */
    public void signed(long value) {
        number((value << 1) ^ (value >> 63));
    }

    /** Nanoseconds: short for whole milliseconds, one byte for {@link Command#FOREVER}. */
    public void duration(long nanos) {
        if (nanos == Command.FOREVER) {
            number(FOREVER_DURATION);
        } else if (nanos >= 0 && nanos % NANOS_PER_MILLI == 0) {
            number(nanos / NANOS_PER_MILLI + FIRST_MILLIS_DURATION);
        } else {
            number(NANOS_DURATION);
            signed(nanos);
        }
    }

    public void bytes(byte[] value) {
        number(value.length);
        ensureCapacity(value.length);
        System.arraycopy(value, 0, buffer, length, value.length);
        length += value.length;
    }

    public void bytes(ByteString value) {
        bytes(value.bytes());
    }

    /** Preserves every string, also one that is not valid Unicode. */
    public void text(String value) {
        number(value.length());
        for (int i = 0; i < value.length(); i++) {
            number(value.charAt(i));
        }
    }

    public void uuid(UUID value) {
        fixed(value.getMostSignificantBits());
        fixed(value.getLeastSignificantBits());
    }

    /** One byte for the default namespace. */
    public void namespace(Namespace value) {
        text(value.name());
    }

    public void key(Key value) {
        namespace(value.namespace());
        bytes(value.bytes());
    }

    private void ensureCapacity(int bytes) {
        if (buffer.length - length < bytes) {
            int needed = Math.addExact(length, bytes);
            int doubled = (int) Math.min(buffer.length * 2L, Integer.MAX_VALUE - 8);
            buffer = Arrays.copyOf(buffer, Math.max(doubled, needed));
        }
    }
}
