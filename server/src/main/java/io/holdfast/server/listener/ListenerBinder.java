package io.holdfast.server.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;

import java.nio.file.Path;
import java.util.function.Consumer;

/** Binds sockets whose connections count towards the limits of the server. */
public interface ListenerBinder {
    /**
     * Binds the address of a listener. The server accepts its connections, and closes it.
     *
     * @param handlers adds the handlers of the protocol to the pipeline of a new connection, after
     *     those of TLS
     */
    void bind(ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers) throws StartException;

    /**
     * Binds a Unix socket at a path for a listener that accepts the connections, and closes it,
     * itself. The file is not managed, and has no permissions set.
     */
    Channel bindUnix(Path path, ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers)
            throws StartException;

    /** Adds a listener whose sockets are bound with {@link #bindUnix}. */
    void add(Listener listener);
}
