package io.holdfast.cluster.rpc;

import io.holdfast.cluster.ClusterSecret;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Decides which calls of administrators a node executes. A query is executed for everybody; any
 * other call over a connection without TLS needs a proof that the administrator knows the secret of
 * the cluster. Over mutual TLS, the certificate is proof enough. Thread-safe.
 *
 * <p>The node sends a nonce that is good for one proof over the same connection. A connection has
 * one attempt, and is closed if it fails.
 */
public final class AdminAccess {
    /** Asks for a nonce; part of the protocol. */
    static final byte CHALLENGE = 40;

    /** Sends the proof; part of the protocol. */
    static final byte PROOF = 41;

    static final int NONCE_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final String cluster;
    private final @Nullable ClusterSecret secret;
    private final byte query;
    private final RefusedConnections refused;

    /**
     * @param cluster the name of the cluster
     * @param secret null if this node has none: without TLS it then executes queries only
     * @param query the type of the call that everybody may make
     */
    public AdminAccess(
            String cluster,
            @Nullable ClusterSecret secret,
            byte query,
            RefusedConnections refused) {
        this.cluster = cluster;
        this.secret = secret;
        this.query = query;
        this.refused = refused;
    }

    /**
     * Returns a handler for one connection without TLS, which is used by one thread.
     *
     * @param calls executes what is allowed
     * @param from the address of the administrator, without the port
     */
    NodeRpcServer.Handler guard(NodeRpcServer.Handler calls, String from) {
        return new Guard(calls, from);
    }

    private final class Guard implements NodeRpcServer.Handler {
        private final NodeRpcServer.Handler calls;
        private final String from;
        private boolean challenged;

        /** Null before the challenge and when it has been used. */
        private byte @Nullable [] nonce;

        private boolean proven;

        Guard(NodeRpcServer.Handler calls, String from) {
            this.calls = calls;
            this.from = from;
        }

        @Override
        public @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body)
                throws IOException {
            return switch (kind) {
                case CHALLENGE -> CompletableFuture.completedFuture(challenge());
                case PROOF -> {
                    verify(body);
                    yield CompletableFuture.completedFuture(new byte[0]);
                }
                default -> {
                    if (kind != query && !proven) {
                        throw refusal(unproven());
                    }
                    yield calls.handle(kind, body);
                }
            };
        }

        private byte[] challenge() throws RpcRefusedException {
            if (secret == null) {
                throw refusal(unproven());
            }
            if (challenged) {
                throw refusal("a connection has one attempt to prove that it knows the secret");
            }
            challenged = true;
            byte[] next = new byte[NONCE_BYTES];
            RANDOM.nextBytes(next);
            nonce = next;
            return next.clone();
        }

        private void verify(byte[] proof) throws RpcRefusedException {
            byte[] challenge = nonce;
            nonce = null;
            if (secret == null || challenge == null || proof.length == 0) {
                throw refusal(unproven());
            }
            if (!secret.proves(proof, challenge, cluster)) {
                throw refusal(
                        "the secret is not that of the cluster: check --cluster-secret-file of the"
                                + " command and of the node");
            }
            proven = true;
        }

        private String unproven() {
            return secret == null
                    ? "this node has no means to know administrators, and answers status only:"
                            + " start the nodes with --cluster-secret-file, or with"
                            + " --cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca"
                    : "the secret of the cluster is required: run the command with"
                            + " --cluster-secret-file (HOLDFAST_CLUSTER_SECRET_FILE)";
        }

        private RpcRefusedException refusal(String reason) {
            refused.administrator(from, reason);
            return new RpcRefusedException(reason);
        }
    }
}
