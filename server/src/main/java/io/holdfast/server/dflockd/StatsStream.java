package io.holdfast.server.dflockd;

import io.holdfast.driver.Slices;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.engine.CounterView;
import io.holdfast.engine.ListView;
import io.holdfast.engine.ResourceView;
import io.holdfast.engine.ValueView;
import io.holdfast.protocol.dflockd.DflockdStats;
import io.netty.channel.ChannelHandlerContext;

import java.util.List;
import java.util.function.Consumer;

/** Writes the answer to {@code stats}. */
final class StatsStream extends AnswerStream {
    private final DflockdService service;
    private final DflockdStats stats = new DflockdStats();

    StatsStream(ChannelHandlerContext ctx, DflockdService service, Writer writer) {
        super(ctx, writer);
        this.service = service;
    }

    @Override
    boolean writeAll() {
        stats.begin(service.driver.openSessions(), out());
        for (DflockdStats.Part part : DflockdStats.Part.values()) {
            stats.begin(part, out());
            if (!write(part)) {
                return false;
            }
            stats.end(part, out());
        }
        stats.end(out());
        return true;
    }

    private boolean write(DflockdStats.Part part) {
        return switch (part) {
            case LOCKS, SEMAPHORES -> write(service.driver.listInUse(), view -> write(part, view));
            case IDLE_LOCKS, IDLE_SEMAPHORES ->
                    write(service.driver.listIdle(), view -> write(part, view));
            case COUNTERS ->
                    write(service.driver.listCounters(), (CounterView v) -> stats.write(v, out()));
            case VALUES ->
                    write(service.driver.listValues(), (ValueView v) -> stats.write(v, out()));
            case LISTS -> write(service.driver.listLists(), (ListView v) -> stats.write(v, out()));
            case SIGNAL_CHANNELS -> write(service.hub.list(), this::write);
        };
    }

    private void write(DflockdStats.Part part, ResourceView view) {
        stats.write(part, view, out());
    }

    private void write(ChannelView view) {
        if (view.pattern().namespace().equals(service.namespace)) {
            stats.writeChannel(view.pattern(), view.group(), view.listeners(), out());
        }
    }

    private <T> boolean write(Slices<T> all, Consumer<T> writer) {
        try (Slices<T> slices = all) {
            for (List<T> slice = slices.next(); !slice.isEmpty(); slice = slices.next()) {
                slice.forEach(writer);
                if (!sendIfLong()) {
                    return false;
                }
            }
            return true;
        }
    }
}
