package io.holdfast.server.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.netty.channel.ChannelHandlerContext;

import java.util.List;

/** Writes many items of a list. */
final class RangeStream extends AnswerStream {
    private final List<ByteString> items;
    private final Runnable onEnd;

    RangeStream(ChannelHandlerContext ctx, List<ByteString> items, Writer writer, Runnable onEnd) {
        super(ctx, writer);
        this.items = items;
        this.onEnd = onEnd;
    }

    @Override
    boolean writeAll() {
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
    void ended() {
        onEnd.run();
    }
}
