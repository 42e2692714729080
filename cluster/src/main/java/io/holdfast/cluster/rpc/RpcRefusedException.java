package io.holdfast.cluster.rpc;

import java.io.IOException;

/** The other node has received a call and rejected it. */
public final class RpcRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RpcRefusedException(String reason) {
        super(reason);
    }
}
