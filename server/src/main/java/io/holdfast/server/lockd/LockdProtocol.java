package io.holdfast.server.lockd;

import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.listener.OptionReader;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.ServerProtocol;

import java.nio.file.Path;
import java.util.List;

/** lockd: TCP and WebSocket, each with TLS or without, and Unix sockets. */
public final class LockdProtocol implements ServerProtocol {
    public static final LockdProtocol INSTANCE = new LockdProtocol();

    static final String NAME = "lockd";

    private static final int PORT = 9999;
    private static final int WEB_SOCKET_PORT = 9998;

    public static final ListenScheme TCP = ListenScheme.tcp(INSTANCE, NAME, false, PORT);
    private static final ListenScheme TLS = ListenScheme.tcp(INSTANCE, "lockds", true, PORT);
    public static final ListenScheme UNIX =
            new ListenScheme(
                    INSTANCE,
                    "lockd+unix",
                    false,
                    new ListenAddress.Unix(Path.of("/run/lockd.sock"), null));
    public static final ListenScheme WEB_SOCKET =
            ListenScheme.tcp(INSTANCE, "lockd+ws", false, WEB_SOCKET_PORT);
    public static final ListenScheme WEB_SOCKET_TLS =
            ListenScheme.tcp(INSTANCE, "lockd+wss", true, WEB_SOCKET_PORT);

    private LockdProtocol() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<ListenScheme> schemes() {
        return List.of(TCP, TLS, UNIX, WEB_SOCKET, WEB_SOCKET_TLS);
    }

    @Override
    public ListenerOptions options(OptionReader given) {
        return new LockdOptions(
                given.namespace(), given.isOn("allow-dump"), given.isOn("enable-registry"));
    }

    @Override
    public RunningProtocol start(ServerContext server) {
        return new LockdServices(server);
    }

    @Override
    public boolean isUnauthenticated() {
        return true;
    }
}
