package io.holdfast.cluster.rpc;

import java.io.IOException;

/** One side of a connection refuses the other. */
public final class RpcRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RpcRefusedException(String reason) {
        super(reason);
    }
}
