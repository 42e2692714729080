package io.holdfast.client.wire;

import io.holdfast.client.service.AcquireAttempt;
import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.AcquireRequest;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;
import io.holdfast.client.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * An acquire on its way: a try over the common connection; if that is in vain, a wait in this
 * client for a connection of its own, then a place at the server there ({@code e}), then the wait
 * for the grant ({@code w}). Two steps, because only {@code e} tells when the place is taken.
 * Everything happens in turns.
 */
final class PlainAttempt implements AcquireAttempt {
    private enum Phase {
        /** Waits in this client. */
        QUEUED_HERE,
        /** Its try is under way. */
        TRYING,
        /** Has a connection and asks there for a place. */
        ENQUEUING,
        /** Stands in line at the server. */
        ENQUEUED,
        ENDED
    }

    private final PlainContext context;
    private final PlainAcquireQueue plainAcquireQueue;
    private final AcquireRequest what;
    private final KindAndKey queueKey;
    private final Consumer<AcquireOutcome> done;
    private final long number;
    private final long deadlineNanos;
    private Phase phase = Phase.QUEUED_HERE;
    private boolean tried;
    private @Nullable Timer timer;
    private @Nullable Try running;
    private @Nullable PlainConnection connection;

    PlainAttempt(
            PlainContext context,
            PlainAcquireQueue plainAcquireQueue,
            AcquireRequest what,
            Consumer<AcquireOutcome> done,
            long number) {
        this.context = context;
        this.plainAcquireQueue = plainAcquireQueue;
        this.what = what;
        this.queueKey = new KindAndKey(what.kind(), what.key());
        this.done = done;
        this.number = number;
        this.deadlineNanos = context.now() + Math.min(what.waitNanos(), PlainContext.MAX_NANOS);
    }

    /** Its place in the order of this client. */
    long number() {
        return number;
    }

    KindAndKey queueKey() {
        return queueKey;
    }

    boolean isPatient() {
        return what.waitNanos() > 0;
    }

    boolean isQueuedHere() {
        return phase == Phase.QUEUED_HERE;
    }

    boolean wasTried() {
        return tried;
    }

    void startClock() {
        if (what.waitNanos() != AcquireRequest.FOREVER) {
            timer = context.after(what.waitNanos(), () -> giveUp(new AcquireOutcome.TimedOut()));
        }
    }

    @Override
    public void cancel() {
        context.executor().execute(() -> giveUp(new AcquireOutcome.Cancelled()));
    }

