package io.holdfast.cluster.rpc;

/** The opener's side of the greeting of each connection. Thread-safe. */
public interface Handshake {
    Greeting greeting();

    /**
     * Checks who has accepted the connection.
     *
     * @throws RpcRefusedException if it is not who it should be
     */
    void check(Greeting acceptor) throws RpcRefusedException;

    /** A connection was refused, by either side. */
    void refused(String reason);

    /** Returns the handshake of an administrator, who talks to whoever accepts. */
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
