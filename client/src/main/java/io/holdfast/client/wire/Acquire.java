package io.holdfast.client.wire;

import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceException;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * An acquire. Its outcome is told once; should the server still have it then, because there is no
 * connection to give it up over, it stays with the session and is given up, or given back, later.
 */
final class Acquire extends Request implements Attempt {
    private final Session session;
    private final Acquisition what;
    private final Consumer<Outcome> done;
    private final long startedAtNanos;
    private long askedAtNanos;
    private boolean cancelled;
    private boolean told;

    Acquire(Session session, Acquisition what, Consumer<Outcome> done) {
        this.session = session;
        this.what = what;
        this.done = done;
        this.startedAtNanos = session.now();
        this.askedAtNanos = startedAtNanos;
    }

    @Override
    public void cancel() {
        session.run(
                () -> {
                    if (!told && !cancelled) {
                        cancelled = true;
                        session.cancel(this);
                    }
                });
    }

    /** Nobody wants it any more, and the server has to be told. */
    boolean isUnwanted() {
        return cancelled || told;
    }

    boolean isUnbound() {
        return what.unbound();
    }

    void tell(Outcome outcome) {
        if (!told) {
            told = true;
            stopTimer();
            Serial.guard(() -> done.accept(outcome));
        }
    }

    @Override
    String command() {
        return what.kind() == Acquisition.Kind.SEMAPHORE ? "sl" : "l";
    }

    @Override
    String key() {
        return what.key();
    }

    @Override
    String argument(long now) {
        askedAtNanos = now;
        var text = new StringBuilder(Span.text(Math.max(0, leftNanos(now))));
        if (what.kind() == Acquisition.Kind.SEMAPHORE) {
            text.append(' ').append(what.limit());
        }
        if (what.leaseNanos() != 0) {
            text.append(' ').append(Span.text(what.leaseNanos()));
        }
        if (what.kind() == Acquisition.Kind.READ) {
            text.append(" read");
        }
        if (what.unbound()) {
            text.append(" unbound");
        }
        return text.toString();
    }

    private long leftNanos(long now) {
        return isForever() ? Span.LONGEST_NANOS : what.waitNanos() - (now - startedAtNanos);
    }

    private boolean isForever() {
        return what.waitNanos() >= Span.LONGEST_NANOS;
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
            tell(new Outcome.TimedOut());
        }
        return told;
    }

    @Override
    void answer(String answer) throws BadLineException {
        if (answer.startsWith("ok ")) {
            String[] words = answer.split(" ", -1);
            if (words.length < 3) {
                throw new BadLineException("a grant without a lease");
            }
            long lease = Span.parse(words[2]);
            boolean sure = session.isSureOf(askedAtNanos); // in any case: it is an answer
            if (told || what.unbound() || sure) {
                granted(words[1], lease, askedAtNanos);
            } else {
                session.doubt(this);
            }
        } else if (answer.equals("cancelled")) {
            tell(new Outcome.Cancelled());
        } else if (answer.equals("timeout")) {
            if (isForever() && !isUnwanted()) {
                session.submit(this);
            } else {
                tell(new Outcome.TimedOut());
            }
        } else if (answer.equals("error_draining") && !isTry() && !isUnwanted()) {
            session.submitAfterThisConnection(this); // whoever comes next may have it
        } else {
            tell(new Outcome.Failed(session.refused(answer)));
        }
    }

    private void granted(String token, long leaseNanos, long askedAt) {
        var hold = session.granted(what, tag(), token, leaseNanos, askedAt);
        if (told || session.isClosing()) {
            if (!session.isClosing() || what.unbound()) {
                hold.release(new CompletableFuture<>());
            }
            tell(new Outcome.Cancelled());
        } else {
            tell(new Outcome.Granted(hold));
        }
    }

    /** The session was resumed, and this was found among its holds. */
    void foundHeld(Inventory.Held found, long usualLeaseNanos) {
        long lease = what.leaseNanos() == 0 ? usualLeaseNanos : what.leaseNanos();
        lease = Math.max(lease, found.leftNanos());
        granted(found.token(), lease, found.askedAtNanos() + found.leftNanos() - lease);
    }

    /** The session was resumed, and this was in line when that was asked. */
    void foundWaiting(long atNanos) {
        askedAtNanos = atNanos;
        if (isUnwanted()) {
            session.cancel(this);
        }
    }

    @Override
    boolean staysWithoutConnection(ServiceException why) {
        if (cancelled) {
            tell(new Outcome.Cancelled());
        }
        return true;
    }

    @Override
    long patienceNanos(long now, long connectTimeoutNanos) {
        if (told || isForever()) {
            return PATIENT;
        }
        return isTry() ? connectTimeoutNanos : Math.max(0, leftNanos(now));
    }

    @Override
    boolean staysAfterPatience(ServiceException why) {
        boolean refused =
                why.kind() == ServiceException.Kind.UNSUPPORTED
                        || why.kind() == ServiceException.Kind.AUTHENTICATION;
        tell(isTry() || refused ? new Outcome.Failed(why) : new Outcome.TimedOut());
        return wasSent();
    }

    @Override
    boolean staysWithoutSession() {
        if (!what.unbound()) {
            unsent();
        }
        return !told;
    }

    @Override
    boolean repeats(Inventory inventory) {
        if (cancelled) {
            tell(new Outcome.Cancelled());
        }
        return !told;
    }

    @Override
    void closed(ServiceException why) {
        tell(new Outcome.Cancelled());
    }
}
