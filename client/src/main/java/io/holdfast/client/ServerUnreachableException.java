package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * There is no connection, and nothing was sent.
 *
 * {@snippet :
 * try {
 *     Holdfast.connect("127.0.0.1:1").close();
 * } catch (ServerUnreachableException e) {
 *     System.out.println("is it running?"); // is it running?
 * }
 * }
 */
public final class ServerUnreachableException extends LockException {
    ServerUnreachableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
