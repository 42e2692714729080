package io.holdfast.http.web;

import io.holdfast.driver.Room;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The connections there are: not too many from one address, and none that says nothing for too
 * long. Belongs to the event loop.
 */
public final class Connections {
    private static final long HEAD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long LOOK_MILLIS = 1_000;

    /** How much a client may send ahead while it waits for an answer. */
    private static final int MOST_AHEAD = 64 * 1024;

    private final Room room;
    private final int mostPerAddress;
    private final Map<HttpConnection, Watched> open = new HashMap<>();
    private final Map<String, Integer> perAddress = new HashMap<>();
    private final long mostHeadBytes = Runtime.getRuntime().maxMemory() / 16;

    /** Of heads that have only come in part. */
    private long allHeadBytes;

    /**
     * No connections yet.
     *
     * @param mostPerAddress 0 for any number
     */
    public Connections(Room room, int mostPerAddress) {
        this.room = room;
        this.mostPerAddress = mostPerAddress;
    }

    /** Begins to close those that say nothing. */
    public void start(Vertx vertx) {
        vertx.setPeriodic(LOOK_MILLIS, _ -> closeSilent());
    }

    /** Takes a new connection, or closes it. */
    public void enter(HttpConnection connection) {
        String host = connection.remoteAddress().hostAddress();
        String address = host == null ? "" : host;
        if (mostPerAddress > 0 && perAddress.getOrDefault(address, 0) >= mostPerAddress) {
            connection.close();
            return;
        }
        if (!room.take()) {
            connection.close();
            return;
        }
        perAddress.merge(address, 1, Integer::sum);
        Watched watched = new Watched();
        open.put(connection, watched);
        if (connection instanceof ConnectionBase base) {
            base.channel().pipeline().addFirst(watched);
        }
        connection.closeHandler(_ -> leave(connection, address));
    }

    private void leave(HttpConnection connection, String address) {
        open.remove(connection);
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        room.giveBack();
    }

    /** A request has begun: its head is there. */
    void began(HttpConnection connection) {
        Watched watched = open.get(connection);
        if (watched != null) {
            watched.began();
        }
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

    private void closeSilent() {
        long now = System.nanoTime();
        for (Map.Entry<HttpConnection, Watched> each : List.copyOf(open.entrySet())) {
            if (each.getValue().isSilent(now)) {
                each.getKey().close();
            }
        }
    }

    /**
     * Sees what a client sends before anybody else does. While a request is under way it keeps what
     * comes after it, and goes on reading: so it is noticed if the client goes away.
     */
    private final class Watched extends ChannelInboundHandlerAdapter {
        private final ArrayDeque<Object> ahead = new ArrayDeque<>();
        private @Nullable ChannelHandlerContext context;
        private long aheadBytes;
        private long headBytes;
        private int underWay;
        private boolean holds;
        private boolean waitsForHead = true;
        private long deadline = System.nanoTime() + HEAD_NANOS;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (holds) {
                keep(ctx, message);
                return;
            }
            if (underWay == 0) {
                if (!waitsForHead) {
                    waitsForHead = true;
                    deadline = System.nanoTime() + HEAD_NANOS;
                }
                headBytes += lengthOf(message);
                allHeadBytes += lengthOf(message);
                if (allHeadBytes > mostHeadBytes) {
                    ReferenceCountUtil.release(message);
                    ctx.close();
                    return;
                }
            }
            ctx.fireChannelRead(message);
        }

        private static int lengthOf(Object message) {
            return message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        }

        private void forgetHead() {
            allHeadBytes -= headBytes;
            headBytes = 0;
        }

        private void keep(ChannelHandlerContext ctx, Object message) {
            aheadBytes += lengthOf(message);
            if (aheadBytes > MOST_AHEAD) {
                ReferenceCountUtil.release(message);
                ctx.close();
            } else {
                ahead.add(message);
            }
        }

        void began() {
            underWay++;
            waitsForHead = false;
            forgetHead();
        }

        void hold() {
            ChannelHandlerContext ctx = context;
            if (ctx == null) {
                return;
            }
            holds = true;
            // Those after us stop reading when they have enough; that happens after this.
            Channel channel = ctx.channel();
            channel.eventLoop()
                    .execute(
                            () -> {
                                if (holds) {
                                    channel.config().setAutoRead(true);
                                }
                            });
        }

        void answered() {
            underWay--;
            holds = false;
            deadline = System.nanoTime() + IDLE_NANOS;
            if (!ahead.isEmpty() && context != null) {
                context.channel().eventLoop().execute(this::passOn);
            }
        }

        private void passOn() {
            ChannelHandlerContext ctx = context;
            while (ctx != null && !holds && !ahead.isEmpty()) {
                Object next = ahead.poll();
                aheadBytes -= lengthOf(next);
                channelRead(ctx, next);
                ctx.fireChannelReadComplete();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            forgetHead();
            ahead.forEach(ReferenceCountUtil::release);
            ahead.clear();
            ctx.fireChannelInactive();
        }

        boolean isSilent(long now) {
            return underWay == 0 && now - deadline > 0;
        }
    }
}