    /** Ends it if it has not ended. A grant under way is given back. */
    void giveUp(AcquireOutcome acquireOutcome) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (running != null) {
            plainAcquireQueue.withdraw(running);
        }
        Phase before = phase;
        PlainConnection used = connection;
        end(acquireOutcome);
        plainAcquireQueue.removed(this, before == Phase.ENQUEUED);
        if (used != null && !used.carriesHolds()) {
            plainAcquireQueue.drop(used); // the server gives up the wait with the connection
        }
    }

    private void end(AcquireOutcome acquireOutcome) {
        phase = Phase.ENDED;
        if (timer != null) {
            timer.cancel();
        }
        context.executor().execute(() -> done.accept(acquireOutcome));
    }

    // ---- over the common connection ----

    void tryNow(SharedPlainConnection common) {
        phase = Phase.TRYING;
        running = new Try();
        common.submit(running);
    }

    private String asking(String command, String semaphore, String timeout) {
        boolean counted = what.kind() == AcquireRequest.Kind.SEMAPHORE;
        String argument =
                timeout + (counted ? " " + what.limit() : "") + GrantLine.lease(what.leaseNanos());
        return PlainExchange.lines(counted ? semaphore : command, what.key(), argument.strip());
    }

    private void tried(PlainConnection by, long askedAtNanos, String answer) {
        running = null;
        GrantLine grantLine = GrantLine.parse(answer);
        if (grantLine != null) {
            granted(by, grantLine, askedAtNanos, false);
        } else if (phase != Phase.ENDED) {
            if (!answer.equals("timeout")) {
                fail(context.refused(answer), false);
            } else if (isPatient()) {
                tried = true;
                phase = Phase.QUEUED_HERE;
                plainAcquireQueue.advance(queueKey);
            } else {
                end(new AcquireOutcome.TimedOut());
                plainAcquireQueue.removed(this, false);
            }
        }
    }

    private void granted(
            PlainConnection by, GrantLine grantLine, long askedAtNanos, boolean placed) {
        PlainHold hold = plainAcquireQueue.hold(by, queueKey, grantLine, askedAtNanos);
        if (phase == Phase.ENDED) {
            var unused = hold.release();
            return;
        }
        end(new AcquireOutcome.Granted(hold));
        plainAcquireQueue.removed(this, placed);
    }

    private void fail(ServiceException why, boolean placed) {
        if (phase == Phase.ENDED) {
            return;
        }
        end(new AcquireOutcome.Failed(why));
        plainAcquireQueue.removed(this, placed);
    }

    // ---- over a connection of its own ----

    /** A connection to wait on, perhaps not open yet. */
    void assign(PlainConnection own) {
        phase = Phase.ENQUEUING;
        connection = own;
        if (own.isIdle()) {
            enqueue(own);
        }
    }

    /** The connection is open now. */
    void enqueue(PlainConnection own) {
        own.send(new Step(asking("e", "se", ""), context.readLimitNanos(), this::enqueued));
    }

    private void enqueued(PlainConnection own, long unused, String answer) {
        if (!answer.equals("queued") && !answer.startsWith("acquired ")) {
            connection = null;
            fail(context.refused(answer), false);
            return;
        }
        long wait = 0; // given up: look whether it is ours already, and leave the line
        if (phase != Phase.ENDED) {
            phase = Phase.ENQUEUED;
            wait = GrantLine.seconds(Math.max(0, deadlineNanos - context.now()));
        }
        if (what.waitNanos() == AcquireRequest.FOREVER && phase != Phase.ENDED) {
            wait = GrantLine.MAX_SECONDS;
        }
        String command = what.kind() == AcquireRequest.Kind.SEMAPHORE ? "sw" : "w";
        String request = PlainExchange.lines(command, what.key(), Long.toString(wait));
        own.send(new Step(request, limit(wait), this::waited));
        if (phase == Phase.ENQUEUED) {
            plainAcquireQueue.enqueued(this);
        }
    }

    private long limit(long seconds) {
        return Math.min(seconds, Integer.MAX_VALUE) * 1_000_000_000L + context.readLimitNanos();
    }

    private void waited(PlainConnection own, long askedAtNanos, String answer) {
        boolean placed = phase == Phase.ENQUEUED;
        connection = null;
        GrantLine grantLine = GrantLine.parse(answer);
        if (grantLine != null) {
            granted(own, grantLine, askedAtNanos, placed);
        } else if (phase != Phase.ENDED) {
            if (answer.equals("timeout")) {
                end(new AcquireOutcome.TimedOut());
                plainAcquireQueue.removed(this, placed);
            } else if (isPassing(answer)) {
                plainAcquireQueue.pause();
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
        boolean placed = phase == Phase.ENQUEUED;
        phase = Phase.QUEUED_HERE;
        tried = false;
        connection = null;
        plainAcquireQueue.restarted(this, placed);
    }

    /** The connection ended before it was answered. */
    void connectionEnded() {
        if (phase != Phase.ENDED) {
            again();
        }
    }

    /** No connection could be opened for it. */
    void connectionFailed(ServiceException why) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (why.kind() == Kind.AUTHENTICATION) {
            connection = null;
            fail(why, false);
        } else {
            again();
        }
    }

    private final class Try extends ImmediateRequest {
        Try() {
            super(asking("l", "sl", "0"), context.readLimitNanos());
        }

        @Override
        boolean isRepeatable() {
            return true; // what an unanswered one got has ended with its connection
        }

        @Override
        boolean waitsForConnection() {
            return PlainAttempt.this.isPatient();
        }

        @Override
        public void answered(PlainConnection by, String line) {
            tried(by, leftAtNanos(), line);
        }

        @Override
        void failed(ServiceException why) {
            running = null;
            fail(why, false);
        }
    }

    /** What to do with an answer. */
    private interface ReplyHandler {
        void accept(PlainConnection own, long leftAtNanos, String answer);
    }

    private final class Step implements PlainExchange {
        private final String request;
        private final long limitNanos;
        private final ReplyHandler next;
        private long leftAtNanos;

        Step(String request, long limitNanos, ReplyHandler next) {
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
        public void answered(PlainConnection own, String line) {
            next.accept(own, leftAtNanos, line);
        }

        @Override
        public void lost(ServiceException why) {
            connectionEnded();
        }
    }
}
