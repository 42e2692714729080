package io.holdfast.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/** Closes the sending direction of a connection; it can still be read from. */
public final class OutputShutdown {
    private OutputShutdown() {}

    public static void shutdown(ChannelHandlerContext ctx) {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound();
        } else if (ctx.channel() instanceof DuplexChannel channel) {
            channel.shutdownOutput();
        }
    }
}
