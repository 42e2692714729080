package io.holdfast.http.prompt;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Asks what never waits in line, on behalf of requests that have no session of their own. One is
 * enough for all of them: it never has anything.
 */
public final class PromptSession implements AutoCloseable {
    /** Makes the command of a session and request number. */
    @FunctionalInterface
    public interface Question {
        Command.Keyed by(long session, long request);
    }

    /** Takes the answer; null if the end came before it. */
    @FunctionalInterface
    public interface Answer {
        void take(@Nullable Effect effect);
    }

    private final Driver driver;
    private final Consumer<Runnable> later;
    private final Map<Long, Answer> asked = new ConcurrentHashMap<>();
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();
    private @Nullable Session session;
    private long requests;
    private boolean closed;

    /**
     * Nothing is asked yet.
     *
     * @param later runs what takes answers that come later
     */
    public PromptSession(Driver driver, Consumer<Runnable> later) {
        this.driver = driver;
        this.later = later;
    }

    /** Asks, and gives the answer at once if it is there. */
    public void ask(Question question, Answer answer) {
        if (!submit(question, answer)) {
            answer.take(null);
        }
        takeEffects();
    }

    private synchronized boolean submit(Question question, Answer answer) {
        if (closed) {
            return false;
        }
        Session asking = session;
        if (asking == null) {
            asking = driver.open(new Inbox(), Peer.ofServer("requests over HTTP"));
            session = asking;
        }
        long request = ++requests;
        asked.put(request, answer);
        boolean _ = asking.submit(question.by(asking.id(), request));
        return true;
    }

    private void takeEffects() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            Answer answer = asked.remove(effect.request());
            if (answer != null) {
                answer.take(effect);
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (session != null) {
                session.close(requests);
            }
        }
        List<Long> left = List.copyOf(asked.keySet());
        later.accept(() -> left.forEach(this::end));
    }

    private void end(long request) {
        Answer answer = asked.remove(request);
        if (answer != null) {
            answer.take(null);
        }
    }

    private final class Inbox implements Mailbox {
        @Override
        public void add(Effect effect) {
            effects.add(effect);
        }

        @Override
        public void wake() {
            later.accept(PromptSession.this::takeEffects);
        }
    }
}
