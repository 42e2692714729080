package io.holdfast.cli.serve;

/** The server did something else than the recorded conversation says. */
final class Mismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Mismatch(String message) {
        super(message);
    }
}
