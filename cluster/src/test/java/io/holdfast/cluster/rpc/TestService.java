package io.holdfast.cluster.rpc;

import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.formation.NodeCalls;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Serves every opener, unless it is told to refuse them. */
public final class TestService implements NodeRpcServer.Service {
    public static final ClusterSecret SECRET =
            new ClusterSecret("the secret of tests".getBytes(StandardCharsets.UTF_8));
    static final Greeting OPENER =
            new Greeting(
                    Greeting.Kind.NODE,
                    "test",
                    null,
                    "opener",
                    new UUID(2, 2),
                    MemberList.NONE,
                    KnownVersions.CURRENT,
                    0);

    private final NodeRpcServer.Handler handler;
    volatile @Nullable String refusal;
    volatile KnownVersions versions = KnownVersions.CURRENT;

    public TestService(NodeRpcServer.Handler handler) {
        this.handler = handler;
    }

    /** Returns the access to a node of the cluster "test" with {@link #SECRET}. */
    public static AdminAccess access() {
        return access(SECRET, new RefusedConnections());
    }

    static AdminAccess access(@Nullable ClusterSecret secret, RefusedConnections refused) {
        return new AdminAccess("test", secret, NodeCalls.STATUS, refused);
    }

    /** Returns the handshake of a node, to whoever accepts. */
    static Handshake opener() {
        return new Handshake() {
            @Override
            public Greeting greeting() {
                return OPENER;
            }

            @Override
            public void check(Greeting acceptor) {}

            @Override
            public void refused(String reason) {}
        };
    }

    @Override
    public Greeting greeting() {
        return new Greeting(
                Greeting.Kind.NODE,
                "test",
                null,
                "server",
                new UUID(1, 1),
                MemberList.NONE,
                versions,
                0);
    }

    @Override
    public NodeRpcServer.Handler accept(Greeting opener) throws RpcRefusedException {
        String reason = refusal;
        if (reason != null) {
            throw new RpcRefusedException(reason);
        }
        return handler;
    }
}
