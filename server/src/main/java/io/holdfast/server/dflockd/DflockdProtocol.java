package io.holdfast.server.dflockd;

import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.listener.OptionReader;
import io.holdfast.server.listener.ServerProtocol;

import java.util.List;

/** dflockd: TCP, with TLS or without. */
public final class DflockdProtocol implements ServerProtocol {
    public static final DflockdProtocol INSTANCE = new DflockdProtocol();

    static final String NAME = "dflockd";
    private static final int PORT = 6388;
    private static final ListenScheme TCP = ListenScheme.tcp(INSTANCE, NAME, false, PORT);
    private static final ListenScheme TLS = ListenScheme.tcp(INSTANCE, "dflockds", true, PORT);

    private DflockdProtocol() {}

    /** A listener for the default namespace. */
    public static ListenEndpoint endpoint(String host, int port, boolean tls) {
        return new ListenEndpoint(
                tls ? TLS : TCP,
                new ListenAddress.Tcp(host, port),
                new DflockdOptions(Namespace.DEFAULT));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<ListenScheme> schemes() {
        return List.of(TCP, TLS);
    }

    @Override
    public ListenerOptions options(OptionReader given) {
        return new DflockdOptions(given.namespace());
    }

    @Override
    public DflockdService start(ServerContext server) {
        return new DflockdService(server);
    }

    @Override
    public boolean hasSessionGraces() {
        return true;
    }
}
