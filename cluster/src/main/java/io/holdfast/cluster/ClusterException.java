package io.holdfast.cluster;

import java.io.IOException;

/** A node cannot start or go on; the message says why, and what to do. */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
