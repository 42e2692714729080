package io.holdfast.http.immediate;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
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
public final class ImmediateSession implements AutoCloseable {
    /** Makes the command of a session and request number. */
    @FunctionalInterface
    public interface CommandFactory {
        Command.Keyed create(long session, long request);
    }

    /** Takes the answer; null if the end came before it. */
    @FunctionalInterface
    public interface EffectHandler {
        void handle(@Nullable Effect effect);
    }

    private final Driver driver;
    private final Consumer<Runnable> later;
    private final Map<Long, EffectHandler> inFlight = new ConcurrentHashMap<>();
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();
    private @Nullable Session session;
    private long requests;
    private boolean closed;

    /**
     * Nothing is asked yet.
     *
     * @param later runs what takes answers that come later
     */
    public ImmediateSession(Driver driver, Consumer<Runnable> later) {
        this.driver = driver;
        this.later = later;
    }

    /** Asks, and gives the answer at once if it is there. */
    public void execute(CommandFactory commandFactory, EffectHandler effectHandler) {
        if (!submit(commandFactory, effectHandler)) {
            effectHandler.handle(null);
        }
        takeEffects();
    }

    private synchronized boolean submit(
            CommandFactory commandFactory, EffectHandler effectHandler) {
        if (closed) {
            return false;
        }
        Session asking = session;
        if (asking == null) {
            asking = driver.open(new Inbox(), ClientInfo.ofServer("requests over HTTP"));
            session = asking;
        }
        long request = ++requests;
        inFlight.put(request, effectHandler);
        boolean _ = asking.submit(commandFactory.create(asking.id(), request));
        return true;
    }

    private void takeEffects() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            EffectHandler effectHandler = inFlight.remove(effect.request());
            if (effectHandler != null) {
                effectHandler.handle(effect);
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
        List<Long> left = List.copyOf(inFlight.keySet());
        later.accept(() -> left.forEach(this::end));
    }

    private void end(long request) {
        EffectHandler effectHandler = inFlight.remove(request);
        if (effectHandler != null) {
            effectHandler.handle(null);
        }
    }

    private final class Inbox implements EffectMailbox {
        @Override
        public void add(Effect effect) {
            effects.add(effect);
        }

        @Override
        public void wake() {
            later.accept(ImmediateSession.this::takeEffects);
        }
    }
}
