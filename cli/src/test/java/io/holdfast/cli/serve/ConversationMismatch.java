package io.holdfast.cli.serve;

/** The server differs from the recorded conversation. */
final class ConversationMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConversationMismatch(String message) {
        super(message);
    }
}
