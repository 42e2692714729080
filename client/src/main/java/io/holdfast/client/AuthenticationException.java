package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The server wants another token, or none.
 *
 * {@snippet :
 * try {
 *     Holdfast.builder().address("127.0.0.1:6388").authToken("a guess").connect().close();
 * } catch (AuthenticationException e) {
 *     System.out.println("another token is needed"); // another token is needed
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
