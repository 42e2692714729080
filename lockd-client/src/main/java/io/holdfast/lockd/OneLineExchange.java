package io.holdfast.lockd;

/** A command whose response is exactly one line. */
final class OneLineExchange<T> extends LockdExchange<T> {
    /** Parses the line. */
    interface Parser<T> {
        T parse(String line) throws LockdProtocolException;
    }

    private final Parser<T> parser;

    OneLineExchange(String command, Parser<T> parser) {
        super(command);
        this.parser = parser;
    }

    @Override
    void line(String line) throws LockdProtocolException {
        succeed(parser.parse(line));
    }
}
