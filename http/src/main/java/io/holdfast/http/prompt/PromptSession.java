package io.holdfast.http.prompt;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

/**
 * Asks what is answered at once, on behalf of requests that have no session of their own. One is
 * enough for all of them: it never has anything.
 */
public final class PromptSession implements AutoCloseable {
    /** Makes the command of a session and request number. */
    @FunctionalInterface
    public interface Question {
        Command.Keyed by(long session, long request);
    }

    private final Driver driver;
    private final Answer answer = new Answer();
    private @Nullable Session session;
    private long requests;
    private boolean closed;

    public PromptSession(Driver driver) {
        this.driver = driver;
    }

    /** The answer; null after the end. */
    public synchronized @Nullable Effect ask(Question question) {
        if (closed) {
            return null;
        }
        Session asking = session;
        if (asking == null) {
            asking = driver.open(answer, new Peer("holdfast", () -> "requests over HTTP"));
            session = asking;
        }
        answer.effect = null;
        asking.submit(question.by(asking.id(), ++requests));
        return answer.effect;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (session != null) {
            session.close(requests);
        }
    }

    /** It is there when the command has been submitted. */
    private static final class Answer implements Mailbox {
        private @Nullable Effect effect;

        @Override
        public void add(Effect added) {
            effect = added;
        }

        @Override
        public void wake() {}
    }
}
