package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Runs before the acceptor of a listener: closes connections beyond the limits at once, before any
 * TLS handshake, and pauses accepting when it fails, with exponential backoff.
 */
final class AcceptHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptHandler.class);
    private static final LogThrottle REFUSALS = new LogThrottle();
    private static final LogThrottle FAILURES = new LogThrottle();
    private static final long MIN_PAUSE_MILLIS = 5;
    private static final long MAX_PAUSE_MILLIS = 1000;

    private final ConnectionGate gate;
    private final FixedSizeMemoryBudget memoryBudget;

    /** Units of memory budget that a connection reserves, beyond the one that the gate reserves. */
    private final int units;

    /** Whether clients have addresses: false on a Unix socket. */
    private final boolean addressed;

    private long pauseMillis = MIN_PAUSE_MILLIS;

    AcceptHandler(ConnectionGate gate) {
        this(gate, () -> true, 0, true);
    }

    AcceptHandler(
            ConnectionGate gate,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            int units,
            boolean addressed) {
        this.gate = gate;
        this.memoryBudget = fixedSizeMemoryBudget;
        this.units = units;
        this.addressed = addressed;
    }

    private boolean enter(@Nullable InetAddress address) {
        if (!gate.enter(address)) {
            return false;
        }
        for (int reserved = 0; reserved < units; reserved++) {
            if (!memoryBudget.tryReserve()) {
                leave(address, reserved);
                return false;
            }
        }
        return true;
    }

    private void leave(@Nullable InetAddress address, int reserved) {
        for (int i = 0; i < reserved; i++) {
            memoryBudget.release();
        }
        gate.leave(address);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        pauseMillis = MIN_PAUSE_MILLIS;
        Channel connection = (Channel) message;
        InetAddress address = null;
        if (connection.remoteAddress() instanceof InetSocketAddress remote) {
            address = remote.getAddress();
        } else if (addressed) {
            connection.unsafe().closeForcibly(); // already closed
            return;
        }
        InetAddress from = address;
        if (!enter(from)) {
            REFUSALS.next(LOG.atWarn())
                    .addKeyValue("remote", from == null ? "unix" : from.getHostAddress())
                    .log(
                            "connection rejected: the limit of --max-connections,"
                                    + " --max-connections-per-ip or memory is reached");
            connection.unsafe().closeForcibly();
            return;
        }
        connection.closeFuture().addListener(closed -> leave(from, units));
        ctx.fireChannelRead(connection);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!ctx.channel().config().isAutoRead()) {
            return; // still paused for an earlier failure
        }
        FAILURES.next(LOG.atWarn())
                .addKeyValue("error", FailureText.of(cause))
                .addKeyValue("pause_ms", pauseMillis)
                .log("cannot accept connections; pausing");
        ctx.channel().config().setAutoRead(false);
        ctx.executor()
                .schedule(
                        () -> ctx.channel().config().setAutoRead(true),
                        pauseMillis,
                        TimeUnit.MILLISECONDS);
        pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
    }
}
