package io.holdfast.verification.soak;

/**
 * A check failed: the system under test violated a guarantee. The message is printed to the user.
 */
final class CheckFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    CheckFailedException(String reason) {
        super(reason);
    }
}
