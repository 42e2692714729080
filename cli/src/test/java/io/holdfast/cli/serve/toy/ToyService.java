package io.holdfast.cli.serve.toy;

import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.ConnectionService;
import io.holdfast.server.connection.ProtocolTraits;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenerBinder;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.StartException;

/** What the connections of a server share. */
final class ToyService extends ConnectionService implements RunningProtocol {
    ToyService(ServerContext server) {
        super(
                new ProtocolTraits(
                        "toy", false, server.readTimeout(), true, server.writeTimeout(), false),
                server);
    }

    @Override
    public void bind(ListenEndpoint endpoint, ListenerBinder binder) throws StartException {
        ToyOptions options = (ToyOptions) endpoint.options();
        binder.bind(
                endpoint,
                pipeline ->
                        pipeline.addLast(
                                new Connection<String>(
                                        this, opened -> new ToyHandler(opened, this, options))));
    }

    long salt() {
        return driver.salt();
    }
}
