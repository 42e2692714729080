package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The server is a plain dflockd, which does not support this. The request was not sent.
 *
 * {@snippet :
 * try (Holdfast holdfast = Holdfast.builder().address("127.0.0.1:6388").plain().connect()) {
 *     holdfast.readWriteLock("page").read().acquire(Duration.ofSeconds(10)).close();
 * } catch (UnsupportedByServerException e) {
 *     System.out.println("no read locks"); // no read locks
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
