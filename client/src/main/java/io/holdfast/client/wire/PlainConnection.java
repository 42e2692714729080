package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * A connection to a plain dflockd with at most one request in flight, and the holds that end with
 * it. It is pinged while idle, and ends when an answer does not come in time. Everything but
 * dialing, reading and writing happens in turns.
 */
final class PlainConnection {
    /** Who uses it. */
    interface PlainConnectionListener {
        /** Connected; requests may be sent. */
        void opened(PlainConnection plainConnection);

        /** There never was a connection. */
        void failed(PlainConnection plainConnection, ServiceException why);

        /** The answer was told and nothing else was sent since. */
        void idle(PlainConnection plainConnection);

        /**
         * The connection ended, and not by {@link PlainConnection#close}.
         *
         * @param abruptly without a farewell: other connections may be as dead and not know it
         */
        void ended(PlainConnection plainConnection, boolean abruptly);

        default void signal(String channel, String payload) {}

        /** Time passes: called while idle, about three times per read timeout. */
        default void tick(PlainConnection plainConnection) {}
    }

    private enum State {
        DIALING,
        IDLE,
        BUSY,
        ENDED
    }

    private final PlainContext context;
    private final PlainConnectionListener plainConnectionListener;
    private final Set<PlainHold> holds = new LinkedHashSet<>();
    private State state = State.DIALING;
    private @Nullable LineSocket socket;
    private @Nullable PlainExchange current;
    private @Nullable Timer limit;
    private @Nullable Timer tick;
    private long sent;
    private long lastSentNanos;
    private long lastUsedNanos;
    private boolean answered;
    private boolean carriedAtEnd;

    PlainConnection(PlainContext context, PlainConnectionListener plainConnectionListener) {
        this.context = context;
        this.plainConnectionListener = plainConnectionListener;
    }

    /** Dials in the background. */
    void dial(PlainConnector.Choice choice) {
        onThread(() -> dialAndRead(choice));
    }

    /** Goes on with a connection that somebody else opened. */
    void adopt(LineSocket open) {
        opened(open);
        onThread(() -> read(open));
    }

    private void dialAndRead(PlainConnector.Choice choice) {
        LineSocket open;
        try {
            open = context.dialer().dial(choice);
        } catch (ServiceException e) {
            context.executor().execute(() -> failed(e));
            return;
        }
        context.executor().execute(() -> opened(open));
        read(open);
    }

    private void read(LineSocket open) {
        try {
            while (true) {
                String line = open.readLine();
                context.executor().execute(() -> arrived(line));
            }
        } catch (EOFException e) {
            context.executor().execute(() -> end("the server closed the connection", null, false));
        } catch (IOException e) {
            context.executor().execute(() -> end("the connection broke", e, true));
        }
    }

    private void failed(ServiceException why) {
        if (state != State.ENDED) {
            state = State.ENDED;
            plainConnectionListener.failed(this, why);
        }
    }

