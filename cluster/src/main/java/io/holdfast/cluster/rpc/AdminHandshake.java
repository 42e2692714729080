package io.holdfast.cluster.rpc;

import io.holdfast.cluster.ClusterSecret;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The handshake of an administrator, who talks to whoever accepts and may change the cluster. */
final class AdminHandshake implements Handshake {
    private final String cluster;
    private final @Nullable ClusterSecret secret;

    AdminHandshake(String cluster, @Nullable ClusterSecret secret) {
        this.cluster = cluster;
        this.secret = secret;
    }

    @Override
    public Greeting greeting() {
        return Greeting.admin(cluster);
    }

    @Override
    public void check(Greeting acceptor) {}

    /** Without a secret the proof is empty: the acceptor then says and logs what is missing. */
    @Override
    public void prove(Exchange exchange) throws IOException {
        byte[] nonce = exchange.call(AdminAccess.CHALLENGE, new byte[0]);
        if (nonce.length != AdminAccess.NONCE_BYTES) {
            throw new IOException("the challenge has " + nonce.length + " bytes");
        }
        byte[] _ =
                exchange.call(
                        AdminAccess.PROOF,
                        secret == null ? new byte[0] : secret.proof(nonce, cluster));
    }

    @Override
    public void refused(String reason) {}
}
