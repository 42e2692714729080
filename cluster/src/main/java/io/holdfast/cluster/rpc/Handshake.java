package io.holdfast.cluster.rpc;

import io.holdfast.cluster.ClusterSecret;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The opener's side of the greeting of each connection. Thread-safe. */
public interface Handshake {
    Greeting greeting();

    /**
     * Checks who has accepted the connection.
     *
     * @throws RpcRefusedException if it is not who it should be
     */
    void check(Greeting acceptor) throws RpcRefusedException;

    /** Sends a call over the new connection, and returns the response. */
    interface Exchange {
        /**
         * Calls the acceptor.
         *
         * @throws RpcRefusedException if the call fails at the acceptor
         */
        byte[] call(byte kind, byte[] body) throws IOException;
    }

    /**
     * Proves to the acceptor what the greeting says. Called after {@link #check} if the connection
     * has no TLS.
     *
     * @throws RpcRefusedException if the acceptor is not convinced
     */
    default void prove(Exchange exchange) throws IOException {}

    /** A connection was refused, by either side. */
    void refused(String reason);

    /**
     * Returns the handshake of an administrator who may change the cluster.
     *
     * @param secret proves that to nodes without TLS; null if there is none
     */
    static Handshake admin(String cluster, @Nullable ClusterSecret secret) {
        return new AdminHandshake(cluster, secret);
    }

    /** Returns the handshake for queries, which everybody may make, to whoever accepts. */
    static Handshake admin(String cluster) {
        return new Handshake() {
            @Override
            public Greeting greeting() {
                return Greeting.admin(cluster);
            }

            @Override
            public void check(Greeting acceptor) {}

            @Override
            public void refused(String reason) {}
        };
    }
}
