package io.holdfast.server;

/** The server could not start, though its settings make sense. The message is for the user. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
