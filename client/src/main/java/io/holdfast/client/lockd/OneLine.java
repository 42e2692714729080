package io.holdfast.client.lockd;

/** A command whose answer is exactly one line. */
final class OneLine<T> extends Exchange<T> {
    /** Reads the line. */
    interface Parser<T> {
        T parse(String line) throws BadAnswerException;
    }

    private final Parser<T> parser;

    OneLine(String command, Parser<T> parser) {
        super(command);
        this.parser = parser;
    }

    @Override
    void line(String line) throws BadAnswerException {
        succeed(parser.parse(line));
    }
}
