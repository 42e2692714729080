package io.holdfast.cluster;

import java.io.IOException;

/** A node cannot start or continue; the message names the reason and what to do. */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
