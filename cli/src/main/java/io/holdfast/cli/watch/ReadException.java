package io.holdfast.cli.watch;

/** A server did not answer, or refused. The message is for the user. */
final class ReadException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int NOT_FOUND = 404;

    private final int status;
    private final String code;

    /** It did not answer, or nothing that makes sense. */
    ReadException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        this.code = "";
    }

    /** It refused. */
    ReadException(String message, int status, String code) {
        super(message);
        this.status = status;
        this.code = code;
    }

    /** Whether the server knows the question, but not what was asked for. */
    boolean isAbsent() {
        return status == NOT_FOUND && !code.isEmpty() && !code.equals("not_found");
    }
}
