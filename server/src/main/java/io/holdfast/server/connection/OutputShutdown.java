package io.holdfast.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/** Tells a client that nothing more will be written, while it may still be read from. */
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
