package io.holdfast.server.socketlock;

import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.listener.ListenerOptions;
import io.holdfast.server.listener.OptionReader;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.ServerProtocol;

import java.nio.file.Path;
import java.util.List;

/** socketlock: a Unix socket for each lock. */
public final class SocketlockProtocol implements ServerProtocol {
    public static final SocketlockProtocol INSTANCE = new SocketlockProtocol();

    /** The text of the original implementation; the message of a failed start ends with it. */
    public static final String ALREADY_RUNNING = "socketlock: server already running";

    static final String NAME = "socketlock";

    public static final ListenScheme UNIX =
            new ListenScheme(
                    INSTANCE,
                    NAME,
                    false,
                    new ListenAddress.Unix(Path.of("/run/deploy.sock"), null));

    private SocketlockProtocol() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<ListenScheme> schemes() {
        return List.of(UNIX);
    }

    @Override
    public ListenerOptions options(OptionReader given) {
        return SocketlockOptions.read(given);
    }

    @Override
    public RunningProtocol start(ServerContext server) {
        SuspendedKeys suspendedKeys = new SuspendedKeys(server.driver());
        return (endpoint, binder) ->
                binder.add(SocketlockListener.acquirePath(endpoint, server, suspendedKeys, binder));
    }
}
