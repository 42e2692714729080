package io.holdfast.server.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.server.connection.ByteBudget;
import io.holdfast.server.connection.StreamedResponse;
import io.netty.channel.ChannelHandlerContext;

import java.util.List;

/** Writes many items of a list. */
final class RangeStream extends StreamedResponse {
    /** A shorter range is written at once. */
    static final int STREAM_THRESHOLD = 64;

    /** What a copied list takes for each item; the items themselves are those of the list. */
    private static final long REFERENCE_BYTES = 8;

    private final List<ByteString> items;
    private final ByteBudget byteBudget;

    RangeStream(
            ChannelHandlerContext ctx,
            List<ByteString> items,
            Writer writer,
            ByteBudget byteBudget) {
        super(ctx, writer);
        this.items = items;
        this.byteBudget = byteBudget;
    }

    /** What the budget must have for it. */
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
