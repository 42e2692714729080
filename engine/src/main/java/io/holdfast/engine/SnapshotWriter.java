package io.holdfast.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Collects numbers and byte strings in a buffer that grows. */
final class SnapshotWriter {
    private ByteBuffer buffer = ByteBuffer.allocate(1024);

    void number(long value) {
        ensureCapacity(Long.BYTES).putLong(value);
    }

    void bytes(byte[] value) {
        number(value.length);
        ensureCapacity(value.length).put(value);
    }

    void text(String value) {
        bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    byte[] toBytes() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private ByteBuffer ensureCapacity(int bytes) {
        if (buffer.remaining() < bytes) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
            buffer =
                    ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity))
                            .position(buffer.position());
        }
        return buffer;
    }
}
