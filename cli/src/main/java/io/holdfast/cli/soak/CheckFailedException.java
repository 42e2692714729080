package io.holdfast.cli.soak;

/** The server did something it must not do. The message says what, in words fit for the user. */
final class CheckFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    CheckFailedException(String reason) {
        super(reason);
    }
}
