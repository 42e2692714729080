package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

/** Base of all failures of a {@link SocketLockClient}. */
public class SocketLockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SocketLockException(String reason) {
        this(reason, null);
    }

    SocketLockException(String reason, @Nullable Throwable cause) {
        super("socketlock: " + reason, cause);
    }
}
