package io.holdfast.http.signal;

import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.signal.DistributedSignals;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.http.lock.HttpSessions;
import io.holdfast.http.lock.RefusalProblems;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * A listener of replicated signals: it requests the subscription first, and opens the stream when
 * the subscription is committed. Belongs to the event loop, except for the mailbox methods.
 */
final class DistributedSignalStream implements EffectMailbox {
    private final HttpExchange httpExchange;
    private final DistributedSignals shared;
    private final Duration ping;
    private final SignalStream listener;
    private final HttpSessions.ForStream session;
    private volatile @Nullable Effect listenEffect;
    private @Nullable EventStream stream;
    private boolean closed;

    private DistributedSignalStream(
            HttpExchange httpExchange,
            DistributedSignals shared,
            HttpSessions sessions,
            Duration ping)
            throws HttpProblem {
        this.httpExchange = httpExchange;
        this.shared = shared;
        this.ping = ping;
        this.listener = new SignalStream(httpExchange.web());
        this.session = sessions.openForStream(httpExchange, this);
    }

    static DistributedSignalStream open(
            HttpExchange httpExchange,
            DistributedSignals shared,
            HttpSessions sessions,
            Duration ping)
            throws HttpProblem {
        return new DistributedSignalStream(httpExchange, shared, sessions, ping);
    }

    void listen(Key pattern, ByteString group) {
        shared.attach(session.session(), listener);
        httpExchange.onGone(this::close);
        shared.submit(session.session(), new SignalRequest.Listen(1, pattern, group));
    }

    @Override
    public void add(Effect effect) {
        listenEffect = effect;
    }

    @Override
    public void wake() {
        httpExchange.web().runOnEventLoop(this::begin);
    }

    @Override
    public boolean kick() {
        httpExchange.web().runOnEventLoop(this::end);
        return true;
    }

    private void begin() {
        Effect effect = listenEffect;
        if (effect == null || stream != null || closed) {
            return;
        }
        if (effect instanceof Effect.Changed) {
            try {
                write(httpExchange.stream());
            } catch (HttpProblem httpProblem) {
                refuse(httpProblem);
            }
        } else if (effect instanceof Effect.Refused(_, _, var reason)
                && reason == Refusal.UNAVAILABLE) {
            refuse(RefusalProblems.problem(reason));
        } else {
            refuse(SignalRoutes.limitReached());
        }
    }

    private void write(EventStream opened) {
        stream = opened;
        opened.onEnd(this::close);
        opened.pingEvery(ping);
        listener.writeTo(opened);
    }

    private void refuse(HttpProblem httpProblem) {
        httpExchange.fail(httpProblem);
        close();
    }

    private void end() {
        if (stream != null) {
            stream.close();
        } else if (!closed) {
            refuse(RefusalProblems.problem(Refusal.UNAVAILABLE));
        }
    }

    private void close() {
        if (closed) {
            return;
        }
        closed = true;
        listener.close();
        shared.detach(session.session());
        session.close();
    }
}
