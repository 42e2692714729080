package io.holdfast.http.signal;

import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
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
 * A client that listens: it is registered first, and its stream begins when it is. Belongs to the
 * event loop, except for the mailbox methods.
 */
final class ListeningClient implements EffectMailbox {
    private final HttpExchange httpExchange;
    private final Duration ping;
    private final SignalStream listener;
    private final HttpSessions.ForStream session;
    private final SignalClient signals;
    private volatile @Nullable Effect result;
    private @Nullable EventStream stream;
    private boolean closed;

    /**
     * @throws HttpProblem if a limit of sessions is reached
     */
    ListeningClient(HttpExchange httpExchange, HttpSessions sessions, Duration ping)
            throws HttpProblem {
        this.httpExchange = httpExchange;
        this.ping = ping;
        this.listener = new SignalStream(httpExchange.web());
        this.session = sessions.openForStream(httpExchange, this);
        this.signals = session.session().openSignals(SignalEmitter.ON_HEAP);
    }

    void listen(Key pattern, ByteString group) {
        httpExchange.onGone(this::close);
        signals.deliverTo(listener);
        Effect known = signals.listen(1, pattern, group);
        if (known != null) {
            begin(known);
        }
    }

    @Override
    public void add(Effect effect) {
        result = effect;
    }

    @Override
    public void wake() {
        httpExchange
                .web()
                .runOnEventLoop(
                        () -> {
                            Effect known = result;
                            if (known != null) {
                                begin(known);
                            }
                        });
    }

    @Override
    public boolean kick() {
        httpExchange.web().runOnEventLoop(this::end);
        return true;
    }

    private void begin(Effect known) {
        if (stream != null || closed) {
            return;
        }
        switch (known) {
            case Effect.Changed _ -> open();
            case Effect.Refused(_, _, Refusal reason) ->
                    refuse(
                            reason == Refusal.UNAVAILABLE
                                    ? RefusalProblems.problem(reason)
                                    : SignalRoutes.limitReached());
            default -> throw new IllegalStateException("unexpected effect of a listener: " + known);
        }
    }

    private void open() {
        EventStream opened;
        try {
            opened = httpExchange.stream();
        } catch (HttpProblem httpProblem) {
            refuse(httpProblem);
            return;
        }
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
        signals.close();
        session.close();
    }
}
