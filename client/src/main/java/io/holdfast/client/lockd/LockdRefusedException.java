package io.holdfast.client.lockd;

/**
 * The server said no and changed nothing. The message is the server's text, such as {@code Lock Get
 * Failure: printer}. Nothing waits in this protocol: ask again later.
 */
public final class LockdRefusedException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdRefusedException(LockdReply answer) {
        super(answer.text(), null);
    }
}
