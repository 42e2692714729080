package io.holdfast.server;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import org.jspecify.annotations.Nullable;

/** The protocol of a listener and the namespace of its keys. */
public sealed interface ListenerProtocol {
    Namespace namespace();

    /** The scheme of the URL of a listener. */
    String scheme(ListenAddress address, boolean tls);

    /**
     * Requires that it can be served at an address.
     *
     * @throws ConfigException if it cannot, with a text for the user
     */
    void requireSuitable(ListenAddress address);

    private static void requireTcp(ListenAddress address) {
        if (address instanceof ListenAddress.Unix) {
            throw new ConfigException(
                    "a Unix socket supports only socketlock and lockd without WebSocket: "
                            + address);
        }
    }

    record Dflockd(Namespace namespace) implements ListenerProtocol {
        @Override
        public String scheme(ListenAddress address, boolean tls) {
            return tls ? "dflockds" : "dflockd";
        }

        @Override
        public void requireSuitable(ListenAddress address) {
            requireTcp(address);
        }
    }

    /**
     * lockd, over lines or WebSocket messages.
     *
     * @param webSocket whether each WebSocket message is a command, instead of each line
     * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are allowed
     * @param enableRegistry whether {@code iam} and {@code who} are enabled
     */
    record Lockd(Namespace namespace, boolean webSocket, boolean allowDump, boolean enableRegistry)
            implements ListenerProtocol {
        @Override
        public String scheme(ListenAddress address, boolean tls) {
            if (address instanceof ListenAddress.Unix) {
                return "lockd+unix";
            }
            if (webSocket) {
                return tls ? "lockd+wss" : "lockd+ws";
            }
            return tls ? "lockds" : "lockd";
        }

        @Override
        public void requireSuitable(ListenAddress address) {
            if (webSocket) {
                requireTcp(address);
            }
        }
    }

    /**
     * socketlock, which serves one read/write lock.
     *
     * @param key the key of the lock; null for a lock that no other listener serves
     * @param policy the queue policy of the lock; null for that of another listener of this key, or
     *     first come first served
     */
    record Socketlock(
            Namespace namespace,
            @Nullable ByteString key,
            @Nullable QueuePolicy policy,
            SocketlockTimeouts limits)
            implements ListenerProtocol {
        @Override
        public String scheme(ListenAddress address, boolean tls) {
            return "socketlock";
        }

        @Override
        public void requireSuitable(ListenAddress address) {
            if (!(address instanceof ListenAddress.Unix)) {
                throw new ConfigException("socketlock requires a Unix socket: " + address);
            }
        }
    }
}
