package io.holdfast.server.dflockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.ValueView;
import io.holdfast.protocol.dflockd.DflockdStats;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.StreamedResponse;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Streams the response to {@code stats}. */
final class StatsStream extends StreamedResponse {
    private final DflockdService service;
    private final Namespace namespace;
    private final DflockdStats stats = new DflockdStats();

    StatsStream(Connection<?> connection, DflockdService service, Namespace namespace) {
        super(connection);
        this.service = service;
        this.namespace = namespace;
    }

    @Override
    protected boolean writeAll() {
        stats.begin(service.openConnections(), out());
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
        Driver driver = service.driver();
        return switch (part) {
            case LOCKS, SEMAPHORES ->
                    write(
                            driver.queries().listInUse(),
                            ResourceView::key,
                            view -> stats.write(part, view, out()));
            case IDLE_LOCKS, IDLE_SEMAPHORES ->
                    write(
                            driver.queries().listIdle(),
                            ResourceView::key,
                            view -> stats.write(part, view, out()));
            case COUNTERS ->
                    write(
                            driver.queries().listCounters(),
                            CounterView::key,
                            view -> stats.write(view, out()));
            case VALUES ->
                    write(
                            driver.queries().listValues(),
                            ValueView::key,
                            view -> stats.write(view, out()));
            case LISTS ->
                    write(
                            driver.queries().listLists(),
                            ListView::key,
                            view -> stats.write(view, out()));
            case SIGNAL_CHANNELS ->
                    write(driver.signals().list(), ChannelView::pattern, this::write);
        };
    }

    private void write(ChannelView view) {
        stats.writeChannel(view.pattern(), view.group(), view.listeners(), out());
    }

    private <T> boolean write(ScanCursor<T> all, Function<T, Key> keyOf, Consumer<T> writer) {
        try (ScanCursor<T> scanCursor = all) {
            for (List<T> slice = scanCursor.next(); !slice.isEmpty(); slice = scanCursor.next()) {
                for (T view : slice) {
                    if (keyOf.apply(view).namespace().equals(namespace)) {
                        writer.accept(view);
                    }
                }
                if (!sendIfLong()) {
                    return false;
                }
            }
            return true;
        }
    }
}
