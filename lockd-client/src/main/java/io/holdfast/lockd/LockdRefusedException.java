package io.holdfast.lockd;

/**
 * The server refused the command and changed nothing. The message is the server's text, such as
 * {@code Lock Get Failure: printer}. This protocol has no queue: retry later.
 */
public final class LockdRefusedException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdRefusedException(LockdReply reply) {
        super(reply.text(), null);
    }
}
