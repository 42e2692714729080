package io.holdfast.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable byte string, compared byte by byte. The order is that of unsigned bytes; because
 * there is one, hash collisions chosen by a client cost logarithmic and not linear time in a hash
 * map.
 */
public final class ByteString implements Comparable<ByteString> {
    public static final ByteString EMPTY = new ByteString(new byte[0]);

    private final byte[] bytes;

    private ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A string of the given bytes, which must not be changed afterwards. */
    public static ByteString of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new ByteString(bytes);
    }

    public static ByteString of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes themselves, not a copy: must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public int compareTo(ByteString that) {
        return Arrays.compareUnsigned(bytes, that.bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
