package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

/**
 * No primary responds, and this process cannot become the primary; the message contains the reason.
 * The client keeps retrying in the background, so a later request may succeed.
 */
public final class SocketLockUnavailableException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockUnavailableException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
