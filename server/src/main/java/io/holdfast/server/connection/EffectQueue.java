package io.holdfast.server.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/** Undelivered effects of a connection, in order. There is hardly ever more than one. */
public final class EffectQueue {
    @GuardedBy("this")
    private @Nullable Effect first;

    @GuardedBy("this")
    private @Nullable ArrayDeque<Effect> rest;

    /** The last request that was reported as applied without a result, or 0. */
    @GuardedBy("this")
    private long pendingRequest;

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

    /** Records that a request was applied and has no result yet. */
    public synchronized void markPending(long request) {
        pendingRequest = request;
    }

    /** Whether {@link #markPending} was called for this request last; clears the mark if so. */
    public synchronized boolean takePending(long request) {
        boolean pending = pendingRequest == request;
        if (pending) {
            pendingRequest = 0;
        }
        return pending;
    }
}
