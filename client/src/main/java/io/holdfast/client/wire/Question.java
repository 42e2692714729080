package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;

import java.util.function.Consumer;

/** A command that is answered at once and that nobody repeats. */
final class Question extends Request {
    private final String command;
    private final String key;
    private final String argument;
    private final Answered then;
    private final Consumer<ServiceException> otherwise;

    Question(
            String command,
            String key,
            String argument,
            Answered then,
            Consumer<ServiceException> otherwise) {
        this.command = command;
        this.key = key;
        this.argument = argument;
        this.then = then;
        this.otherwise = otherwise;
    }

    /** What to do with the answer. */
    interface Answered {
        void accept(String answer) throws BadLineException;
    }

    @Override
    String command() {
        return command;
    }

    @Override
    String key() {
        return key;
    }

    @Override
    String argument(long now) {
        return argument;
    }

    @Override
    void answer(String answer) throws BadLineException {
        then.accept(answer);
    }

    @Override
    boolean staysWithoutConnection(ServiceException why) {
        otherwise.accept(why);
        return false;
    }

    @Override
    long patienceNanos(long now, long connectTimeoutNanos) {
        return connectTimeoutNanos;
    }

    @Override
    boolean staysAfterPatience(ServiceException why) {
        otherwise.accept(why);
        return false;
    }

    @Override
    boolean staysWithoutSession() {
        return true;
    }

    @Override
    boolean repeats(Inventory inventory) {
        return false; // never in doubt: it ended with the connection
    }

    @Override
    void closed(ServiceException why) {
        otherwise.accept(why);
    }
}
