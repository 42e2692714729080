package io.holdfast.cli.watch;

/** A request to a server failed. The message is for the user. */
final class ReadException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int NOT_FOUND = 404;

    private final int status;
    private final String code;

    /** The server did not respond, or the response is malformed. */
    ReadException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        this.code = "";
    }

    /** The server responded with an error. */
    ReadException(String message, int status, String code) {
        super(message);
        this.status = status;
        this.code = code;
    }

    /** Whether the route exists on the server, but not the requested key or connection. */
    boolean isAbsent() {
        return status == NOT_FOUND && !code.isEmpty() && !code.equals("not_found");
    }
}
