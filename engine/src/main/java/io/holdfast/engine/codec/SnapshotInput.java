package io.holdfast.engine.codec;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.time.Deadline;
import io.holdfast.engine.time.Deadlines;

import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads what {@link SnapshotOutput} wrote. Whatever lengths the input contains, it does not
 * allocate much more memory than the bytes read so far.
 */
public final class SnapshotInput {
    private static final int PIECE = 1 << 16;
    private static final int LAST_SHIFT = 63;

    private final DataInput in;

    /** Namespaces by name, so that the keys of one namespace share the object. */
    private final Map<String, Namespace> namespaces = new HashMap<>();

    public SnapshotInput(DataInput in) {
        this.in = in;
        namespaces.put(Namespace.DEFAULT.name(), Namespace.DEFAULT);
    }

    public static IOException malformed(String what) {
        return new IOException("malformed engine state: " + what);
    }

    public static void check(boolean valid, String what) throws IOException {
        if (!valid) {
            throw malformed(what);
        }
    }

    public long number() throws IOException {
        long value = 0;
        for (int shift = 0; shift <= LAST_SHIFT; shift += 7) {
            int piece = in.readUnsignedByte();
            value |= (piece & 0x7FL) << shift;
            if (piece < 0x80) {
                return value;
            }
        }
        throw malformed("a number of more than 64 bits");
    }

    /** The number of elements that follow. */
    public int count() throws IOException {
        long value = number();
        check(value >= 0 && value <= Integer.MAX_VALUE, "a count of " + value);
        return (int) value;
    }

    /** A number from 0 to {@code count - 1}. */
    public int choice(int count) throws IOException {
        long value = number();
        check(value >= 0 && value < count, "choice " + value + " of " + count);
        return (int) value;
    }

    public long fixed() throws IOException {
        return in.readLong();
    }

    public boolean flag() throws IOException {
        return choice(2) == 1;
    }

    public byte[] bytes() throws IOException {
        int length = count();
        byte[] value = new byte[Math.min(length, PIECE)];
        int read = 0;
        while (true) {
            in.readFully(value, read, value.length - read);
            read = value.length;
            if (read == length) {
                return value;
            }
            value = Arrays.copyOf(value, (int) Math.min(length, 2L * read));
        }
    }

    public Key key() throws IOException {
        Namespace namespace = namespace();
        return Key.of(namespace, bytes());
    }

    private Namespace namespace() throws IOException {
        int length = count();
        if (length == 0) {
            return Namespace.DEFAULT;
        }
        var name = new StringBuilder();
        for (int i = 0; i < length; i++) {
            name.append((char) choice(Character.MAX_VALUE + 1));
        }
        return namespaces.computeIfAbsent(name.toString(), Namespace::new);
    }

    public <D extends Deadline> void deadline(D entry, Deadlines<? super D> all)
            throws IOException {
        if (flag()) {
            long time = fixed();
            long sequence = number();
            check(
                    time != Long.MAX_VALUE && sequence > 0 && sequence <= all.lastSequence(),
                    "a deadline out of order, " + sequence);
            all.restore(entry, time, sequence);
        }
    }

    public void deadlines(Deadlines<?> all) throws IOException {
        long lastSequence = number();
        check(lastSequence >= 0, "a last deadline of " + lastSequence);
        all.restore(lastSequence, fixed());
    }
}
