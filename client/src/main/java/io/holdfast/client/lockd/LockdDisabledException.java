package io.holdfast.client.lockd;

/** The server was started without what this operation needs. Asking again will not help. */
public final class LockdDisabledException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdDisabledException(String message) {
        super(message, null);
    }
}
