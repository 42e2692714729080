package io.holdfast.client.wire;

import io.holdfast.client.service.TimerClock;

import org.jspecify.annotations.Nullable;

/**
 * Pings, and knows until when the server has our session for certain. An end of the connection that
 * only the server notices starts the grace there: what we hold may be another's as soon as the last
 * request that was answered is older than the grace. Runs where its session does.
 */
final class SessionHeartbeat {
    private static final long MIN_NANOS = 1_000_000;

    private final ClientSession clientSession;
    private final LineChannel lineChannel;
    private final long usualNanos;
    private final long graceNanos;

    /** When the last request that was answered was sent, at the earliest. */
    private volatile long confirmedAt;

    /**
     * Whether anything is held or waited for, so that silence must not last as long as the grace.
     */
    private boolean urgent;

    /** Whether the end of the grace is looked out for. */
    private boolean watching;

    private TimerClock.@Nullable Timer pingTimer;
    private TimerClock.@Nullable Timer endTimer;
    private boolean stopped;

    /**
     * @param usualNanos how long the server is content without a word, or we are
     * @param confirmedAt when the hello was sent
     */
    SessionHeartbeat(
            ClientSession clientSession,
            LineChannel lineChannel,
            long usualNanos,
            long graceNanos,
            long confirmedAt) {
        this.clientSession = clientSession;
        this.lineChannel = lineChannel;
        this.usualNanos = usualNanos;
        this.graceNanos = graceNanos;
        this.confirmedAt = confirmedAt;
        armPing();
    }

    /** A request that was sent then has been answered. */
    void confirm(long sentAt) {
        confirmedAt = Math.max(confirmedAt, sentAt);
    }

    /** Until when the server keeps the session for us, whatever has become of the connection. */
    long keptUntil() {
        return confirmedAt + graceNanos;
    }

    /** Whether it is not later than that yet. On any thread. */
    boolean isKept() {
        return graceNanos == 0 || clientSession.now() - keptUntil() < 0;
    }

    /** There is something to wait for: when it is granted, the last answer must not be old. */
    void waiting() {
        if (graceNanos > 0 && !stopped && !urgent) {
            urgent = true;
            sendPing();
        }
    }

    /** There is a hold. */
    void holding() {
        waiting();
        if (urgent && !watching) {
            watching = true;
            armEnd();
        }
    }

    void stop() {
        stopped = true;
        cancel(pingTimer);
        cancel(endTimer);
    }

    private void sendPing() {
        long at = clientSession.now();
        clientSession.sendCommand("ping", "_", unused -> confirm(at));
        armPing();
    }

    private void armPing() {
        cancel(pingTimer);
        long every = urgent ? Math.min(usualNanos, graceNanos) : usualNanos;
        pingTimer = later(every / 3, this::pingAgain);
    }

    private void pingAgain() {
        urgent = urgent && (clientSession.isHolding() || clientSession.isWaiting());
        sendPing();
    }

    private void armEnd() {
        cancel(endTimer);
        endTimer = later(keptUntil() - clientSession.now(), this::checkEnd);
    }

    private void checkEnd() {
        if (!clientSession.isHolding()) {
            watching = false;
        } else if (!isKept()) {
            clientSession.onSilence(lineChannel);
        } else {
            armEnd();
        }
    }

    private TimerClock.Timer later(long nanos, Runnable task) {
        return clientSession
                .timeline()
                .schedule(
                        Math.max(MIN_NANOS, nanos),
                        () ->
                                clientSession.run(
                                        () -> {
                                            if (!stopped) {
                                                task.run();
                                            }
                                        }));
    }

    private static void cancel(TimerClock.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}
