package io.holdfast.server.dflockd;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.holdfast.protocol.dflockd.TaggedEncoder;
import io.holdfast.server.connection.Connection;
import io.netty.buffer.ByteBuf;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/**
 * Writes the responses of one connection; in tagged mode each begins with the number of its
 * request. Confined to the event loop.
 */
final class DflockdResponses {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdResponses.class);

    private final Connection<?> connection;
    private final DflockdService service;
    private final boolean tagged;

    DflockdResponses(Connection<?> connection, DflockdService service, boolean tagged) {
        this.connection = connection;
        this.service = service;
        this.tagged = tagged;
    }

    /** The buffer for the response to the request with this number. */
    ByteBuf begin(long number) {
        ByteBuf out = connection.out();
        if (tagged) {
            TaggedEncoder.tag(number, out);
        }
        return out;
    }

    void refuse(long number, String reason) {
        LOG.atDebug()
                .addKeyValue("conn", connection.session().id())
                .addKeyValue("reason", reason)
                .log("request refused");
        DflockdEncoder.error(begin(number));
    }

    /** Writes the result of a command. */
    void result(Command.Keyed command, Effect effect) {
        long number = command.request();
        switch (effect) {
            case Effect.Granted granted when command instanceof Command.Enqueue ->
                    DflockdEncoder.acquired(granted.token(), granted.leaseNanos(), begin(number));
            case Effect.Granted granted ->
                    DflockdEncoder.granted(granted.token(), granted.leaseNanos(), begin(number));
            case Effect.Queued _ -> DflockdEncoder.queued(begin(number));
            case Effect.Released _ -> DflockdEncoder.ok(begin(number));
            case Effect.Renewed renewed ->
                    DflockdEncoder.renewed(renewed.leaseNanos(), begin(number));
            case Effect.TimedOut _ -> DflockdEncoder.timeout(begin(number));
            case Effect.Cancelled _ -> DflockdEncoder.error(begin(number));
            case Effect.Changed _ -> DflockdEncoder.ok(begin(number));
            case Effect.Counted counted -> DflockdEncoder.number(counted.value(), begin(number));
            case Effect.Found found -> DflockdEncoder.value(found.value(), begin(number));
            case Effect.Absent _ -> DflockdEncoder.nil(begin(number));
            case Effect.Items items -> items(number, items.items());
            case Effect.Refused refused -> DflockdEncoder.refused(refused.reason(), begin(number));
            case Effect.TryAcquired _,
                    Effect.Inspected _,
                    Effect.Orphaned _,
                    Effect.Offered _,
                    Effect.OfferExpired _,
                    Effect.Expired _,
                    Effect.Revoked _,
                    Effect.ForceReleased _,
                    Effect.StatusReport _ ->
                    throw new IllegalStateException(
                            "unexpected effect for a dflockd request: " + effect);
        }
    }

    private void items(long number, List<ByteString> items) {
        if (items.size() > RangeStream.STREAM_THRESHOLD) {
            stream(number, items);
            return;
        }
        connection.cost(items.size());
        ByteBuf out = begin(number);
        DflockdEncoder.beginItems(out);
        for (int i = 0; i < items.size(); i++) {
            DflockdEncoder.item(items.get(i), i == 0, out);
        }
        DflockdEncoder.endItems(out);
    }

    private void stream(long number, List<ByteString> items) {
        if (service.ranges.tryReserve(RangeStream.bytes(items))) {
            ByteBuf _ = begin(number);
            connection.stream(new RangeStream(connection, items, service.ranges));
        } else {
            DflockdEncoder.error(begin(number));
        }
    }
}
