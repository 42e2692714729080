package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.ServiceException.Kind;
import io.holdfast.client.internal.service.TimerClock.Timer;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * An acquire in progress: a try-acquire over the shared connection; if that times out, a wait in
 * this client for its own connection, then the enqueue there ({@code e}), then the wait for the
 * grant ({@code w}). These are two steps because only the response to {@code e} shows that the
 * queue position is taken. Everything runs in the serial executor of the service.
 */
final class PlainAcquireAttempt implements AcquireAttempt {
    private enum Phase {
        /** Waits in the queue of this client. */
        QUEUED_HERE,
        /** The try-acquire is in flight. */
        TRYING,
        /** Has its own connection, where it sends the enqueue. */
        ENQUEUING,
        /** Is in the server's queue. */
        ENQUEUED,
        ENDED
    }

    private final PlainServiceState serviceState;
    private final AcquireConnectionPool acquireConnectionPool;
    private final AcquireRequest what;
    private final KindAndKey queueKey;
    private final Consumer<AcquireOutcome> done;
    private final long number;
    private final long deadlineNanos;
    private Phase phase = Phase.QUEUED_HERE;
    private boolean tried;
    private @Nullable Timer timer;
    private @Nullable Try runningTry;
    private @Nullable PlainConnection connection;

    PlainAcquireAttempt(
            PlainServiceState serviceState,
            AcquireConnectionPool acquireConnectionPool,
            AcquireRequest what,
            Consumer<AcquireOutcome> done,
            long number) {
        this.serviceState = serviceState;
        this.acquireConnectionPool = acquireConnectionPool;
        this.what = what;
        this.queueKey = new KindAndKey(what.kind(), what.key());
        this.done = done;
        this.number = number;
        this.deadlineNanos =
                serviceState.now() + Math.min(what.waitNanos(), PlainServiceState.MAX_NANOS);
    }

    /** Its position in the order of all acquires of this client. */
    long number() {
        return number;
    }

    KindAndKey queueKey() {
        return queueKey;
    }

