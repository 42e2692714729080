package io.holdfast.client.wire;

import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.Timeline.Timer;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * An acquire on its way: a try over the common connection; if that is in vain, a wait in this
 * client for a connection of its own, then a place at the server there ({@code e}), then the wait
 * for the grant ({@code w}). Two steps, because only {@code e} tells when the place is taken.
 * Everything happens in turns.
 */
final class PlainAttempt implements Attempt {
    private enum Phase {
        /** Waits in this client. */
        IN_LINE,
        /** Its try is under way. */
        TRYING,
        /** Has a connection and asks there for a place. */
        PLACING,
        /** Stands in line at the server. */
        PLACED,
        ENDED
    }

    private final PlainContext context;
    private final Acquires acquires;
    private final Acquisition what;
    private final LineKey line;
    private final Consumer<Outcome> done;
    private final long number;
    private final long deadlineNanos;
    private Phase phase = Phase.IN_LINE;
    private boolean tried;
    private @Nullable Timer timer;
    private @Nullable Try running;
    private @Nullable Lane lane;

    PlainAttempt(
            PlainContext context,
            Acquires acquires,
            Acquisition what,
            Consumer<Outcome> done,
            long number) {
        this.context = context;
        this.acquires = acquires;
        this.what = what;
        this.line = new LineKey(what.kind(), what.key());
        this.done = done;
        this.number = number;
        this.deadlineNanos = context.now() + Math.min(what.waitNanos(), PlainContext.LONGEST_NANOS);
    }

    /** Its place in the order of this client. */
    long number() {
        return number;
    }

    LineKey line() {
        return line;
    }

    boolean isPatient() {
        return what.waitNanos() > 0;
    }

    boolean isInLine() {
        return phase == Phase.IN_LINE;
    }

    boolean wasTried() {
        return tried;
    }

    void startClock() {
        if (what.waitNanos() != Acquisition.FOREVER) {
            timer = context.after(what.waitNanos(), () -> giveUp(new Outcome.TimedOut()));
        }
    }

    @Override
    public void cancel() {
        context.turns().execute(() -> giveUp(new Outcome.Cancelled()));
    }

