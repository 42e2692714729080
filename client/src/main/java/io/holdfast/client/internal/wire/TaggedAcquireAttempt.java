package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireAttempt;
import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.thread.SerialExecutor;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * An acquire. Its outcome is delivered once. If the server may still have the waiter or the hold
 * then, because there is no connection to cancel it over, the request stays with the session and is
 * cancelled or released later.
 */
final class TaggedAcquireAttempt extends TaggedRequest implements AcquireAttempt {
    private final ClientSession clientSession;
    private final AcquireRequest what;
    private final Consumer<AcquireOutcome> done;
    private final long startedAtNanos;
    private long requestedAtNanos;
    private boolean cancelled;
    private boolean completed;

    TaggedAcquireAttempt(
            ClientSession clientSession, AcquireRequest what, Consumer<AcquireOutcome> done) {
        this.clientSession = clientSession;
        this.what = what;
        this.done = done;
        this.startedAtNanos = clientSession.now();
        this.requestedAtNanos = startedAtNanos;
    }

    @Override
    public void cancel() {
        clientSession.run(
                () -> {
                    if (!completed && !cancelled) {
                        cancelled = true;
                        clientSession.cancel(this);
                    }
                });
    }

    /** The caller does not need it any more, so it must be cancelled at the server. */
    boolean isAbandoned() {
        return cancelled || completed;
    }

    boolean isUnbound() {
        return what.unbound();
    }

    void complete(AcquireOutcome acquireOutcome) {
        if (!completed) {
            completed = true;
            stopTimer();
            SerialExecutor.guard(() -> done.accept(acquireOutcome));
        }
    }

    @Override
    String command() {
        return what.kind() == AcquireRequest.Kind.SEMAPHORE ? "sl" : "l";
    }

    @Override
    String key() {
        return what.key();
    }

    @Override
    String argument(long now) {
        requestedAtNanos = now;
        var text = new StringBuilder(WireDuration.text(Math.max(0, leftNanos(now))));
        if (what.kind() == AcquireRequest.Kind.SEMAPHORE) {
            text.append(' ').append(what.limit());
        }
        if (what.leaseNanos() != 0) {
            text.append(' ').append(WireDuration.text(what.leaseNanos()));
        }
        if (what.kind() == AcquireRequest.Kind.READ) {
            text.append(" read");
        }
        if (what.unbound()) {
            text.append(" unbound");
        }
        return text.toString();
    }

    private long leftNanos(long now) {
        return hasNoTimeout() ? WireDuration.MAX_NANOS : what.waitNanos() - (now - startedAtNanos);
    }

    private boolean hasNoTimeout() {
        return what.waitNanos() >= WireDuration.MAX_NANOS;
    }

    private boolean isTry() {
        return what.waitNanos() == 0;
    }

    private boolean hasTimedOut(long now) {
        return !isTry() && leftNanos(now) <= 0;
    }

    @Override
    boolean isObsolete(long now) {
        if (hasTimedOut(now)) {
            complete(new AcquireOutcome.TimedOut());
        }
        return completed;
    }

    @Override
    void onResponse(String response) throws BadLineException {
        if (response.startsWith("ok ")) {
            String[] fields = response.split(" ", -1);
            if (fields.length < 3) {
                throw new BadLineException("a grant without a lease");
            }
            long lease = WireDuration.parse(fields[2]);
            // Called in any case, because the response confirms the session.
            boolean confirmed = clientSession.isConfirmedSince(requestedAtNanos);
            if (completed || what.unbound() || confirmed) {
                granted(fields[1], lease, requestedAtNanos);
            } else {
                clientSession.recheck(this);
            }
        } else if (response.equals("cancelled")) {
            complete(new AcquireOutcome.Cancelled());
        } else if (response.equals("timeout")) {
            if (hasNoTimeout() && !isAbandoned()) {
                clientSession.submit(this);
            } else {
                complete(new AcquireOutcome.TimedOut());
            }
        } else if (response.equals("error_draining") && !isTry() && !isAbandoned()) {
            clientSession.submitOnNextConnection(this); // the next server serves it
        } else {
            complete(new AcquireOutcome.Failed(clientSession.refused(response)));
        }
    }

    private void granted(String token, long leaseNanos, long requestedAt) {
        var hold = clientSession.granted(what, tag(), token, leaseNanos, requestedAt);
        if (completed || clientSession.isClosing()) {
            if (!clientSession.isClosing() || what.unbound()) {
                hold.release(new CompletableFuture<>());
            }
            complete(new AcquireOutcome.Cancelled());
        } else {
            complete(new AcquireOutcome.Granted(hold));
        }
    }

    /** The session was resumed, and this was found among its holds. */
    void foundHeld(ResumedState.Held found, long defaultLeaseNanos) {
        long lease = what.leaseNanos() == 0 ? defaultLeaseNanos : what.leaseNanos();
        lease = Math.max(lease, found.leftNanos());
        granted(found.token(), lease, found.requestedAtNanos() + found.leftNanos() - lease);
    }

    /** The session was resumed, and this was still waiting at the given time. */
    void foundWaiting(long atNanos) {
        requestedAtNanos = atNanos;
        if (isAbandoned()) {
            clientSession.cancel(this);
        }
    }

    @Override
    boolean survivesDisconnect(ServiceException why) {
        if (cancelled) {
            complete(new AcquireOutcome.Cancelled());
        }
        return true;
    }

    @Override
    long offlineTimeoutNanos(long now, long connectTimeoutNanos) {
        if (completed || hasNoTimeout()) {
            return NO_TIMEOUT;
        }
        return isTry() ? connectTimeoutNanos : Math.max(0, leftNanos(now));
    }

    @Override
    boolean survivesTimeout(ServiceException why) {
        boolean refused =
                why.kind() == ServiceException.Kind.UNSUPPORTED
                        || why.kind() == ServiceException.Kind.AUTHENTICATION;
        complete(
                isTry() || refused
                        ? new AcquireOutcome.Failed(why)
                        : new AcquireOutcome.TimedOut());
        return wasSent();
    }

    @Override
    boolean survivesSessionLoss() {
        if (!what.unbound()) {
            unsent();
        }
        return !completed;
    }

    @Override
    boolean shouldResend(ResumedState resumedState) {
        if (cancelled) {
            complete(new AcquireOutcome.Cancelled());
        }
        return !completed;
    }

    @Override
    void closed(ServiceException why) {
        complete(new AcquireOutcome.Cancelled());
    }
}
