package io.holdfast.http.signal;

import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.driver.signal.SharedSignals;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.http.lock.Refusals;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Web;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Emits shared signals on behalf of requests, which have no session of their own. One is enough for
 * all of them. Belongs to the event loop, except for the mailbox methods.
 */
final class Emitter implements Mailbox {
    private final Web web;
    private final Map<Long, Exchange> asked = new HashMap<>();
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();
    private @Nullable Session session;
    private long requests;
    private boolean closed;

    Emitter(Web web) {
        this.web = web;
    }

    void emit(SharedSignals shared, Exchange exchange, Key channel, ByteString payload) {
        if (closed) {
            fail(exchange);
            return;
        }
        Session asking = session;
        if (asking == null) {
            asking = web.backend().driver().open(this, Peer.ofServer("signals over HTTP"));
            session = asking;
        }
        long request = ++requests;
        asked.put(request, exchange);
        shared.submit(asking, new SignalRequest.Emit(request, channel, payload));
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void wake() {
        web.later(this::answer);
    }

    /** Its requests are refused; the next has a session again. */
    @Override
    public boolean kick() {
        web.later(this::end);
        return true;
    }

    private void answer() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            Exchange exchange = asked.remove(effect.request());
            if (exchange != null) {
                answer(exchange, effect);
            }
        }
    }

    private static void answer(Exchange exchange, Effect effect) {
        switch (effect) {
            case Effect.Counted counted -> exchange.ok(SignalRoutes.delivered(counted.value()));
            case Effect.Refused refused -> exchange.fail(Refusals.problem(refused.reason()));
            default -> throw new IllegalStateException("a signal is not answered by " + effect);
        }
    }

    private static void fail(Exchange exchange) {
        exchange.fail(Refusals.problem(Refusal.UNAVAILABLE));
    }

    private void end() {
        List<Exchange> unanswered = new ArrayList<>(asked.values());
        asked.clear();
        unanswered.forEach(Emitter::fail);
        if (session != null) {
            session.close(requests);
            session = null;
        }
    }

    void close() {
        closed = true;
        end();
    }
}
