package io.holdfast.cluster.check;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A node reports the hash of its state to another one.
 *
 * @param index of the entry after which the state was hashed
 * @param version of the hash; others are not comparable
 * @param wanted whether the sender does not have the hash of the receiver yet
 */
public record StateHashMessage(long index, int version, long hash, boolean wanted) {
    private static final int LENGTH = 2 * Long.BYTES + Integer.BYTES + 1;

    public byte[] toBytes() {
        return ByteBuffer.allocate(LENGTH)
                .putLong(index)
                .putInt(version)
                .putLong(hash)
                .put((byte) (wanted ? 1 : 0))
                .array();
    }

    /**
     * Parses what {@link #toBytes} wrote; later versions may add fields at the end.
     *
     * @throws IOException if it is too short
     */
    public static StateHashMessage of(byte[] bytes) throws IOException {
        if (bytes.length < LENGTH) {
            throw new IOException("the hash of a state has only " + bytes.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new StateHashMessage(in.getLong(), in.getInt(), in.getLong(), in.get() != 0);
    }
}
