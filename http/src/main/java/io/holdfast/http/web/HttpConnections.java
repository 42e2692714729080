package io.holdfast.http.web;

import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
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
 * The open connections: limits their number per client address, closes idle ones, and bounds the
 * memory for input. Belongs to the event loop. A connection is added when its TLS handshake is
 * done; until then only the timeout of the handshake limits it.
 */
public final class HttpConnections {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnections.class);
    private static final LogThrottle REFUSALS = new LogThrottle();
    private static final long HEAD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long CHECK_INTERVAL_MILLIS = 1_000;

    /**
     * How long a client may continue to send a request that was answered before it was read; the
     * input is discarded.
     */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long MAX_LINGER_BYTES = 8L << 20;

    /** Maximum pipelined input, in bytes, while a request is in flight. */
    private static final int MAX_READ_AHEAD_BYTES = 16 * 1024;

    /**
     * Memory of a connection in units of the connection budget, as the other protocols count it.
     */
    private static final int PLAIN_UNITS = 8;

    private static final int TLS_UNITS = 32;

    private final Authenticator authenticator;
    private final FixedSizeMemoryBudget memoryBudget;
    private final Http1ServerConfig limits;
    private final int maxPerAddress;
    private final long maxBytes;
    private final Map<HttpConnection, Watched> open = new HashMap<>();
    private final Map<String, Integer> perAddress = new HashMap<>();

    /** Total size of incomplete request heads and of pipelined input. */
    private long allBytes;

    /**
     * @param limits of requests
     * @param maxPerAddress the maximum number of connections of one client address; 0 = unlimited
     */
    public HttpConnections(
            Authenticator authenticator,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            Http1ServerConfig limits,
            int maxPerAddress) {
        this.authenticator = authenticator;
        this.memoryBudget = fixedSizeMemoryBudget;
        this.limits = limits;
        this.maxPerAddress = maxPerAddress;
        this.maxBytes = Runtime.getRuntime().maxMemory() / 16;
    }

    /** Starts the periodic check for idle connections. */
    public void start(Vertx vertx) {
        vertx.setPeriodic(CHECK_INTERVAL_MILLIS, _ -> closeIdle());
    }

    /** Registers a new connection, or closes it if a limit is reached. */
    public void enter(HttpConnection connection) {
        String host = connection.remoteAddress().hostAddress();
        String address = host == null ? "" : host;
        int units = connection.isSsl() ? TLS_UNITS : PLAIN_UNITS;
        boolean tooMany = maxPerAddress > 0 && perAddress.getOrDefault(address, 0) >= maxPerAddress;
        if (tooMany || !reserveUnits(units)) {
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
        connection.closeHandler(_ -> leave(connection, address, units));
    }

    private boolean reserveUnits(int units) {
        for (int taken = 0; taken < units; taken++) {
            if (!memoryBudget.tryReserve()) {
                releaseUnits(taken);
                return false;
            }
        }
        return true;
    }

    private void releaseUnits(int units) {
        for (int i = 0; i < units; i++) {
            memoryBudget.release();
        }
    }

    private void leave(HttpConnection connection, String address, int units) {
        open.remove(connection);
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        releaseUnits(units);
    }

    /** The role of the client that sent a request; null if it did not authenticate. */
    @Nullable AccessRole roleOf(HttpServerRequest request) {
        Watched watched = open.get(request.connection());
        return authenticator.roleOf(
                request, watched == null ? authenticator.credentials() : watched.credentials);
    }

    /** The usage of a connection, counted over all its requests. */
    ClientUsage usage(HttpConnection connection) {
        Watched watched = open.get(connection);
        return watched == null ? new ClientUsage() : watched.usage;
    }

    /**
     * Called when the head of a request has arrived. Returns false if the connection is closing and
     * serves no more requests.
     */
    boolean began(HttpConnection connection) {
        Watched watched = open.get(connection);
        return watched == null || watched.began();
    }

    /** Stores whether the last secret that was sent over a connection was right. */
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

    /**
     * Called when a request was read completely: further input is buffered until the request is
     * completed.
     */
    void read(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.bufferInput();
        }
    }

    /** Called when a request is completed. */
    void completed(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.completed();
        }
    }

    /**
     * Ends a connection whose request was answered before it was read. Further input is discarded
     * for a while, so that the client gets to read the response.
     *
     * @param written completes when the response was sent
     */
    void end(HttpConnection connection, Future<Void> written) {
        Watched watched = open.get(connection);
        if (watched == null) {
            written.onComplete(_ -> connection.close());
        } else {
            watched.linger();
            written.onComplete(_ -> watched.shutdownOutput());
        }
    }

    /** Closes a connection at once, even if its client does not read. */
    void reset(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched == null) {
            connection.close();
        } else {
            watched.closeNow();
        }
    }

    private void closeIdle() {
        long now = System.nanoTime();
        for (Map.Entry<HttpConnection, Watched> each : List.copyOf(open.entrySet())) {
            Watched watched = each.getValue();
            if (!watched.isOverdue(now)) {
                continue;
            }
            if (watched.ending || watched.closeRequested) {
                watched.closeNow();
            } else {
                watched.closeRequested =
                        true; // it closes when all output is written, if its client reads
                each.getKey().close();
            }
        }
    }

    /** Closes the connections that use the most memory, not the latest ones. */
    private void keepWithinBudget() {
        while (allBytes > maxBytes) {
            Optional<Watched> largest =
                    open.values().stream().max(Comparator.comparingLong(Watched::bytes));
            if (largest.isEmpty() || largest.get().bytes() == 0) {
                return;
            }
            largest.get().closeNow();
        }
    }

    /**
     * The first handler of the pipeline. While a request is in flight it buffers further input and
     * continues to read, so that a disconnect of the client is noticed.
     */
    private final class Watched extends ChannelInboundHandlerAdapter {
        /** The tokens when the connection was opened. */
        private final Authenticator.Credentials credentials;

        private final ClientUsage usage = new ClientUsage();
        private @Nullable ByteBuf ahead;
        private @Nullable ChannelHandlerContext context;
        private long headBytes;
        private long lingerBytes;
        private int inFlight;
        private boolean buffering;
        private boolean ending;
        private boolean closeRequested;
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
            } else if (message instanceof ByteBuf bytes && (buffering || ahead != null)) {
                buffer(bytes);
            } else {
                pass(ctx, message);
            }
        }

        private void pass(ChannelHandlerContext ctx, Object message) {
            if (inFlight == 0) {
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

        /** Size of the input that is buffered for the connection and not served yet. */
        long bytes() {
            return headBytes + (ahead == null ? 0 : ahead.readableBytes());
        }

        private void releaseHead() {
            allBytes -= headBytes;
            headBytes = 0;
        }

        private void releaseAhead() {
            ByteBuf buffered = ahead;
            if (buffered != null) {
                allBytes -= buffered.readableBytes();
                ahead = null;
                buffered.release();
            }
        }

        /**
         * Copies the input into one buffer: many small buffers would use far more memory than their
         * content.
         */
        private void buffer(ByteBuf bytes) {
            ByteBuf buffered = ahead == null ? Unpooled.buffer(bytes.readableBytes()) : ahead;
            ahead = buffered;
            int length = bytes.readableBytes();
            if (buffered.readableBytes() + length > MAX_READ_AHEAD_BYTES) {
                bytes.release();
                closeNow();
                return;
            }
            buffered.writeBytes(bytes);
            bytes.release();
            allBytes += length;
            keepWithinBudget();
        }

        private void closeNow() {
            ending = true;
            releaseHead();
            releaseAhead();
            if (context != null) {
                context.close();
            }
        }

        /** Returns false if the connection serves no more requests. */
        boolean began() {
            if (ending) {
                return false;
            }
            inFlight++;
            waitsForHead = false;
            releaseHead();
            return true;
        }

        void bufferInput() {
            ChannelHandlerContext ctx = context;
            if (ctx == null) {
                return;
            }
            buffering = true;
            continueReading(ctx.channel(), () -> buffering);
        }

        /**
         * Later handlers of the pipeline may stop reading when they have enough; they do so before
         * this task runs.
         */
        private static void continueReading(Channel channel, BooleanSupplier still) {
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
            releaseHead();
            releaseAhead();
            if (context != null) {
                continueReading(context.channel(), () -> true);
            }
        }

        void shutdownOutput() {
            if (context == null) {
                return;
            }
            Channel channel = context.channel();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                shutdownOutput(channel);
            } else {
                tls.closeOutbound().addListener(_ -> shutdownOutput(channel));
            }
        }

        private static void shutdownOutput(Channel channel) {
            if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            } else {
                channel.close();
            }
        }

        void completed() {
            inFlight--;
            buffering = false;
            if (ending) {
                return;
            }
            deadline = System.nanoTime() + IDLE_NANOS;
            if (ahead != null && context != null) {
                context.channel().eventLoop().execute(this::passBuffered);
            }
        }

        private void passBuffered() {
            ChannelHandlerContext ctx = context;
            ByteBuf buffered = ahead;
            if (ctx != null && buffered != null && !buffering) {
                allBytes -= buffered.readableBytes();
                ahead = null;
                pass(ctx, buffered);
                ctx.fireChannelReadComplete();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            ending = true;
            releaseHead();
            releaseAhead();
            ctx.fireChannelInactive();
        }

        boolean isOverdue(long now) {
            return (ending || inFlight == 0) && now - deadline > 0;
        }
    }
}
