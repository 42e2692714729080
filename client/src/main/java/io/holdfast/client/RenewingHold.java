package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** A hold of one key, which renews its lease once it has been started. */
final class RenewingHold extends BaseHold implements ClientCore.Part {
    private static final long MIN_PAUSE = 5_000_000L;
    private static final long MAX_PAUSE = 1_000_000_000L;

    private final GrantedHold granted;
    private final String address;

    @GuardedBy("this")
    private CompletableFuture<?> lastRenewal = CompletableFuture.completedFuture(null);

    @GuardedBy("this")
    private TimerClock.@Nullable Timer expiry;

    @GuardedBy("this")
    private TimerClock.@Nullable Timer renewal;

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean hasEnded;

    @GuardedBy("this")
    private long startedAt;

    @GuardedBy("this")
    private long requestedLease;

    @GuardedBy("this")
    private long lease;

    @GuardedBy("this")
    private long deadline;

    @GuardedBy("this")
    private long pause;

    RenewingHold(ClientCore core, GrantedHold granted, HoldOptions options, String address) {
        super(core, options);
        this.granted = granted;
        this.address = address;
        requestedLease = options.leaseNanos();
        lease = granted.leaseNanos();
        deadline = granted.requestedAtNanos() + SaturatedNanos.capped(lease);
        startedAt = core.now();
        granted.onLost(loss -> lose(reasonOf(loss)));
    }

    private static LossReason reasonOf(GrantedHold.Loss loss) {
        return switch (loss) {
            case EXPIRED -> LossReason.EXPIRED;
            case RELEASED -> LossReason.RELEASED;
            case CONNECTION -> LossReason.CONNECTION_LOST;
        };
    }

    /** Whether at least half of the lease, counted from before the request, remains. */
    synchronized boolean isFresh() {
        return deadline - core.now() >= SaturatedNanos.capped(lease) / 2;
    }

    /** Starts renewal and the expiry timer; false if the hold has ended already. */
    boolean start() {
        boolean missed;
        synchronized (this) {
            started = true;
            startedAt = core.now();
            missed = hasEnded;
        }
        if (!core.add(this)) {
            return false;
        }
        if (missed) {
            notifyEnded();
        }
        handedOut();
        setTimers();
        if (!isOpen()) {
            core.remove(this); // it had ended before it was added
        }
        return isHeld();
    }

