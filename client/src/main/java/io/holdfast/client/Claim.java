package io.holdfast.client;

import io.holdfast.client.ClientListener.AcquireResult;
import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.Attempt;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.LockService;
import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.Timeline;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The acquire of one key. Ends once; a grant that nobody wants any more is given back. */
final class Claim implements Pending, ClientCore.Part {
    private static final long PAUSE = 100_000_000L;

    private final ClientCore core;
    private final LockService service;
    private final Wanted wanted;
    private final HoldOptions options;
    private final long waitNanos;
    private final long startedAt;
    private final CompletableFuture<LiveHold> result = new CompletableFuture<>();
    private boolean over;
    private int asked;
    private @Nullable Attempt attempt;
    private @Nullable LiveHold settling;
    private Timeline.@Nullable Timer net;

    private Claim(ClientCore core, Wanted wanted, HoldOptions options, long waitNanos) {
        this.core = core;
        service = core.serviceOf(wanted.key());
        this.wanted = wanted;
        this.options = options;
        this.waitNanos = waitNanos;
        startedAt = core.now();
    }

    /** What to acquire. */
    record Wanted(Acquisition.Kind kind, String key, long limit) {
        String describe() {
            return switch (kind) {
                case LOCK -> "lock " + key;
                case READ -> "read lock " + key;
                case SEMAPHORE -> "semaphore " + key;
            };
        }
    }

    static Claim start(ClientCore core, Wanted wanted, HoldOptions options, long waitNanos) {
        core.ensureOpen(wanted.describe());
        var claim = new Claim(core, wanted, options, waitNanos);
        claim.ensureSupported();
        if (core.add(claim)) {
            claim.setNet();
            claim.ask(waitNanos);
        } else {
            claim.clientClosed();
        }
        return claim;
    }

    private void ensureSupported() {
        var abilities = service.abilities();
        if (wanted.kind() == Acquisition.Kind.READ && !abilities.readWrite()) {
            throw new UnsupportedByServerException(
                    Failures.unsupported(wanted.describe(), service.address()), null);
        }
        if (options.unbound() && !abilities.unbound()) {
            throw new UnsupportedByServerException(
                    Failures.unsupported("unbound hold of " + wanted.describe(), service.address()),
                    null);
        }
    }

    /** Ends the claim even if the service never says a word. */
    private void setNet() {
        if (waitNanos != Acquisition.FOREVER) {
            long longest = Spans.capped(waitNanos) + core.answerNanos();
            var timer = core.timeline().schedule(longest, this::expire);
            synchronized (this) {
                net = timer;
            }
        }
    }

    private void ask(long nanos) {
        int number;
        synchronized (this) {
            if (over) {
                return;
            }
            number = ++asked;
            attempt = null;
        }
        var asking =
                service.acquire(
                        new Acquisition(
                                wanted.kind(),
                                wanted.key(),
                                wanted.limit(),
                                nanos,
                                options.leaseNanos(),
                                options.unbound()),
                        this::ended);
        boolean unwanted;
        synchronized (this) {
            unwanted = over;
            if (number == asked) {
                attempt = asking;
            }
        }
        if (unwanted) {
            asking.cancel();
        }
    }

    private void ended(Outcome outcome) {
        if (outcome instanceof Outcome.Granted granted) {
            granted(granted.hold());
        } else if (outcome instanceof Outcome.TimedOut) {
            fail(AcquireResult.TIMED_OUT, timedOut());
        } else if (outcome instanceof Outcome.Failed failed) {
            fail(
                    AcquireResult.FAILED,
                    Failures.of(failed.failure(), wanted.describe(), service.address()));
        } else if (core.isClosed()) {
            fail(AcquireResult.FAILED, Failures.closed(wanted.describe()));
        } else {
            fail(AcquireResult.CANCELLED, new CancellationException(wanted.describe()));
        }
    }

    private LockException timedOut() {
        return Failures.timedOut(wanted.describe(), service.address());
    }

    private void granted(GrantedHold granted) {
        var hold = new LiveHold(core, granted, options, service.address());
        boolean unwanted;
        synchronized (this) {
            unwanted = over;
            settling = over ? null : hold;
        }
        if (unwanted) {
            hold.release();
        } else if (hold.isFresh()) {
            handOver(hold);
        } else {
            // A grant that took long: by the count from the request the lease may be over.
            hold.hook(reason -> askAgain(hold));
            renewFirst(hold);
        }
    }

    private void renewFirst(LiveHold hold) {
        hold.refresh(options.leaseNanos())
                .whenComplete(
                        (answer, failure) -> {
                            if (failure != null) {
                                core.timeline().schedule(PAUSE, () -> renewAgain(hold, failure));
                            } else if (answer >= 0) {
                                handOver(hold);
                            }
                        });
    }

    private void renewAgain(LiveHold hold, Throwable failure) {
        synchronized (this) {
            if (settling != hold) {
                return;
            }
        }
        if (failure instanceof ServiceException service
                && service.kind() == ServiceException.Kind.CLOSED) {
            fail(AcquireResult.FAILED, Failures.closed(wanted.describe()));
        } else {
            renewFirst(hold);
        }
    }

    /** It was lost before anybody got it. */
    private void askAgain(LiveHold hold) {
        synchronized (this) {
            if (over || settling != hold) {
                return;
            }
            settling = null;
        }
        if (waitNanos == Acquisition.FOREVER) {
            ask(waitNanos);
            return;
        }
        long left = startedAt + waitNanos - core.now();
        if (left > 0) {
            ask(left);
        } else {
            fail(AcquireResult.TIMED_OUT, timedOut());
        }
    }

    private void handOver(LiveHold hold) {
        synchronized (this) {
            if (over || settling != hold) {
                return; // whoever ended the claim gives it back
            }
            over = true;
            settling = null;
        }
        finish(AcquireResult.ACQUIRED);
        if (hold.start() || !core.isClosed()) {
            result.complete(hold);
        } else {
            hold.giveBack(LossReason.CLIENT_CLOSED);
            result.completeExceptionally(Failures.closed(wanted.describe()));
        }
    }

    private void expire() {
        fail(AcquireResult.TIMED_OUT, timedOut());
    }

    private boolean fail(AcquireResult how, RuntimeException failure) {
        Attempt asking;
        LiveHold unwanted;
        synchronized (this) {
            if (over) {
                return false;
            }
            over = true;
            asking = attempt;
            unwanted = settling;
            settling = null;
        }
        if (unwanted != null) {
            unwanted.release();
        }
        if (asking != null) {
            asking.cancel();
        }
        finish(how);
        result.completeExceptionally(failure);
        return true;
    }

    private void finish(AcquireResult how) {
        Timeline.Timer timer;
        synchronized (this) {
            timer = net;
        }
        if (timer != null) {
            timer.cancel();
        }
        core.remove(this);
        var waited = Duration.ofNanos(core.now() - startedAt);
        core.hear(listener -> listener.acquireEnded(wanted.key(), how, waited));
    }

    @Override
    public CompletableFuture<LiveHold> result() {
        return result;
    }

    @Override
    public @Nullable BaseHold giveUp() {
        if (fail(AcquireResult.CANCELLED, new CancellationException(wanted.describe()))) {
            return null;
        }
        return Pending.late(result, core.brieflyNanos());
    }

    @Override
    public void clientClosed() {
        fail(AcquireResult.FAILED, Failures.closed(wanted.describe()));
    }
}
