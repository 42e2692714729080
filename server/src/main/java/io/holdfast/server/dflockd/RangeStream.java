package io.holdfast.server.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.server.connection.AnswerStream;
import io.holdfast.server.connection.Budget;
import io.netty.channel.ChannelHandlerContext;

import java.util.List;

/** Writes many items of a list. */
final class RangeStream extends AnswerStream {
    /** A shorter range is written at once. */
    static final int LONG = 64;

    /** What a copied list takes for each item; the items themselves are those of the list. */
    private static final long REFERENCE_BYTES = 8;

    private final List<ByteString> items;
    private final Budget budget;

    RangeStream(ChannelHandlerContext ctx, List<ByteString> items, Writer writer, Budget budget) {
        super(ctx, writer);
        this.items = items;
        this.budget = budget;
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
        budget.giveBack(bytes(items));
    }
}
