package io.holdfast.server.listener;

/** The server could not start, although its settings are valid. The message is for the user. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
