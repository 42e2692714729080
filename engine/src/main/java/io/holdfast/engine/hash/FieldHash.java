package io.holdfast.engine.hash;

import io.holdfast.engine.Key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Mixes the fields of a record into 64 bits, in order. Equal fields give equal hashes in every
 * process; a change of one field always changes the hash. Not for input that is chosen to collide.
 */
public final class FieldHash {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final long FIRST_FINAL_MULTIPLIER = 0xBF58476D1CE4E5B9L;
    private static final long SECOND_FINAL_MULTIPLIER = 0x94D049BB133111EBL;

    private long hash = MULTIPLIER;

    /** Forgets all fields. */
    FieldHash clear() {
        hash = MULTIPLIER;
        return this;
    }

    public FieldHash number(long value) {
        long mixed = (hash ^ value) * MULTIPLIER;
        hash = mixed ^ (mixed >>> 29);
        return this;
    }

    public FieldHash flag(boolean value) {
        return number(value ? 1 : 0);
    }

    public FieldHash bytes(byte[] value) {
        number(value.length);
        int at = 0;
        for (; at + Long.BYTES <= value.length; at += Long.BYTES) {
            number((long) LONGS.get(value, at));
        }
        if (at < value.length) {
            long last = 0;
            for (; at < value.length; at++) {
                last = (last << Byte.SIZE) | (value[at] & 0xFF);
            }
            number(last);
        }
        return this;
    }

    public FieldHash text(String value) {
        number(value.length());
        for (int i = 0; i < value.length(); i++) {
            number(value.charAt(i));
        }
        return this;
    }

    public FieldHash key(Key key) {
        return text(key.namespace().name()).bytes(key.bytes());
    }

    /** Returns the hash of the fields so far. */
    public long value() {
        long mixed = hash;
        mixed = (mixed ^ (mixed >>> 30)) * FIRST_FINAL_MULTIPLIER;
        mixed = (mixed ^ (mixed >>> 27)) * SECOND_FINAL_MULTIPLIER;
        return mixed ^ (mixed >>> 31);
    }
}
