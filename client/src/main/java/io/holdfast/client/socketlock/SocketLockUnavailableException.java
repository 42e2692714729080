package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

/**
 * There is no primary that answers, and this process cannot become one; the message says why. The
 * client goes on trying: a later request may succeed.
 */
public final class SocketLockUnavailableException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockUnavailableException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
