package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

/** A request to a {@link SocketLockClient} has failed. Its kinds say what can be done about it. */
public class SocketLockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SocketLockException(String reason) {
        this(reason, null);
    }

    SocketLockException(String reason, @Nullable Throwable cause) {
        super("socketlock: " + reason, cause);
    }
}
