package io.holdfast.client.lockd;

/** The conversation is out of step: nothing further that the server says can be trusted. */
final class BadAnswerException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 200;

    BadAnswerException(String message) {
        super(message);
    }

    static BadAnswerException missed() {
        return new BadAnswerException("Expected 1 line but got 0");
    }

    static BadAnswerException unasked(String line) {
        return new BadAnswerException("A line nobody asked for: " + shown(line));
    }

    static BadAnswerException unfit(String command, String line) {
        return new BadAnswerException("Not an answer to '" + shown(command) + "': " + shown(line));
    }

    private static String shown(String line) {
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }
}