    /** Ends it if it has not ended. A grant under way is given back. */
    void giveUp(Outcome outcome) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (running != null) {
            acquires.withdraw(running);
        }
        Phase before = phase;
        Lane used = lane;
        end(outcome);
        acquires.left(this, before == Phase.PLACED);
        if (used != null && !used.carriesHolds()) {
            acquires.drop(used); // the server gives up the wait with the connection
        }
    }

    private void end(Outcome outcome) {
        phase = Phase.ENDED;
        if (timer != null) {
            timer.cancel();
        }
        context.turns().execute(() -> done.accept(outcome));
    }

    // ---- over the common connection ----

    void tryNow(CommonLane common) {
        phase = Phase.TRYING;
        running = new Try();
        common.submit(running);
    }

    private String asking(String command, String semaphore, String timeout) {
        boolean counted = what.kind() == Acquisition.Kind.SEMAPHORE;
        String argument =
                timeout + (counted ? " " + what.limit() : "") + Grant.lease(what.leaseNanos());
        return Exchange.lines(counted ? semaphore : command, what.key(), argument.strip());
    }

    private void tried(Lane by, long askedAtNanos, String answer) {
        running = null;
        Grant grant = Grant.parse(answer);
        if (grant != null) {
            granted(by, grant, askedAtNanos, false);
        } else if (phase != Phase.ENDED) {
            if (!answer.equals("timeout")) {
                fail(context.refused(answer), false);
            } else if (isPatient()) {
                tried = true;
                phase = Phase.IN_LINE;
                acquires.turn(line);
            } else {
                end(new Outcome.TimedOut());
                acquires.left(this, false);
            }
        }
    }

    private void granted(Lane by, Grant grant, long askedAtNanos, boolean placed) {
        PlainHold hold = acquires.hold(by, line, grant, askedAtNanos);
        if (phase == Phase.ENDED) {
            var unused = hold.release();
            return;
        }
        end(new Outcome.Granted(hold));
        acquires.left(this, placed);
    }

    private void fail(ServiceException why, boolean placed) {
        if (phase == Phase.ENDED) {
            return;
        }
        end(new Outcome.Failed(why));
        acquires.left(this, placed);
    }

    // ---- over a connection of its own ----

    /** A connection to wait on, perhaps not open yet. */
    void assign(Lane own) {
        phase = Phase.PLACING;
        lane = own;
        if (own.isIdle()) {
            enqueue(own);
        }
    }

    /** The connection is open now. */
    void enqueue(Lane own) {
        own.send(new Step(asking("e", "se", ""), context.readLimitNanos(), this::enqueued));
    }

    private void enqueued(Lane own, long unused, String answer) {
        if (!answer.equals("queued") && !answer.startsWith("acquired ")) {
            lane = null;
            fail(context.refused(answer), false);
            return;
        }
        long wait = 0; // given up: look whether it is ours already, and leave the line
        if (phase != Phase.ENDED) {
            phase = Phase.PLACED;
            wait = Grant.seconds(Math.max(0, deadlineNanos - context.now()));
        }
        if (what.waitNanos() == Acquisition.FOREVER && phase != Phase.ENDED) {
            wait = Grant.MOST_SECONDS;
        }
        String command = what.kind() == Acquisition.Kind.SEMAPHORE ? "sw" : "w";
        String request = Exchange.lines(command, what.key(), Long.toString(wait));
        own.send(new Step(request, limit(wait), this::waited));
        if (phase == Phase.PLACED) {
            acquires.placed(this);
        }
    }

    private long limit(long seconds) {
        return Math.min(seconds, Integer.MAX_VALUE) * 1_000_000_000L + context.readLimitNanos();
    }

    private void waited(Lane own, long askedAtNanos, String answer) {
        boolean placed = phase == Phase.PLACED;
        lane = null;
        Grant grant = Grant.parse(answer);
        if (grant != null) {
            granted(own, grant, askedAtNanos, placed);
        } else if (phase != Phase.ENDED) {
            if (answer.equals("timeout")) {
                end(new Outcome.TimedOut());
                acquires.left(this, placed);
            } else if (isPassing(answer)) {
                acquires.pause();
                again();
            } else {
                fail(context.refused(answer), placed);
            }
        }
    }

    /** The server is ending, or the grant ran out before it was fetched. */
    private static boolean isPassing(String answer) {
        return answer.equals("error")
                || answer.equals("error_not_enqueued")
                || answer.equals("error_lease_expired");
    }

    /** The connection is gone, or the server forgot us: from the start, at the old place here. */
    private void again() {
        boolean placed = phase == Phase.PLACED;
        phase = Phase.IN_LINE;
        tried = false;
        lane = null;
        acquires.back(this, placed);
    }

    /** The connection ended before it was answered. */
    void laneEnded() {
        if (phase != Phase.ENDED) {
            again();
        }
    }

    /** No connection could be opened for it. */
    void laneFailed(ServiceException why) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (why.kind() == Kind.AUTHENTICATION) {
            lane = null;
            fail(why, false);
        } else {
            again();
        }
    }

    private final class Try extends ShortRequest {
        Try() {
            super(asking("l", "sl", "0"), context.readLimitNanos());
        }

        @Override
        boolean isRepeatable() {
            return true; // what an unanswered one got has ended with its connection
        }

        @Override
        boolean isPatient() {
            return PlainAttempt.this.isPatient();
        }

        @Override
        public void answered(Lane by, String line) {
            tried(by, leftAtNanos(), line);
        }

        @Override
        void failed(ServiceException why) {
            running = null;
            fail(why, false);
        }
    }

    /** What to do with an answer. */
    private interface Answered {
        void accept(Lane own, long leftAtNanos, String answer);
    }

    private final class Step implements Exchange {
        private final String request;
        private final long limitNanos;
        private final Answered next;
        private long leftAtNanos;

        Step(String request, long limitNanos, Answered next) {
            this.request = request;
            this.limitNanos = limitNanos;
            this.next = next;
        }

        @Override
        public String request() {
            return request;
        }

        @Override
        public long limitNanos() {
            return limitNanos;
        }

        @Override
        public void leaving(long nowNanos) {
            leftAtNanos = nowNanos;
        }

        @Override
        public void answered(Lane own, String line) {
            next.accept(own, leftAtNanos, line);
        }

        @Override
        public void lost(ServiceException why) {
            laneEnded();
        }
    }
}
