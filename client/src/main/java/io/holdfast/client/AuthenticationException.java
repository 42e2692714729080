package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The server rejected the auth token, requires one that is missing, or does not use one.
 *
 * {@snippet :
 * try {
 *     Holdfast.builder().address("127.0.0.1:6388").authToken("a guess").connect().close();
 * } catch (AuthenticationException e) {
 *     System.out.println("wrong token"); // wrong token
 * }
 * }
 */
public final class AuthenticationException extends LockException {
    AuthenticationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
