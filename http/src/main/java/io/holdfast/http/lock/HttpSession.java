package io.holdfast.http.lock;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Refusal;
import io.holdfast.http.web.HttpContext;
import io.holdfast.http.web.HttpProblem;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.List;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The session of one HTTP client, or of one request. It executes its requests one at a time, in the
 * order in which they arrived. Belongs to the event loop, except for the methods that the driver
 * calls.
 */
final class HttpSession implements EffectMailbox {
    private static final int MAX_QUEUED = 1000;

    /** A request that has been submitted. */
    private static final class Running {
        final HttpLockRequest httpLockRequest;
        final long request;
        final Command.Locking command;

        /** Whether the request is known to be waiting. */
        boolean isWaiting;

        Running(HttpLockRequest httpLockRequest, long request, Command.Locking command) {
            this.httpLockRequest = httpLockRequest;
            this.request = request;
            this.command = command;
        }
    }

    private final HttpContext httpContext;
    private final Session session;
    private final Consumer<HttpSession> forget;
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();

    /** The last request that the driver reported as pending. */
    private volatile long waiting;

    private final ArrayDeque<HttpLockRequest> queue = new ArrayDeque<>();
    private @Nullable Running running;
    private long lastRequest;
    private long lastDeliveredRequest;

    /** Requests whose responses are being written. */
    private final NavigableSet<Long> writing = new TreeSet<>();

    private boolean processing;

    /** Requests that are queued or in flight, and responses that are being written. */
    private int uses;

    private long usedNanos = System.nanoTime();
    private boolean endsWhenIdle;
    private boolean ended;

    /**
     * Opens a driver session.
     *
     * @param forget called once, when the session ends
     */
    HttpSession(HttpContext httpContext, ClientInfo clientInfo, Consumer<HttpSession> forget) {
        this.httpContext = httpContext;
        this.forget = forget;
        this.session = driver().open(this, clientInfo);
    }

