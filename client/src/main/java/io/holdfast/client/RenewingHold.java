package io.holdfast.client;

import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** A hold of one key. Renews itself once it has been started. */
final class RenewingHold extends BaseHold implements ClientCore.Part {
    private static final long MIN_PAUSE = 5_000_000L;
    private static final long MAX_PAUSE = 1_000_000_000L;

    private final GrantedHold granted;
    private final String address;
    private CompletableFuture<?> lastRenewal = CompletableFuture.completedFuture(null);
    private TimerClock.@Nullable Timer expiry;
    private TimerClock.@Nullable Timer renewal;
    private boolean started;
    private boolean over;
    private long startedAt;
    private long wantedLease;
    private long lease;
    private long deadline;
    private long pause;

    RenewingHold(ClientCore core, GrantedHold granted, HoldOptions options, String address) {
        super(core, options);
        this.granted = granted;
        this.address = address;
        wantedLease = options.leaseNanos();
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

    /** Whether the lease, counted from before the request, has at least half of it left. */
    synchronized boolean isFresh() {
        return deadline - core.now() >= SaturatedNanos.capped(lease) / 2;
    }

    /** From here on it renews itself and watches its deadline; false if it is over already. */
    boolean start() {
        boolean missed;
        synchronized (this) {
            started = true;
            startedAt = core.now();
            missed = over;
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
            core.remove(this); // it was over before it was added
        }
        return isHeld();
    }

    private synchronized void setTimers() {
        stopTimers();
        if (!started || !isOpen()) {
            return;
        }
        expiry = core.timeline().schedule(Math.max(0, deadline - core.now()), this::checkDeadline);
        if (options().renew()) {
            long third = SaturatedNanos.capped(lease) / 3;
            long early = (long) (third * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
            pause = Math.max(MIN_PAUSE, Math.min(MAX_PAUSE, lease / 30));
            renewal = core.timeline().schedule(early, this::renewInTime);
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
            granted.release(); // it may be ours for a moment more: nobody should wait for that
        }
    }

    /** Nobody got it: an unbound one would stay until its lease ends. */
    void releaseUnused(LossReason reason) {
        lose(reason);
        granted.release();
    }

    private void renewInTime() {
        long wanted;
        synchronized (this) {
            long longest = options().maxHoldNanos();
            if (!isOpen() || (longest > 0 && core.now() - startedAt >= longest)) {
                return;
            }
            wanted = wantedLease;
        }
        refresh(wanted)
                .whenComplete(
                        (answer, failure) -> {
                            if (failure != null) {
                                renewSoon();
                            }
                        });
    }

    private synchronized void renewSoon() {
        if (isOpen()) {
            long jittered = (long) (pause * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
            pause = Math.min(MAX_PAUSE, pause * 2);
            renewal = core.timeline().schedule(jittered, this::renewInTime);
        }
    }

    /** Renews, after those under way: the answer, or -1 if it is not held any more. */
    CompletableFuture<Long> refresh(long leaseNanos) {
        var answer = new CompletableFuture<Long>();
        CompletableFuture<?> before;
        synchronized (this) {
            before = lastRenewal;
            lastRenewal = answer;
        }
        before.whenComplete((ignored, failure) -> send(leaseNanos, answer));
        return answer;
    }

    private void send(long leaseNanos, CompletableFuture<Long> answer) {
        if (!isOpen()) {
            answer.complete(-1L);
            return;
        }
        long sentAt = core.now();
        granted.renew(leaseNanos)
                .whenComplete(
                        (nanos, failure) -> {
                            if (failure != null) {
                                core.notifyListeners(listener -> listener.renewalFailed(key()));
                                answer.completeExceptionally(failure);
                            } else if (nanos < 0) {
                                boolean due = !heldForAtLeast(Duration.ZERO);
                                lose(due ? LossReason.EXPIRED : LossReason.RELEASED);
                                answer.complete(-1L);
                            } else {
                                extend(sentAt, nanos);
                                core.notifyListeners(listener -> listener.renewed(key()));
                                answer.complete(isOpen() ? nanos : -1L);
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
            expire(); // somebody may have seen that it was over
        } else {
            setTimers();
        }
    }

    @Override
    void over() {
        stopTimers();
        core.remove(this);
        boolean counted;
        synchronized (this) {
            over = true;
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
        boolean watched;
        synchronized (this) {
            left = deadline - core.now();
            watched = started;
        }
        if (left <= 0) {
            if (watched) {
                expire();
            }
            return false;
        }
        var certainty = granted.certainty();
        if (watched && certainty == GrantedHold.Certainty.GONE) {
            markLost(LossReason.CONNECTION_LOST);
        }
        return isOpen()
                && certainty == GrantedHold.Certainty.HELD
                && left >= SaturatedNanos.saturated(span);
    }

    @Override
    public void renew() {
        long wanted;
        synchronized (this) {
            wanted = wantedLease;
        }
        renewWith(wanted);
    }

    @Override
    public void renew(Duration newLease) {
        long wanted = SaturatedNanos.lease(newLease);
        renewWith(wanted);
        synchronized (this) {
            wantedLease = wanted;
        }
    }

    private void renewWith(long wanted) {
        ensureNotLost();
        var valueOrFailure = ClientCore.await(refresh(wanted), core.responseTimeoutNanos());
        ensureNotLost();
        if (valueOrFailure == null) {
            throw new OutcomeUnknownException(
                    "renew " + key() + " at " + address + ": no answer came in time", null);
        }
        var failure = valueOrFailure.failure();
        if (failure != null) {
            throw ClientExceptions.of(failure, "renew " + key(), address);
        }
    }

    @Override
    void restartLease() {
        long wanted;
        synchronized (this) {
            wanted = wantedLease;
        }
        ClientCore.await(refresh(wanted), core.releaseTimeoutNanos());
    }

    @Override
    void release() {
        if (finish()) {
            granted.release();
        }
    }

    /** Starts to close; null if it was over already. */
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
        var answer = startClose(span.isNegative() ? 0 : SaturatedNanos.saturated(span));
        if (answer != null) {
            ClientCore.await(answer, core.releaseTimeoutNanos());
        }
    }
}
