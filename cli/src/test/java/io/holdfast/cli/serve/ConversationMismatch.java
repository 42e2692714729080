package io.holdfast.cli.serve;

/** The server did something else than the recorded conversation says. */
final class ConversationMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConversationMismatch(String message) {
        super(message);
    }
}
