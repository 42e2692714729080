package io.holdfast.http.signal;

import io.holdfast.driver.Mailbox;
import io.holdfast.driver.signal.SharedSignals;
import io.holdfast.driver.signal.SignalRequest;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.http.lock.HttpSessions;
import io.holdfast.http.lock.Refusals;
import io.holdfast.http.web.EventStream;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Problem;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * One who listens to shared signals: first it is asked for, then it is a stream. Belongs to the
 * event loop, except for the mailbox methods.
 */
final class SharedStream implements Mailbox {
    private final Exchange exchange;
    private final SharedSignals shared;
    private final Duration ping;
    private final SignalStream listener;
    private final HttpSessions.ForStream session;
    private volatile @Nullable Effect answer;
    private @Nullable EventStream stream;
    private boolean closed;

    private SharedStream(
            Exchange exchange, SharedSignals shared, HttpSessions sessions, Duration ping)
            throws Problem {
        this.exchange = exchange;
        this.shared = shared;
        this.ping = ping;
        this.listener = new SignalStream(exchange.web());
        this.session = sessions.openForStream(exchange, this);
    }

    static SharedStream open(
            Exchange exchange, SharedSignals shared, HttpSessions sessions, Duration ping)
            throws Problem {
        return new SharedStream(exchange, shared, sessions, ping);
    }

    void listen(Key pattern, ByteString group) {
        shared.attach(session.session(), listener);
        exchange.onGone(this::close);
        shared.submit(session.session(), new SignalRequest.Listen(1, pattern, group));
    }

    @Override
    public void add(Effect effect) {
        answer = effect;
    }

    @Override
    public void wake() {
        exchange.web().later(this::begin);
    }

    @Override
    public boolean kick() {
        exchange.web().later(this::end);
        return true;
    }

    private void begin() {
        Effect told = answer;
        if (told == null || stream != null || closed) {
            return;
        }
        if (told instanceof Effect.Changed) {
            try {
                write(exchange.stream());
            } catch (Problem problem) {
                refuse(problem);
            }
        } else if (told instanceof Effect.Refused(_, _, var reason)
                && reason == Refusal.UNAVAILABLE) {
            refuse(Refusals.problem(reason));
        } else {
            refuse(SignalRoutes.noRoom());
        }
    }

    private void write(EventStream opened) {
        stream = opened;
        opened.onEnd(this::close);
        opened.pingEvery(ping);
        listener.writeTo(opened);
    }

    private void refuse(Problem problem) {
        exchange.fail(problem);
        close();
    }

    private void end() {
        if (stream != null) {
            stream.close();
        } else if (!closed) {
            refuse(Refusals.problem(Refusal.UNAVAILABLE));
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
