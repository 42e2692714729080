package io.holdfast.engine.codec;

import io.holdfast.engine.Key;
import io.holdfast.engine.time.Deadline;
import io.holdfast.engine.time.Deadlines;

import java.io.DataOutput;
import java.io.IOException;

/** Writes primitive values of a snapshot. */
public final class SnapshotOutput {
    private final DataOutput out;

    public SnapshotOutput(DataOutput out) {
        this.out = out;
    }

    /** A variable-length integer: one byte below 128, ten bytes for negative numbers. */
    public void number(long value) throws IOException {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.writeByte((int) (rest | 0x80));
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** Eight bytes: for times and salts. */
    public void fixed(long value) throws IOException {
        out.writeLong(value);
    }

    public void flag(boolean value) throws IOException {
        out.writeByte(value ? 1 : 0);
    }

    public void bytes(byte[] value) throws IOException {
        number(value.length);
        out.write(value);
    }

    public void key(Key key) throws IOException {
        String name = key.namespace().name();
        number(name.length());
        for (int i = 0; i < name.length(); i++) {
            number(name.charAt(i));
        }
        bytes(key.bytes());
    }

    /** The time of a deadline, and its order among equal times. */
    public void deadline(Deadline entry) throws IOException {
        flag(entry.isScheduled());
        if (entry.isScheduled()) {
            fixed(entry.time());
            number(entry.sequence());
        }
    }

    public void deadlines(Deadlines<?> all) throws IOException {
        number(all.lastSequence());
        fixed(all.reachedNanos());
    }
}
