package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The client was closed.
 *
 * {@snippet :
 * Holdfast holdfast = Holdfast.connect("127.0.0.1:6388");
 * holdfast.close();
 * try {
 *     holdfast.lock("late").acquire(Duration.ofSeconds(10)).close();
 * } catch (ClientClosedException e) {
 *     System.out.println("too late"); // too late
 * }
 * }
 */
public final class ClientClosedException extends LockException {
    ClientClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
