package io.holdfast.lockd;

/** The server was started without the feature that this operation needs. Retrying does not help. */
public final class LockdDisabledException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdDisabledException(String message) {
        super(message, null);
    }
}
