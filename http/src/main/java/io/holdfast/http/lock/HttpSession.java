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
 * What holds and waits for the requests of one client. They run one after another, in the order in
 * which they came. Belongs to the event loop, except for the methods that the driver calls.
 */
final class HttpSession implements EffectMailbox {
    private static final int MAX_QUEUED = 1000;

    /** A request that has been submitted. */
    private static final class Running {
        final LockTask task;
        final long request;
        final Command.Locking command;

        /** Whether it is known to wait in line. */
        boolean waits;

        Running(LockTask lockTask, long request, Command.Locking command) {
            this.task = lockTask;
            this.request = request;
            this.command = command;
        }
    }

    private final HttpContext httpContext;
    private final Session session;
    private final Consumer<HttpSession> forget;
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();

    /** The request that was last told to have no answer so far. */
    private volatile long waiting;

    private final ArrayDeque<LockTask> queue = new ArrayDeque<>();
    private @Nullable Running running;
    private long lastRequest;
    private long lastAnswered;

    /** Requests whose answers are being written. */
    private final NavigableSet<Long> writing = new TreeSet<>();

    private boolean going;

    /** Requests and answers under way. */
    private int uses;

    private long usedNanos = System.nanoTime();
    private boolean endsWhenIdle;
    private boolean ended;

    /**
     * A session without any requests.
     *
     * @param forget called once, when it ends
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

    /** Somebody asked for it. */
    void use() {
        usedNanos = System.nanoTime();
    }

    boolean isUnusedFor(long nanos) {
        return uses == 0 && System.nanoTime() - usedNanos > nanos;
    }

    /** Does a request when its turn comes. */
    void submit(LockTask lockTask) {
        if (queue.size() >= MAX_QUEUED) {
            lockTask.exchange()
                    .fail(
                            new HttpProblem(
                                    503, "busy", "this session has too many requests waiting"));
            return;
        }
        uses++;
        queue.add(lockTask);
        lockTask.exchange().onGone(() -> abandon(lockTask));
        process();
    }

    /** Tells what has come and begins what may begin; never within itself. */
    private void process() {
        if (going) {
            return; // whoever does looks again
        }
        going = true;
        try {
            do {
                takeEffects();
                takeWaiting();
            } while (beginNext());
        } finally {
            going = false;
        }
    }

    /** Begins the next request in line; false if there is none, or one is under way. */
    private boolean beginNext() {
        LockTask next = running == null && !ended ? queue.poll() : null;
        if (next == null) {
            return false;
        }
        if (next.exchange().isGone()) {
            done();
        } else if (next.creates() && httpContext.isDraining()) {
            next.exchange().fail(HttpProblem.draining()).onComplete(_ -> done());
        } else {
            long request = ++lastRequest;
            Command.Locking command = next.question().create(session.id(), request);
            Running begun = new Running(next, request, command);
            running = begun;
            begun.waits = session.submit(command);
        }
        return true;
    }

    private void takeEffects() {
        for (Effect effect = effects.poll(); effect != null; effect = effects.poll()) {
            Running answered = running;
            if (answered != null && effect.request() == answered.request) {
                running = null;
                answer(answered, effect);
            }
        }
    }

    /** What turns out to wait, with nobody waiting for it any more, is withdrawn. */
    private void takeWaiting() {
        Running asked = running;
        if (asked != null && asked.request == waiting) {
            asked.waits = true;
            if (asked.task.exchange().isGone()) {
                withdraw(asked);
                done();
            }
        }
    }

    private void answer(Running answered, Effect effect) {
        writing.add(answered.request);
        answered.task
                .respond(effect)
                .onComplete(
                        written -> {
                            writing.remove(answered.request);
                            if (written.succeeded()) {
                                lastAnswered = Math.max(lastAnswered, answered.request);
                            } else {
                                undo(answered, effect);
                            }
                            done();
                        });
    }

    /** Nobody was told of it: what it began must not stay. */
    private void undo(Running untold, Effect effect) {
        if (ended) {
            return;
        }
        Command.Locking command = untold.command;
        if (effect instanceof Effect.Queued) {
            leaveQueue(command);
        } else if (effect instanceof Effect.Granted) {
            session.submit(
                    new Command.Cancel(
                            session.id(), untold.request, command.kind(), command.key()));
        } else if (effect instanceof Effect.TryAcquired tryAcquired && tryAcquired.isNew()) {
            session.submit(
                    new Command.ReleaseBySession(
                            session.id(), ++lastRequest, command.kind(), command.key()));
        }
        process();
    }

    /** A place without anybody who awaits it is left by awaiting it for no time. */
    private void leaveQueue(Command.Locking command) {
        long request = ++lastRequest;
        session.submit(new Command.Await(session.id(), request, command.kind(), command.key(), 0));
        session.submit(new Command.Cancel(session.id(), request, command.kind(), command.key()));
    }

    /** The client of a request has gone. */
    private void abandon(LockTask lockTask) {
        Running asked = running;
        if (asked != null && asked.task.exchange() == lockTask.exchange()) {
            if (asked.waits) {
                withdraw(asked);
                done();
                process();
            } // else what it comes to is undone when that is known
        } else if (queue.remove(lockTask)) {
            done();
        } // else it is being answered
    }

    /** Ends a wait. What it was granted meanwhile is released, and its answer is not looked at. */
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

    /** Nothing is asked of it any more: it ends with what is under way. */
    void endWhenIdle() {
        endsWhenIdle = true;
        if (uses == 0 && !ended) {
            end(() -> {});
        }
    }

    /** The server shuts down: who waits is sent away, and who holds may release. */
    void drain() {
        Running asked = running;
        if (asked != null && asked.waits && asked.task.creates()) {
            withdraw(asked);
            asked.task.exchange().fail(HttpProblem.draining()).onComplete(_ -> done());
            process();
        } // else it is told again
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
     * Ends it, and all its requests with it.
     *
     * @param released called on the event loop once everything is free
     */
    void end(Runnable released) {
        if (ended) {
            released.run();
            return;
        }
        ended = true;
        Running asked = running;
        running = null;
        List<LockTask> left = List.copyOf(queue);
        queue.clear();
        session.close(lastDelivered(), () -> httpContext.runOnEventLoop(released));
        forget.accept(this);
        // A client that made no session learns nothing from its end.
        HttpProblem httpProblem =
                endsWhenIdle ? RefusalProblems.problem(Refusal.UNAVAILABLE) : HttpSessions.gone();
        if (asked != null) {
            asked.task.exchange().fail(httpProblem);
        }
        left.forEach(lockTask -> lockTask.exchange().fail(httpProblem));
    }

    /** Nobody knows for sure of what an answer tells that is still being written. */
    private long lastDelivered() {
        return writing.isEmpty() ? lastAnswered : Math.min(lastAnswered, writing.first() - 1);
    }
}
