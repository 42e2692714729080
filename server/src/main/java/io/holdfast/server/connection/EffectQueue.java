package io.holdfast.server.connection;

import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/** Effects on their way to a connection, in order. There is hardly ever more than one. */
public final class EffectQueue {
    private @Nullable Effect first;
    private @Nullable ArrayDeque<Effect> rest;

    /** The request that was last told to have no answer so far. */
    private long waiting;

    public synchronized void add(Effect effect) {
        if (first == null) {
            first = effect;
            return;
        }
        if (rest == null) {
            rest = new ArrayDeque<>();
        }
        rest.add(effect);
    }

    public synchronized @Nullable Effect poll() {
        Effect next = first;
        first = rest == null ? null : rest.poll();
        if (first == null) {
            rest = null;
        }
        return next;
    }

    /** A request was applied and has no answer so far. */
    public synchronized void markPending(long request) {
        waiting = request;
    }

    /** Whether that was told of this request last; it is forgotten by that. */
    public synchronized boolean takePending(long request) {
        boolean told = waiting == request;
        if (told) {
            waiting = 0;
        }
        return told;
    }
}
