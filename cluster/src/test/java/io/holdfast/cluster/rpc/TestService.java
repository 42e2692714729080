package io.holdfast.cluster.rpc;

import io.holdfast.cluster.MemberList;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Serves every opener, unless it is told to refuse them. */
public final class TestService implements NodeRpcServer.Service {
    private final NodeRpcServer.Handler handler;
    volatile @Nullable String refusal;

    public TestService(NodeRpcServer.Handler handler) {
        this.handler = handler;
    }

    @Override
    public Greeting greeting() {
        return new Greeting(
                Greeting.Kind.NODE, "test", null, "server", new UUID(1, 1), MemberList.NONE);
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
