package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The server, a plain dflockd, cannot do this. Nothing was sent.
 *
 * {@snippet :
 * try (Holdfast holdfast = Holdfast.builder().address("127.0.0.1:6388").plain().connect()) {
 *     holdfast.readWriteLock("page").read().acquire(Duration.ofSeconds(10)).close();
 * } catch (UnsupportedByServerException e) {
 *     System.out.println("no read locks there"); // no read locks there
 * }
 * }
 */
public final class UnsupportedByServerException extends LockException {
    UnsupportedByServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
