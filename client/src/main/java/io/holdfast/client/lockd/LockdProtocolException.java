package io.holdfast.client.lockd;

/** The conversation is out of step: nothing further that the server says can be trusted. */
final class LockdProtocolException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 200;

    LockdProtocolException(String message) {
        super(message);
    }

    static LockdProtocolException missed() {
        return new LockdProtocolException("Expected 1 line but got 0");
    }

    static LockdProtocolException unasked(String line) {
        return new LockdProtocolException("A line nobody asked for: " + shown(line));
    }

    static LockdProtocolException unfit(String command, String line) {
        return new LockdProtocolException(
                "Not an answer to '" + shown(command) + "': " + shown(line));
    }

    private static String shown(String line) {
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }
}
