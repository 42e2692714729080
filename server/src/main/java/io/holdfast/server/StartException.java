package io.holdfast.server;

/** The server could not start, though its settings make sense. The message is for the user. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /** What is wrong, without where: for those who know that. */
    public String summary() {
        String text = String.valueOf(getMessage());
        return text.endsWith(SocketlockListener.ALREADY_RUNNING)
                ? SocketlockListener.ALREADY_RUNNING
                : text;
    }
}