    private Driver driver() {
        return httpContext.backend().driver();
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void onPending(long request) {
        waiting = request;
    }

    @Override
    public void wake() {
        httpContext.runOnEventLoop(this::process);
    }

    @Override
    public boolean kick() {
        httpContext.runOnEventLoop(() -> end(() -> {}));
        return true;
    }

    /** Restarts the idle timeout. */
    void use() {
        usedNanos = System.nanoTime();
    }

    boolean isUnusedFor(long nanos) {
        return uses == 0 && System.nanoTime() - usedNanos > nanos;
    }

    /** Queues a request. */
    void submit(HttpLockRequest httpLockRequest) {
        if (queue.size() >= MAX_QUEUED) {
            httpLockRequest
                    .exchange()
                    .fail(
                            new HttpProblem(
                                    503, "busy", "too many requests are queued in this session"));
            return;
        }
        uses++;
        queue.add(httpLockRequest);
        httpLockRequest.exchange().onGone(() -> abandon(httpLockRequest));
        process();
    }

    /** Handles the effects that have arrived, then submits the next request. Not reentrant. */
    private void process() {
        if (processing) {
            return; // the outer call re-checks
        }
        processing = true;
        try {
            do {
                processEffects();
                processPending();
            } while (beginNext());
        } finally {
            processing = false;
        }
    }

    /** Submits the next request in the queue; false if there is none, or one is in flight. */
    private boolean beginNext() {
        HttpLockRequest next = running == null && !ended ? queue.poll() : null;
        if (next == null) {
            return false;
        }
        if (next.exchange().isGone()) {
            done();
        } else if (next.creates() && httpContext.isDraining()) {
            next.exchange().fail(HttpProblem.draining()).onComplete(_ -> done());
        } else {
            long request = ++lastRequest;
            Command.Locking command = next.commandFactory().create(session.id(), request);
            Running begun = new Running(next, request, command);
            running = begun;
            begun.isWaiting = session.submit(command);
        }
        return true;
    }

    private void processEffects() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            Running completed = running;
            if (completed != null && effect.request() == completed.request) {
                running = null;
                respond(completed, effect);
            }
        }
    }

    /** Cancels a request that turns out to wait after its client has gone. */
    private void processPending() {
        Running current = running;
        if (current != null && current.request == waiting) {
            current.isWaiting = true;
            if (current.httpLockRequest.exchange().isGone()) {
                withdraw(current);
                done();
            }
        }
    }

    private void respond(Running completed, Effect effect) {
        writing.add(completed.request);
        completed
                .httpLockRequest
                .respond(effect)
                .onComplete(
                        written -> {
                            writing.remove(completed.request);
                            if (written.succeeded()) {
                                lastDeliveredRequest =
                                        Math.max(lastDeliveredRequest, completed.request);
                            } else {
                                undo(completed, effect);
                            }
                            done();
                        });
    }

    /**
     * Reverts a request whose response was not delivered: what it acquired or enqueued must not
     * stay.
     */
    private void undo(Running undelivered, Effect effect) {
        if (ended) {
            return;
        }
        Command.Locking command = undelivered.command;
        if (effect instanceof Effect.Queued) {
            leaveQueue(command);
        } else if (effect instanceof Effect.Granted) {
            session.submit(
                    new Command.Cancel(
                            session.id(), undelivered.request, command.kind(), command.key()));
        } else if (effect instanceof Effect.TryAcquired tryAcquired && tryAcquired.isNew()) {
            session.submit(
                    new Command.ReleaseBySession(
                            session.id(), ++lastRequest, command.kind(), command.key()));
        }
        process();
    }

    /** Leaves a queue that no request waits in, by waiting for it with a timeout of 0. */
    private void leaveQueue(Command.Locking command) {
        long request = ++lastRequest;
        session.submit(new Command.Await(session.id(), request, command.kind(), command.key(), 0));
        session.submit(new Command.Cancel(session.id(), request, command.kind(), command.key()));
    }

    /** Called when the client of a request has gone. */
    private void abandon(HttpLockRequest httpLockRequest) {
        Running current = running;
        if (current != null && current.httpLockRequest.exchange() == httpLockRequest.exchange()) {
            if (current.isWaiting) {
                withdraw(current);
                done();
                process();
            } // else its effect is reverted when it arrives
        } else if (queue.remove(httpLockRequest)) {
            done();
        } // else its response is being written
    }

    /**
     * Cancels a wait. A grant that was made meanwhile is released, and the effect of the request is
     * ignored.
     */
    private void withdraw(Running waiting) {
        running = null;
        session.submit(
                new Command.Cancel(
                        session.id(),
                        waiting.request,
                        waiting.command.kind(),
                        waiting.command.key()));
    }

    private void done() {
        uses--;
        use();
        if (uses > 0 || ended) {
            return;
        }
        if (endsWhenIdle) {
            end(() -> {});
        } else if (httpContext.isDraining()) {
            endUnlessHolding();
        }
    }

    /** No more requests follow: the session ends when none is queued or in flight. */
    void endWhenIdle() {
        endsWhenIdle = true;
        if (uses == 0 && !ended) {
            end(() -> {});
        }
    }

    /**
     * Called when the server shuts down: an acquire that waits fails, and a session with holds
     * stays open so that its client can release them.
     */
    void drain() {
        Running current = running;
        if (current != null && current.isWaiting && current.httpLockRequest.creates()) {
            withdraw(current);
            current.httpLockRequest.exchange().fail(HttpProblem.draining()).onComplete(_ -> done());
            process();
        } // else this is called again
        if (uses == 0) {
            endUnlessHolding();
        }
    }

    private void endUnlessHolding() {
        if (!session.isHolding()) {
            end(() -> {});
        }
    }

    /**
     * Ends the session and fails all its requests.
     *
     * @param released called on the event loop once everything is released
     */
    void end(Runnable released) {
        if (ended) {
            released.run();
            return;
        }
        ended = true;
        Running current = running;
        running = null;
        List<HttpLockRequest> left = List.copyOf(queue);
        queue.clear();
        session.close(lastDelivered(), () -> httpContext.runOnEventLoop(released));
        forget.accept(this);
        // The client of a single request has no session, so that error would not help it.
        HttpProblem httpProblem =
                endsWhenIdle ? RefusalProblems.problem(Refusal.UNAVAILABLE) : HttpSessions.gone();
        if (current != null) {
            current.httpLockRequest.exchange().fail(httpProblem);
        }
        left.forEach(httpLockRequest -> httpLockRequest.exchange().fail(httpProblem));
    }

    /**
     * The last request whose response was delivered, as far as known: a response that is still
     * being written does not count.
     */
    private long lastDelivered() {
        return writing.isEmpty()
                ? lastDeliveredRequest
                : Math.min(lastDeliveredRequest, writing.first() - 1);
    }
}
