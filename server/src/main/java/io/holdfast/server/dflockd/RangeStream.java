package io.holdfast.server.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.server.connection.ByteBudget;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.StreamedResponse;

import java.util.List;

/** Streams a long response to a list range. */
final class RangeStream extends StreamedResponse {
    /** A range of up to this many items is written at once. */
    static final int STREAM_THRESHOLD = 64;

    /** Memory per item of the copied list; the items themselves are shared with the original. */
    private static final long REFERENCE_BYTES = 8;

    private final List<ByteString> items;
    private final ByteBudget byteBudget;

    RangeStream(Connection<?> connection, List<ByteString> items, ByteBudget byteBudget) {
        super(connection);
        this.items = items;
        this.byteBudget = byteBudget;
    }

    /** Bytes to reserve in the budget. */
    static long bytes(List<ByteString> items) {
        return items.size() * REFERENCE_BYTES;
    }

    @Override
    protected boolean writeAll() {
        DflockdEncoder.beginItems(out());
        boolean first = true;
        for (ByteString item : items) {
            DflockdEncoder.item(item, first, out());
            first = false;
            if (!sendIfLong()) {
                return false;
            }
        }
        DflockdEncoder.endItems(out());
        return true;
    }

    @Override
    protected void ended() {
        byteBudget.release(bytes(items));
    }
}
