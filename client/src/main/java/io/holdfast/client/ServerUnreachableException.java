package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * There is no connection, and the request was not sent.
 *
 * {@snippet :
 * try {
 *     Holdfast.connect("127.0.0.1:1").close();
 * } catch (ServerUnreachableException e) {
 *     System.out.println("no server"); // no server
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
