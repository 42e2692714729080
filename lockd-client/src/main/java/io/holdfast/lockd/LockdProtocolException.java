package io.holdfast.lockd;

/** The responses do not match the commands any more: the connection cannot be used any further. */
final class LockdProtocolException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 200;

    LockdProtocolException(String message) {
        super(message);
    }

    static LockdProtocolException missing() {
        return new LockdProtocolException("Expected 1 line but got 0");
    }

    static LockdProtocolException unexpected(String line) {
        return new LockdProtocolException("Unexpected line: " + shown(line));
    }

    static LockdProtocolException mismatch(String command, String line) {
        return new LockdProtocolException(
                "Unexpected response to '" + shown(command) + "': " + shown(line));
    }

    private static String shown(String line) {
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }
}
