package io.holdfast.http.signal;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.http.lock.RefusalProblems;
import io.holdfast.http.web.HttpContext;
import io.holdfast.http.web.HttpExchange;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Emits signals on behalf of requests, which have no session of their own: one client of the driver
 * serves all of them. Belongs to the event loop, except for the mailbox methods.
 */
final class HttpSignalEmitter implements EffectMailbox {
    private final HttpContext httpContext;
    private final Map<Long, HttpExchange> inFlight = new HashMap<>();
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();
    private @Nullable SignalClient signals;
    private long requests;
    private boolean closed;

    HttpSignalEmitter(HttpContext httpContext) {
        this.httpContext = httpContext;
    }

    void emit(HttpExchange httpExchange, Key channel, ByteString payload) {
        if (closed) {
            fail(httpExchange);
            return;
        }
        if (signals == null) {
            signals =
                    httpContext
                            .backend()
                            .driver()
                            .openSignals(
                                    this,
                                    ClientInfo.ofServer("signals over HTTP"),
                                    SignalEmitter.ON_HEAP);
        }
        long request = ++requests;
        Effect result = signals.emit(request, channel, payload);
        if (result == null) {
            inFlight.put(request, httpExchange);
        } else {
            respond(httpExchange, result);
        }
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void wake() {
        httpContext.runOnEventLoop(this::respond);
    }

    /** The requests in flight fail, and the next request opens a new client. */
    @Override
    public boolean kick() {
        httpContext.runOnEventLoop(this::end);
        return true;
    }

    private void respond() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            HttpExchange httpExchange = inFlight.remove(effect.request());
            if (httpExchange != null) {
                respond(httpExchange, effect);
            }
        }
    }

    private static void respond(HttpExchange httpExchange, Effect effect) {
        switch (effect) {
            case Effect.Counted counted -> httpExchange.ok(SignalRoutes.delivered(counted.value()));
            case Effect.Refused refused ->
                    httpExchange.fail(RefusalProblems.problem(refused.reason()));
            default -> throw new IllegalStateException("unexpected effect of a signal: " + effect);
        }
    }

    private static void fail(HttpExchange httpExchange) {
        httpExchange.fail(RefusalProblems.problem(Refusal.UNAVAILABLE));
    }

    private void end() {
        List<HttpExchange> unanswered = new ArrayList<>(inFlight.values());
        inFlight.clear();
        unanswered.forEach(HttpSignalEmitter::fail);
        if (signals != null) {
            signals.close();
            signals = null;
        }
    }

    void close() {
        closed = true;
        end();
    }
}