    boolean waits() {
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
            timer =
                    serviceState.after(
                            what.waitNanos(), () -> endWith(new AcquireOutcome.TimedOut()));
        }
    }

    @Override
    public void cancel() {
        serviceState.executor().execute(() -> endWith(new AcquireOutcome.Cancelled()));
    }

    /** Ends the attempt if it has not ended. A grant in flight is released when it arrives. */
    void endWith(AcquireOutcome acquireOutcome) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (runningTry != null) {
            acquireConnectionPool.withdraw(runningTry);
        }
        Phase before = phase;
        PlainConnection used = connection;
        end(acquireOutcome);
        acquireConnectionPool.removed(this, before == Phase.ENQUEUED);
        if (used != null && !used.hasHolds()) {
            acquireConnectionPool.drop(used); // the server ends the wait with the connection
        }
    }

    private void end(AcquireOutcome acquireOutcome) {
        phase = Phase.ENDED;
        if (timer != null) {
            timer.cancel();
        }
        serviceState.executor().execute(() -> done.accept(acquireOutcome));
    }

    // ---- over the shared connection ----

    void tryNow(SharedPlainConnection common) {
        phase = Phase.TRYING;
        runningTry = new Try();
        common.submit(runningTry);
    }

    private String requestLines(String command, String semaphoreCommand, String timeout) {
        boolean semaphore = what.kind() == AcquireRequest.Kind.SEMAPHORE;
        String argument =
                timeout
                        + (semaphore ? " " + what.limit() : "")
                        + GrantLine.lease(what.leaseNanos());
        return PlainRequest.lines(
                semaphore ? semaphoreCommand : command, what.key(), argument.strip());
    }

    private void onTryResponse(PlainConnection by, long requestedAtNanos, String response) {
        runningTry = null;
        GrantLine grantLine = GrantLine.parse(response);
        if (grantLine != null) {
            granted(by, grantLine, requestedAtNanos, false);
        } else if (phase != Phase.ENDED) {
            if (!response.equals("timeout")) {
                fail(serviceState.refused(response), false);
            } else if (waits()) {
                tried = true;
                phase = Phase.QUEUED_HERE;
                acquireConnectionPool.advance(queueKey);
            } else {
                end(new AcquireOutcome.TimedOut());
                acquireConnectionPool.removed(this, false);
            }
        }
    }

    private void granted(
            PlainConnection by, GrantLine grantLine, long requestedAtNanos, boolean wasEnqueued) {
        PlainHold hold = acquireConnectionPool.hold(by, queueKey, grantLine, requestedAtNanos);
        if (phase == Phase.ENDED) {
            var unused = hold.release();
            return;
        }
        end(new AcquireOutcome.Granted(hold));
        acquireConnectionPool.removed(this, wasEnqueued);
    }

    private void fail(ServiceException why, boolean wasEnqueued) {
        if (phase == Phase.ENDED) {
            return;
        }
        end(new AcquireOutcome.Failed(why));
        acquireConnectionPool.removed(this, wasEnqueued);
    }

    // ---- over its own connection ----

    /** Assigns the connection to wait on, which may not be open yet. */
    void assign(PlainConnection own) {
        phase = Phase.ENQUEUING;
        connection = own;
        if (own.isIdle()) {
            enqueue(own);
        }
    }

    /** Sends the enqueue on its connection, which is open now. */
    void enqueue(PlainConnection own) {
        own.send(
                new Step(
                        requestLines("e", "se", ""),
                        serviceState.readTimeoutNanos(),
                        this::onEnqueueResponse));
    }

    private void onEnqueueResponse(PlainConnection own, long unused, String response) {
        if (!response.equals("queued") && !response.startsWith("acquired ")) {
            connection = null;
            fail(serviceState.refused(response), false);
            return;
        }
        long wait = 0; // if cancelled: fetch a grant that may exist already, and leave the queue
        if (phase != Phase.ENDED) {
            phase = Phase.ENQUEUED;
            wait = GrantLine.seconds(Math.max(0, deadlineNanos - serviceState.now()));
        }
        if (what.waitNanos() == AcquireRequest.FOREVER && phase != Phase.ENDED) {
            wait = GrantLine.MAX_SECONDS;
        }
        String command = what.kind() == AcquireRequest.Kind.SEMAPHORE ? "sw" : "w";
        String request = PlainRequest.lines(command, what.key(), Long.toString(wait));
        own.send(new Step(request, timeoutNanos(wait), this::onWaitResponse));
        if (phase == Phase.ENQUEUED) {
            acquireConnectionPool.enqueued(this);
        }
    }

    private long timeoutNanos(long seconds) {
        return Math.min(seconds, Integer.MAX_VALUE) * 1_000_000_000L
                + serviceState.readTimeoutNanos();
    }

    private void onWaitResponse(PlainConnection own, long requestedAtNanos, String response) {
        boolean wasEnqueued = phase == Phase.ENQUEUED;
        connection = null;
        GrantLine grantLine = GrantLine.parse(response);
        if (grantLine != null) {
            granted(own, grantLine, requestedAtNanos, wasEnqueued);
        } else if (phase != Phase.ENDED) {
            if (response.equals("timeout")) {
                end(new AcquireOutcome.TimedOut());
                acquireConnectionPool.removed(this, wasEnqueued);
            } else if (isTransient(response)) {
                acquireConnectionPool.pause();
                startOver();
            } else {
                fail(serviceState.refused(response), wasEnqueued);
            }
        }
    }

    /**
     * Whether to start over: the server is shutting down, or the grant expired before it was
     * fetched.
     */
    private static boolean isTransient(String response) {
        return response.equals("error")
                || response.equals("error_not_enqueued")
                || response.equals("error_lease_expired");
    }

    /**
     * Starts over, at its old position in this client, after the connection or the position in the
     * server's queue was lost.
     */
    private void startOver() {
        boolean wasEnqueued = phase == Phase.ENQUEUED;
        phase = Phase.QUEUED_HERE;
        tried = false;
        connection = null;
        acquireConnectionPool.restarted(this, wasEnqueued);
    }

    /** The connection ended before the response. */
    void connectionEnded() {
        if (phase != Phase.ENDED) {
            startOver();
        }
    }

    /** Its connection could not be opened. */
    void connectionFailed(ServiceException why) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (why.kind() == Kind.AUTHENTICATION) {
            connection = null;
            fail(why, false);
        } else {
            startOver();
        }
    }

    private final class Try extends ImmediateRequest {
        Try() {
            super(requestLines("l", "sl", "0"), serviceState.readTimeoutNanos());
        }

        @Override
        boolean isRepeatable() {
            return true; // a grant whose response was lost has ended with the connection
        }

        @Override
        boolean waitsForConnection() {
            return PlainAcquireAttempt.this.waits();
        }

        @Override
        public void onResponse(PlainConnection by, String line) {
            onTryResponse(by, sentAtNanos(), line);
        }

        @Override
        void failed(ServiceException why) {
            runningTry = null;
            fail(why, false);
        }
    }

    /** Handles a response. */
    private interface ReplyHandler {
        void accept(PlainConnection own, long sentAtNanos, String response);
    }

    private final class Step implements PlainRequest {
        private final String request;
        private final long timeoutNanos;
        private final ReplyHandler next;
        private long sentAtNanos;

        Step(String request, long timeoutNanos, ReplyHandler next) {
            this.request = request;
            this.timeoutNanos = timeoutNanos;
            this.next = next;
        }

        @Override
        public String request() {
            return request;
        }

        @Override
        public long timeoutNanos() {
            return timeoutNanos;
        }

        @Override
        public void sending(long nowNanos) {
            sentAtNanos = nowNanos;
        }

        @Override
        public void onResponse(PlainConnection own, String line) {
            next.accept(own, sentAtNanos, line);
        }

        @Override
        public void lost(ServiceException why) {
            connectionEnded();
        }
    }
}
