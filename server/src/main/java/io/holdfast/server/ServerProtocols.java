package io.holdfast.server;

import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ServerProtocol;
import io.holdfast.server.lockd.LockdProtocol;
import io.holdfast.server.socketlock.SocketlockProtocol;

import java.util.List;

/** The protocols that users can configure. */
public final class ServerProtocols {
    /** In the order in which the help lists them. */
    public static final List<ServerProtocol> ALL =
            List.of(DflockdProtocol.INSTANCE, LockdProtocol.INSTANCE, SocketlockProtocol.INSTANCE);

    private ServerProtocols() {}
}