    private void opened(LineSocket open) {
        if (state == State.ENDED) {
            open.close();
            return;
        }
        socket = open;
        state = State.IDLE;
        lastSentNanos = context.now();
        lastUsedNanos = lastSentNanos;
        tick = context.after(thirdOfReadTimeout(), this::tick);
        plainConnectionListener.opened(this);
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    /** Whether the server ever said anything to us here. */
    boolean wasAnswered() {
        return answered;
    }

    /** When something other than a ping was last done here. */
    long lastUsedNanos() {
        return lastUsedNanos;
    }

    /** Sends; only while idle. */
    void send(PlainExchange plainExchange) {
        LineSocket open = socket;
        if (state != State.IDLE || open == null) {
            throw new IllegalStateException("busy");
        }
        state = State.BUSY;
        current = plainExchange;
        long number = ++sent;
        lastSentNanos = context.now();
        plainExchange.leaving(lastSentNanos);
        limit = context.after(plainExchange.limitNanos(), () -> timedOut(number));
        String request = plainExchange.request();
        onThread(() -> write(open, request));
    }

    private void write(LineSocket open, String request) {
        try {
            open.write(request.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            context.executor().execute(() -> end("the connection broke", e, true));
        }
    }

    private void arrived(String line) {
        if (state == State.ENDED) {
            return;
        }
        if (line.startsWith("sig ")) {
            int blank = line.indexOf(' ', 4);
            if (blank > 0) {
                plainConnectionListener.signal(line.substring(4, blank), line.substring(blank + 1));
            }
            return;
        }
        PlainExchange asked = current;
        if (asked == null) { // a server that gives up on us says so before it closes
            end("the server spoke unasked", null, false);
            return;
        }
        current = null;
        cancel(limit);
        answered = true;
        state = State.IDLE;
        if (!(asked instanceof Ping)) {
            lastUsedNanos = context.now();
        }
        asked.answered(this, line);
        if (state == State.IDLE) {
            plainConnectionListener.idle(this);
        }
    }

    private void timedOut(long number) {
        if (current != null && sent == number) {
            end("no answer in time", null, true);
        }
    }

    private void tick() {
        if (state == State.ENDED) {
            return;
        }
        forgetExpired();
        if (state == State.IDLE) {
            plainConnectionListener.tick(this);
        }
        if (state == State.ENDED) {
            return;
        }
        long third = thirdOfReadTimeout();
        long sentAgo = context.now() - lastSentNanos;
        if (state == State.IDLE && sentAgo >= third) {
            send(new Ping(context.readLimitNanos()));
            sentAgo = 0;
        }
        tick = context.after(sentAgo >= third ? third : third - sentAgo, this::tick);
    }

    /** Ends it on purpose: nobody is told, and what the server has for this connection goes. */
    void close() {
        if (state == State.ENDED) {
            return;
        }
        finish();
        PlainExchange asked = current;
        current = null;
        if (asked != null) {
            asked.lost(context.failure(Kind.CLOSED, "the connection was closed", null));
        }
    }

    /** Ends it as if the server had: it is not believed to answer any more. */
    void abort() {
        end("the server is silent", null, true);
    }

    private void end(String what, @Nullable Throwable cause, boolean abruptly) {
        if (state == State.ENDED) {
            return;
        }
        finish();
        List<PlainHold> gone = List.copyOf(holds);
        holds.clear();
        gone.forEach(PlainHold::connectionEnded);
        PlainExchange asked = current;
        current = null;
        if (asked != null) {
            asked.lost(context.failure(Kind.OUTCOME_UNKNOWN, what, cause));
        }
        carriedAtEnd = !gone.isEmpty();
        plainConnectionListener.ended(this, abruptly);
    }

    /** Whether its unexpected end cost a hold. */
    boolean carriedAtEnd() {
        return carriedAtEnd;
    }

    private void finish() {
        state = State.ENDED;
        cancel(limit);
        cancel(tick);
        LineSocket open = socket;
        if (open != null) {
            open.close();
        }
    }

    void carry(PlainHold hold) {
        holds.add(hold);
    }

    void drop(PlainHold hold) {
        holds.remove(hold);
    }

    boolean carriesHolds() {
        return !holds.isEmpty();
    }

    List<PlainHold> holds() {
        return List.copyOf(holds);
    }

    private void forgetExpired() {
        long now = context.now();
        for (PlainHold hold : List.copyOf(holds)) {
            if (hold.isOverAt(now)) {
                hold.expired();
            }
        }
    }

    private long thirdOfReadTimeout() {
        return Math.max(1, context.readLimitNanos() / 3);
    }

    private void onThread(Runnable task) {
        try {
            context.threads().execute(task);
        } catch (RejectedExecutionException e) {
            end("the service has ended", null, false);
        }
    }

    private static void cancel(@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Keeps the connection alive; an old server answers {@code error}, which is as good. */
    record Ping(long limitNanos) implements PlainExchange {
        @Override
        public String request() {
            return PlainExchange.lines("ping", "_", "_");
        }

        @Override
        public void answered(PlainConnection plainConnection, String line) {}

        @Override
        public void lost(ServiceException why) {}
    }
}
