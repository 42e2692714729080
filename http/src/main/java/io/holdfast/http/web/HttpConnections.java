package io.holdfast.http.web;

import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.FixedSizeMemoryBudget;
import io.holdfast.driver.LogThrottle;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;
import io.vertx.core.net.impl.ConnectionBase;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The connections there are: not too many from one address, and none that says nothing for too
 * long. Belongs to the event loop. A connection is known here when its TLS handshake is over; those
 * that do not come so far end by the time limit of the handshake.
 */
public final class HttpConnections {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);
    private static final LogThrottle REFUSALS = new LogThrottle();
    private static final long HEAD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long CHECK_INTERVAL_MILLIS = 1_000;

    /** Who was answered before its request was read may send the rest of it, in vain. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long MAX_LINGER_BYTES = 8L << 20;

    /** How much a client may send ahead while it waits for an answer. */
    private static final int MAX_READ_AHEAD_BYTES = 16 * 1024;

    /** What a connection needs in memory, as connections of other protocols count themselves. */
    private static final int PLAIN_PIECES = 8;

    private static final int TLS_PIECES = 32;

    private final Authenticator authenticator;
    private final FixedSizeMemoryBudget memoryBudget;
    private final Http1ServerConfig limits;
    private final int mostPerAddress;
    private final long mostBytes;
    private final Map<HttpConnection, Watched> open = new HashMap<>();
    private final Map<String, Integer> perAddress = new HashMap<>();

    /** Of heads that have only come in part, and of what was sent ahead. */
    private long allBytes;

    /**
     * No connections yet.
     *
     * @param limits of requests
     * @param mostPerAddress 0 for any number
     */
    public HttpConnections(
            Authenticator authenticator,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            Http1ServerConfig limits,
            int mostPerAddress) {
        this.authenticator = authenticator;
        this.memoryBudget = fixedSizeMemoryBudget;
        this.limits = limits;
        this.mostPerAddress = mostPerAddress;
        this.mostBytes = Runtime.getRuntime().maxMemory() / 16;
    }

    /** Begins to close those that say nothing. */
    public void start(Vertx vertx) {
        vertx.setPeriodic(CHECK_INTERVAL_MILLIS, _ -> closeSilent());
    }

    /** Takes a new connection, or closes it. */
    public void enter(HttpConnection connection) {
        String host = connection.remoteAddress().hostAddress();
        String address = host == null ? "" : host;
        int pieces = connection.isSsl() ? TLS_PIECES : PLAIN_PIECES;
        boolean many = mostPerAddress > 0 && perAddress.getOrDefault(address, 0) >= mostPerAddress;
        if (many || !reservePieces(pieces)) {
            REFUSALS.next(LOG.atWarn())
                    .addKeyValue("remote", address)
                    .log(
                            "HTTP connection refused: --http-max-connections-per-ip or memory is"
                                    + " reached");
            connection.close();
            return;
        }
        perAddress.merge(address, 1, Integer::sum);
        Watched watched = new Watched(authenticator.credentials());
        open.put(connection, watched);
        if (connection instanceof ConnectionBase base) {
            ChannelPipeline pipeline = base.channel().pipeline();
            pipeline.addFirst(watched);
            pipeline.replace(VertxHttpRequestDecoder.class, null, new StrictRequestDecoder(limits));
        }
        connection.closeHandler(_ -> leave(connection, address, pieces));
    }

    private boolean reservePieces(int pieces) {
        for (int taken = 0; taken < pieces; taken++) {
            if (!memoryBudget.tryReserve()) {
                releasePieces(taken);
                return false;
            }
        }
        return true;
    }

    private void releasePieces(int pieces) {
        for (int i = 0; i < pieces; i++) {
            memoryBudget.release();
        }
    }

    private void leave(HttpConnection connection, String address, int pieces) {
        open.remove(connection);
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        releasePieces(pieces);
    }

    /** Who sent a request; null if it has to show that and did not. */
    @Nullable AccessRole roleOf(HttpServerRequest request) {
        Watched watched = open.get(request.connection());
        return authenticator.roleOf(
                request, watched == null ? authenticator.credentials() : watched.credentials);
    }

    /** What a connection has, over all its requests. */
    ClientUsage usage(HttpConnection connection) {
        Watched watched = open.get(connection);
        return watched == null ? new ClientUsage() : watched.usage;
    }

    /** A request has begun: its head is there. False if nothing more is served there. */
    boolean began(HttpConnection connection) {
        Watched watched = open.get(connection);
        return watched == null || watched.began();
    }

    /** Remembers whether the last secret that came over a connection was right. */
    void trust(HttpConnection connection, boolean right) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.trusted = right;
        }
    }

    boolean isTrusted(HttpConnection connection) {
        Watched watched = open.get(connection);
        return watched != null && watched.trusted;
    }

    /** A request is there in full: nothing of the next is wanted before it is answered. */
    void read(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.hold();
        }
    }

    /** A request has been answered. */
    void answered(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.answered();
        }
    }

    /**
     * A request is answered before it was read, and nothing more will be: what still comes is
     * thrown away for a while, so that the client gets to read the answer.
     *
     * @param written when the answer has been sent
     */
    void end(HttpConnection connection, Future<Void> written) {
        Watched watched = open.get(connection);
        if (watched == null) {
            written.onComplete(_ -> connection.close());
        } else {
            watched.linger();
            written.onComplete(_ -> watched.shutOutput());
        }
    }

    /** Closes a connection at once, even if its client takes nothing. */
    void reset(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched == null) {
            connection.close();
        } else {
            watched.sendAway();
        }
    }

    private void closeSilent() {
        long now = System.nanoTime();
        for (Map.Entry<HttpConnection, Watched> each : List.copyOf(open.entrySet())) {
            Watched watched = each.getValue();
            if (!watched.isSilent(now)) {
                continue;
            }
            if (watched.ending || watched.dismissed) {
                watched.sendAway();
            } else {
                watched.dismissed = true; // it closes when all is written, if its client reads
                each.getKey().close();
            }
        }
    }

    /** Sends those away that take most, not those that come last. */
    private void keepWithinBudget() {
        while (allBytes > mostBytes) {
            Optional<Watched> greatest =
                    open.values().stream().max(Comparator.comparingLong(Watched::bytes));
            if (greatest.isEmpty() || greatest.get().bytes() == 0) {
                return;
            }
            greatest.get().sendAway();
        }
    }

    /**
     * Sees what a client sends before anybody else does. While a request is under way it keeps what
     * comes after it, and goes on reading: so it is noticed if the client goes away.
     */
    private final class Watched extends ChannelInboundHandlerAdapter {
        /** What clients had to know when it began. */
        private final Authenticator.Credentials credentials;

        private final ClientUsage usage = new ClientUsage();
        private @Nullable ByteBuf ahead;
        private @Nullable ChannelHandlerContext context;
        private long headBytes;
        private long lingerBytes;
        private int underWay;
        private boolean holds;
        private boolean ending;
        private boolean dismissed;
        private boolean trusted;
        private boolean waitsForHead = true;
        private long deadline = System.nanoTime() + HEAD_NANOS;

        Watched(Authenticator.Credentials credentials) {
            this.credentials = credentials;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (ending) {
                lingerBytes += lengthOf(message);
                ReferenceCountUtil.release(message);
                if (lingerBytes > MAX_LINGER_BYTES) {
                    ctx.close();
                }
            } else if (message instanceof ByteBuf bytes && (holds || ahead != null)) {
                keep(bytes);
            } else {
                pass(ctx, message);
            }
        }

        private void pass(ChannelHandlerContext ctx, Object message) {
            if (underWay == 0) {
                if (!waitsForHead) {
                    waitsForHead = true;
                    deadline = System.nanoTime() + HEAD_NANOS;
                }
                headBytes += lengthOf(message);
                allBytes += lengthOf(message);
                keepWithinBudget();
                if (ending) {
                    ReferenceCountUtil.release(message);
                    return;
                }
            }
            ctx.fireChannelRead(message);
        }

        private static int lengthOf(Object message) {
            return message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        }

        /** What is kept for it that nobody serves yet. */
        long bytes() {
            return headBytes + (ahead == null ? 0 : ahead.readableBytes());
        }

        private void forgetHead() {
            allBytes -= headBytes;
            headBytes = 0;
        }

        private void forgetAhead() {
            ByteBuf kept = ahead;
            if (kept != null) {
                allBytes -= kept.readableBytes();
                ahead = null;
                kept.release();
            }
        }

        /** In one piece: many small ones would take far more than their bytes. */
        private void keep(ByteBuf bytes) {
            ByteBuf kept = ahead == null ? Unpooled.buffer(bytes.readableBytes()) : ahead;
            ahead = kept;
            int length = bytes.readableBytes();
            if (kept.readableBytes() + length > MAX_READ_AHEAD_BYTES) {
                bytes.release();
                sendAway();
                return;
            }
            kept.writeBytes(bytes);
            bytes.release();
            allBytes += length;
            keepWithinBudget();
        }

        private void sendAway() {
            ending = true;
            forgetHead();
            forgetAhead();
            if (context != null) {
                context.close();
            }
        }

        /** False if nothing more is served here. */
        boolean began() {
            if (ending) {
                return false;
            }
            underWay++;
            waitsForHead = false;
            forgetHead();
            return true;
        }

        void hold() {
            ChannelHandlerContext ctx = context;
            if (ctx == null) {
                return;
            }
            holds = true;
            readOn(ctx.channel(), () -> holds);
        }

        /** Those after us stop reading when they have enough; that happens before this does. */
        private static void readOn(Channel channel, BooleanSupplier still) {
            channel.eventLoop()
                    .execute(
                            () -> {
                                if (still.getAsBoolean()) {
                                    channel.config().setAutoRead(true);
                                }
                            });
        }

        void linger() {
            ending = true;
            deadline = System.nanoTime() + LINGER_NANOS;
            forgetHead();
            forgetAhead();
            if (context != null) {
                readOn(context.channel(), () -> true);
            }
        }

        void shutOutput() {
            if (context == null) {
                return;
            }
            Channel channel = context.channel();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                shutOutput(channel);
            } else {
                tls.closeOutbound().addListener(_ -> shutOutput(channel));
            }
        }

        private static void shutOutput(Channel channel) {
            if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            } else {
                channel.close();
            }
        }

        void answered() {
            underWay--;
            holds = false;
            if (ending) {
                return;
            }
            deadline = System.nanoTime() + IDLE_NANOS;
            if (ahead != null && context != null) {
                context.channel().eventLoop().execute(this::passOn);
            }
        }

        private void passOn() {
            ChannelHandlerContext ctx = context;
            ByteBuf kept = ahead;
            if (ctx != null && kept != null && !holds) {
                allBytes -= kept.readableBytes();
                ahead = null;
                pass(ctx, kept);
                ctx.fireChannelReadComplete();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            ending = true;
            forgetHead();
            forgetAhead();
            ctx.fireChannelInactive();
        }

        boolean isSilent(long now) {
            return (ending || underWay == 0) && now - deadline > 0;
        }
    }
}
