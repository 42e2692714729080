package io.holdfast.cluster.rpc;

import java.io.IOException;

/** The other node has received a call, and the call failed there. */
public final class RemoteCallFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    RemoteCallFailedException(String reason) {
        super(reason);
    }
}
