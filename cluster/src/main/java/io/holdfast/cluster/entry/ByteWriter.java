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

/** Writes values one after the other into a buffer that grows, and that can be used again. */
public final class ByteWriter {
    static final int FOREVER_SPAN = 0;
    static final int NANOS_SPAN = 1;
    static final int FIRST_MILLIS_SPAN = 2;
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

    /** How many bytes have been written. */
    public int length() {
        return length;
    }

    /** The bytes themselves, of which the first {@link #length} count: read only. */
    public byte[] array() {
        return buffer;
    }

    /** A copy of what has been written. */
    public byte[] toBytes() {
        return Arrays.copyOf(buffer, length);
    }

    /** Begins anew, in the same buffer. */
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

    /** Eight bytes, for what is as good as random. */
    public void fixed(long value) {
        ensureCapacity(Long.BYTES);
        LONGS.set(buffer, length, value);
        length += Long.BYTES;
    }

    /** One byte for less than 128, ten for what is negative. */
    public void number(long value) {
        ensureCapacity(MAX_NUMBER_BYTES);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
    }

    /** As many bytes for a number as for its negative. */
    public void signed(long value) {
        number((value << 1) ^ (value >> 63));
    }

    /** Nanoseconds: short for whole milliseconds, one byte for {@link Command#FOREVER}. */
    public void span(long nanos) {
        if (nanos == Command.FOREVER) {
            number(FOREVER_SPAN);
        } else if (nanos >= 0 && nanos % NANOS_PER_MILLI == 0) {
            number(nanos / NANOS_PER_MILLI + FIRST_MILLIS_SPAN);
        } else {
            number(NANOS_SPAN);
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

    /** Every string comes back as it was, also one that is no valid Unicode. */
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