    private synchronized void setTimers() {
        stopTimers();
        if (!started || !isOpen()) {
            return;
        }
        expiry = core.clock().schedule(Math.max(0, deadline - core.now()), this::checkDeadline);
        if (options().renew()) {
            long third = SaturatedNanos.capped(lease) / 3;
            long jittered = (long) (third * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
            pause = Math.max(MIN_PAUSE, Math.min(MAX_PAUSE, lease / 30));
            renewal = core.clock().schedule(jittered, this::renewInTime);
        }
    }

    private synchronized void stopTimers() {
        if (expiry != null) {
            expiry.cancel();
        }
        if (renewal != null) {
            renewal.cancel();
        }
    }

    private void checkDeadline() {
        long left;
        synchronized (this) {
            left = deadline - core.now();
        }
        if (left <= 0) {
            expire();
        } else {
            setTimers();
        }
    }

    private void expire() {
        markLost(LossReason.EXPIRED);
    }

    private void markLost(LossReason reason) {
        if (lose(reason)) {
            // The server may still have the hold: do not make other clients wait for its expiry.
            granted.release();
        }
    }

    /**
     * Releases a hold that was not handed to the user: an unbound one would last until its lease
     * ends.
     */
    void releaseUnused(LossReason reason) {
        lose(reason);
        granted.release();
    }

    private void renewInTime() {
        long nanos;
        synchronized (this) {
            long maxNanos = options().maxHoldNanos();
            if (!isOpen() || (maxNanos > 0 && core.now() - startedAt >= maxNanos)) {
                return;
            }
            nanos = requestedLease;
        }
        refresh(nanos)
                .whenComplete(
                        (renewed, failure) -> {
                            if (failure != null) {
                                renewSoon();
                            }
                        });
    }

    private synchronized void renewSoon() {
        if (isOpen()) {
            long jittered = (long) (pause * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
            pause = Math.min(MAX_PAUSE, pause * 2);
            renewal = core.clock().schedule(jittered, this::renewInTime);
        }
    }

    /**
     * Renews after any renewal in flight has ended. Completes with the length of the lease in
     * nanoseconds, or -1 if the hold has ended.
     */
    CompletableFuture<Long> refresh(long leaseNanos) {
        var result = new CompletableFuture<Long>();
        CompletableFuture<?> before;
        synchronized (this) {
            before = lastRenewal;
            lastRenewal = result;
        }
        before.whenComplete((ignored, failure) -> send(leaseNanos, result));
        return result;
    }

    private void send(long leaseNanos, CompletableFuture<Long> result) {
        if (!isOpen()) {
            result.complete(-1L);
            return;
        }
        long sentAt = core.now();
        granted.renew(leaseNanos)
                .whenComplete(
                        (nanos, failure) -> {
                            if (failure != null) {
                                core.notifyListeners(listener -> listener.renewalFailed(key()));
                                result.completeExceptionally(failure);
                            } else if (nanos < 0) {
                                boolean due = !heldForAtLeast(Duration.ZERO);
                                lose(due ? LossReason.EXPIRED : LossReason.RELEASED);
                                result.complete(-1L);
                            } else {
                                extend(sentAt, nanos);
                                core.notifyListeners(listener -> listener.renewed(key()));
                                result.complete(isOpen() ? nanos : -1L);
                            }
                        });
    }

    private void extend(long sentAt, long nanos) {
        boolean late;
        synchronized (this) {
            late = started && core.now() - deadline >= 0;
            if (!late) {
                lease = nanos;
                deadline = sentAt + SaturatedNanos.capped(nanos);
            }
        }
        if (late) {
            expire(); // isHeld() may have returned false already, so it must stay false
        } else {
            setTimers();
        }
    }

    @Override
    void ended() {
        stopTimers();
        core.remove(this);
        boolean counted;
        synchronized (this) {
            hasEnded = true;
            counted = started;
        }
        if (counted) {
            notifyEnded();
        }
    }

    private void notifyEnded() {
        Duration span;
        synchronized (this) {
            span = Duration.ofNanos(core.now() - startedAt);
        }
        var why = lossReason();
        core.notifyListeners(
                listener -> {
                    if (why.isPresent()) {
                        listener.lost(key(), why.get(), span);
                    } else {
                        listener.released(key(), span);
                    }
                });
    }

    @Override
    public void clientClosed() {
        lose(LossReason.CLIENT_CLOSED);
    }

    @Override
    public String key() {
        return granted.key();
    }

    @Override
    public synchronized Duration lease() {
        return Duration.ofNanos(lease);
    }

    @Override
    public OptionalLong fence() {
        return granted.fence();
    }

    @Override
    public String token() {
        return granted.token();
    }

    @Override
    public boolean isHeld() {
        return heldForAtLeast(Duration.ZERO);
    }

    @Override
    public boolean heldForAtLeast(Duration span) {
        long left;
        boolean wasStarted;
        synchronized (this) {
            left = deadline - core.now();
            wasStarted = started;
        }
        if (left <= 0) {
            if (wasStarted) {
                expire();
            }
            return false;
        }
        var certainty = granted.certainty();
        if (wasStarted && certainty == GrantedHold.Certainty.GONE) {
            markLost(LossReason.CONNECTION_LOST);
        }
        return isOpen()
                && certainty == GrantedHold.Certainty.HELD
                && left >= SaturatedNanos.saturated(span);
    }

    @Override
    public void renew() {
        long nanos;
        synchronized (this) {
            nanos = requestedLease;
        }
        renewWith(nanos);
    }

    @Override
    public void renew(Duration newLease) {
        long nanos = SaturatedNanos.lease(newLease);
        renewWith(nanos);
        synchronized (this) {
            requestedLease = nanos;
        }
    }

    private void renewWith(long nanos) {
        ensureNotLost();
        var valueOrFailure = ClientCore.await(refresh(nanos), core.responseTimeoutNanos());
        ensureNotLost();
        if (valueOrFailure == null) {
            throw new OutcomeUnknownException(
                    "renew " + key() + " at " + address + ": no response within the timeout", null);
        }
        var failure = valueOrFailure.failure();
        if (failure != null) {
            throw ClientExceptions.of(failure, "renew " + key(), address);
        }
    }

    @Override
    void restartLease() {
        long nanos;
        synchronized (this) {
            nanos = requestedLease;
        }
        ClientCore.await(refresh(nanos), core.releaseTimeoutNanos());
    }

    @Override
    void release() {
        if (finish()) {
            granted.release();
        }
    }

    /** Starts to close; null if the hold had ended before. */
    @Nullable CompletableFuture<?> startClose(long keepNanos) {
        if (!finish()) {
            return null;
        }
        return keepNanos > 0 ? granted.renew(keepNanos) : granted.release();
    }

    @Override
    public void close() {
        closeAfter(Duration.ZERO);
    }

    @Override
    public void closeAfter(Duration span) {
        var response = startClose(span.isNegative() ? 0 : SaturatedNanos.saturated(span));
        if (response != null) {
            ClientCore.await(response, core.releaseTimeoutNanos());
        }
    }
}
