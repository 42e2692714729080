package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A topic to listen to: a pattern and a queue group.
 *
 * @param group empty for no group
 */
record PatternAndGroup(Key pattern, ByteString group) implements Comparable<PatternAndGroup> {
    /** Longer than any line of a client protocol. */
    private static final int MAX_BYTES = 1 << 20;

    void write(DataOutput out) throws IOException {
        out.writeUTF(pattern.namespace().name());
        write(pattern.bytes(), out);
        write(group.bytes(), out);
    }

    static PatternAndGroup read(DataInput in) throws IOException {
        Namespace namespace = new Namespace(in.readUTF());
        Key pattern = Key.of(namespace, readBytes(in));
        return new PatternAndGroup(pattern, ByteString.of(readBytes(in)));
    }

    private static void write(byte[] bytes, DataOutput out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_BYTES) {
            throw new IOException("a pattern or group of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    @Override
    public int compareTo(PatternAndGroup that) {
        int order = pattern.compareTo(that.pattern);
        return order != 0 ? order : group.compareTo(that.group);
    }
}
