package io.holdfast.client.wire;

import io.holdfast.client.service.AcquireAttempt;
import io.holdfast.client.service.AcquireOutcome;
import io.holdfast.client.service.AcquireRequest;
import io.holdfast.client.service.ServiceException;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * An acquire. Its outcome is told once; should the server still have it then, because there is no
 * connection to give it up over, it stays with the session and is given up, or given back, later.
 */
final class TaggedAcquire extends TaggedRequest implements AcquireAttempt {
    private final ClientSession clientSession;
    private final AcquireRequest what;
    private final Consumer<AcquireOutcome> done;
    private final long startedAtNanos;
    private long askedAtNanos;
    private boolean cancelled;
    private boolean completed;

    TaggedAcquire(ClientSession clientSession, AcquireRequest what, Consumer<AcquireOutcome> done) {
        this.clientSession = clientSession;
        this.what = what;
        this.done = done;
        this.startedAtNanos = clientSession.now();
        this.askedAtNanos = startedAtNanos;
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

    /** Nobody wants it any more, and the server has to be told. */
    boolean isUnwanted() {
        return cancelled || completed;
    }

    boolean isUnbound() {
        return what.unbound();
    }

    void complete(AcquireOutcome acquireOutcome) {
        if (!completed) {
            completed = true;
            stopTimer();
            SerialTaskRunner.guard(() -> done.accept(acquireOutcome));
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
        askedAtNanos = now;
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
        return isForever() ? WireDuration.MAX_NANOS : what.waitNanos() - (now - startedAtNanos);
    }

    private boolean isForever() {
        return what.waitNanos() >= WireDuration.MAX_NANOS;
    }

    private boolean isTry() {
        return what.waitNanos() == 0;
    }

    private boolean isLate(long now) {
        return !isTry() && leftNanos(now) <= 0;
    }

    @Override
    boolean isOver(long now) {
        if (isLate(now)) {
            complete(new AcquireOutcome.TimedOut());
        }
        return completed;
    }

    @Override
    void answer(String answer) throws BadLineException {
        if (answer.startsWith("ok ")) {
            String[] words = answer.split(" ", -1);
            if (words.length < 3) {
                throw new BadLineException("a grant without a lease");
            }
            long lease = WireDuration.parse(words[2]);
            boolean sure =
                    clientSession.isConfirmedSince(askedAtNanos); // in any case: it is an answer
            if (completed || what.unbound() || sure) {
                granted(words[1], lease, askedAtNanos);
            } else {
                clientSession.recheck(this);
            }
        } else if (answer.equals("cancelled")) {
            complete(new AcquireOutcome.Cancelled());
        } else if (answer.equals("timeout")) {
            if (isForever() && !isUnwanted()) {
                clientSession.submit(this);
            } else {
                complete(new AcquireOutcome.TimedOut());
            }
        } else if (answer.equals("error_draining") && !isTry() && !isUnwanted()) {
            clientSession.submitAfterThisConnection(this); // whoever comes next may have it
        } else {
            complete(new AcquireOutcome.Failed(clientSession.refused(answer)));
        }
    }

    private void granted(String token, long leaseNanos, long askedAt) {
        var hold = clientSession.granted(what, tag(), token, leaseNanos, askedAt);
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
    void foundHeld(ResumedState.Held found, long usualLeaseNanos) {
        long lease = what.leaseNanos() == 0 ? usualLeaseNanos : what.leaseNanos();
        lease = Math.max(lease, found.leftNanos());
        granted(found.token(), lease, found.askedAtNanos() + found.leftNanos() - lease);
    }

    /** The session was resumed, and this was in line when that was asked. */
    void foundWaiting(long atNanos) {
        askedAtNanos = atNanos;
        if (isUnwanted()) {
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
        if (completed || isForever()) {
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
