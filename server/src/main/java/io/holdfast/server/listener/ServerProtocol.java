package io.holdfast.server.listener;

import io.holdfast.server.connection.ServerContext;

import java.util.List;

/**
 * A protocol that listeners can serve. {@code ServerProtocols} lists all of them; what a user can
 * configure, and what the server does for it, follows from there.
 */
public interface ServerProtocol {
    /** Its name in logs and metrics. */
    String name();

    /** The schemes of its listen URLs, in the order in which the help lists them. */
    List<ListenScheme> schemes();

    /**
     * Reads and checks the options of a listener.
     *
     * @throws io.holdfast.driver.config.ConfigException if one is invalid
     */
    ListenerOptions options(OptionReader given);

    /** Begins to serve it on a server; called once for each server, before its first listener. */
    RunningProtocol start(ServerContext server);

    /**
     * Whether its TCP listeners admit every client that reaches them, whatever the secret of the
     * server is.
     */
    default boolean isUnauthenticated() {
        return false;
    }

    /** Whether its sessions may outlive their connections, so that clients resume them. */
    default boolean hasSessionGraces() {
        return false;
    }
}
