package io.holdfast.http.lock;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.http.web.Problem;
import io.holdfast.http.web.Web;

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
final class HttpSession implements Mailbox {
    private static final int MOST_IN_LINE = 1000;

    /** A request that has been submitted. */
    private static final class Running {
        final Task task;
        final long request;
        final Command.Locking command;

        /** Whether it is known to wait in line. */
        boolean waits;

        Running(Task task, long request, Command.Locking command) {
            this.task = task;
            this.request = request;
            this.command = command;
        }
    }

    private final Web web;
    private final Session session;
    private final Consumer<HttpSession> forget;
    private final Queue<Effect> effects = new ConcurrentLinkedQueue<>();

    /** The request that was last told to have no answer so far. */
    private volatile long waiting;

    private final ArrayDeque<Task> line = new ArrayDeque<>();
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
    HttpSession(Web web, Peer peer, Consumer<HttpSession> forget) {
        this.web = web;
        this.forget = forget;
        this.session = driver().open(this, peer);
    }

    private Driver driver() {
        return web.backend().driver();
    }

    @Override
    public void add(Effect effect) {
        effects.add(effect);
    }

    @Override
    public void waits(long request) {
        waiting = request;
    }

    @Override
    public void wake() {
        web.later(this::goOn);
    }

    @Override
    public boolean kick() {
        web.later(() -> end(() -> {}));
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
    void submit(Task task) {
        if (line.size() >= MOST_IN_LINE) {
            task.exchange()
                    .fail(new Problem(503, "busy", "this session has too many requests waiting"));
            return;
        }
        uses++;
        line.add(task);
        task.exchange().onGone(() -> abandon(task));
        goOn();
    }

    /** Tells what has come and begins what may begin; never within itself. */
    private void goOn() {
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
        Task next = running == null && !ended ? line.poll() : null;
        if (next == null) {
            return false;
        }
        if (next.exchange().isGone()) {
            done();
        } else if (next.creates() && web.isDraining()) {
            next.exchange().fail(Problem.draining()).onComplete(_ -> done());
        } else {
            long request = ++lastRequest;
            Command.Locking command = next.question().ask(session.id(), request);
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
                .tell(effect)
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
            giveUpPlace(command);
        } else if (effect instanceof Effect.Granted) {
            session.submit(
                    new Command.Cancel(
                            session.id(), untold.request, command.kind(), command.key()));
        } else if (effect instanceof Effect.Claimed claimed && claimed.anew()) {
            session.submit(
                    new Command.Unclaim(
                            session.id(), ++lastRequest, command.kind(), command.key()));
        }
        goOn();
    }

    /** A place without anybody who awaits it is left by awaiting it for no time. */
    private void giveUpPlace(Command.Locking command) {
        long request = ++lastRequest;
        session.submit(new Command.Await(session.id(), request, command.kind(), command.key(), 0));
        session.submit(new Command.Cancel(session.id(), request, command.kind(), command.key()));
    }

    /** The client of a request has gone. */
    private void abandon(Task task) {
        Running asked = running;
        if (asked != null && asked.task.exchange() == task.exchange()) {
            if (asked.waits) {
                withdraw(asked);
                done();
                goOn();
            } // else what it comes to is undone when that is known
        } else if (line.remove(task)) {
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
        } else if (web.isDraining()) {
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
            asked.task.exchange().fail(Problem.draining()).onComplete(_ -> done());
            goOn();
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
        List<Task> left = List.copyOf(line);
        line.clear();
        session.close(lastTold(), () -> web.later(released));
        forget.accept(this);
        if (asked != null) {
            asked.task.exchange().fail(HttpSessions.gone());
        }
        left.forEach(task -> task.exchange().fail(HttpSessions.gone()));
    }

    /** Nobody knows for sure of what an answer tells that is still being written. */
    private long lastTold() {
        return writing.isEmpty() ? lastAnswered : Math.min(lastAnswered, writing.first() - 1);
    }
}
