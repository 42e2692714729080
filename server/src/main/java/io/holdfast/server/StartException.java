package io.holdfast.server;

/** The server could not start, although its settings are valid. The message is for the user. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The message without the address if another server is running there, else all of it. */
    public String summary() {
        String text = String.valueOf(getMessage());
        return text.endsWith(SocketlockListener.ALREADY_RUNNING)
                ? SocketlockListener.ALREADY_RUNNING
                : text;
    }
}
