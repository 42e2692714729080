package io.holdfast.http.immediate;

import com.google.errorprone.annotations.concurrent.GuardedBy;

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
 * Executes commands that never wait, on behalf of requests without a session of their own. One
 * driver session serves all of them, because it never holds anything.
 */
public final class SharedImmediateSession implements AutoCloseable {
    /** Creates the command for a session and a request number. */
    @FunctionalInterface
    public interface CommandFactory {
        Command.Keyed create(long session, long request);
    }

    /** Receives the effect; null if the session was closed before it arrived. */
    @FunctionalInterface
    public interface EffectHandler {
        void handle(@Nullable Effect effect);
    }

    private final Driver driver;
    private final Consumer<Runnable> later;
    private final Map<Long, EffectHandler> inFlight = new ConcurrentHashMap<>();
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();

    @GuardedBy("this")
    private @Nullable Session session;

    @GuardedBy("this")
    private long requests;

    @GuardedBy("this")
    private boolean closed;

    /**
     * The driver session is opened with the first command.
     *
     * @param later runs the handlers of effects that arrive later
     */
    public SharedImmediateSession(Driver driver, Consumer<Runnable> later) {
        this.driver = driver;
        this.later = later;
    }

    /**
     * Executes a command. The handler is called in this method if the effect is available at once.
     */
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
        Session open = session;
        if (open == null) {
            open = driver.open(new Inbox(), ClientInfo.ofServer("requests over HTTP"));
            session = open;
        }
        long request = ++requests;
        inFlight.put(request, effectHandler);
        boolean _ = open.submit(commandFactory.create(open.id(), request));
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
            later.accept(SharedImmediateSession.this::takeEffects);
        }
    }
}
