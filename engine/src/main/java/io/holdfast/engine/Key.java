package io.holdfast.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of what is locked: a byte string inside a namespace. Keys are compared byte by byte, so
 * keys that are not valid UTF-8 stay distinct and are returned unchanged.
 *
 * <p>The order exists so that hash collisions chosen by a client cost logarithmic and not linear
 * time, and so that snapshots have a defined order.
 */
public final class Key implements Comparable<Key> {
    private final Namespace namespace;
    private final byte[] bytes;
    private final int hash;

    private Key(Namespace namespace, byte[] bytes) {
        this.namespace = namespace;
        this.bytes = bytes;
        this.hash = 31 * namespace.hashCode() + Arrays.hashCode(bytes);
    }

    /** A key of the given bytes, which must not be changed afterwards. */
    public static Key of(Namespace namespace, byte[] bytes) {
        return new Key(namespace, bytes);
    }

    /** A key of the default namespace, from text in UTF-8. */
    public static Key of(String text) {
        return new Key(Namespace.DEFAULT, text.getBytes(StandardCharsets.UTF_8));
    }

    public Namespace namespace() {
        return namespace;
    }

    /** The bytes themselves, not a copy: must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key that
                && hash == that.hash
                && namespace.equals(that.namespace)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public int compareTo(Key that) {
        int order = namespace.name().compareTo(that.namespace.name());
        return order != 0 ? order : Arrays.compareUnsigned(bytes, that.bytes);
    }

    @Override
    public String toString() {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return namespace.name().isEmpty() ? text : namespace.name() + "/" + text;
    }
}
