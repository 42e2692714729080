package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

/**
 * Sends pings and tracks until when the server is certain to have the session. If only the server
 * notices that the connection has ended, the grace period starts there: another client may hold the
 * locks of this one as soon as the last acknowledged request is older than the grace period. Runs
 * in the executor of its session.
 */
final class SessionHeartbeat {
    private static final long MIN_NANOS = 1_000_000;

    private final ClientSession clientSession;
    private final AsyncLineSocket asyncLineSocket;
    private final long maxSilenceNanos;
    private final long graceNanos;

    /** A time before the last acknowledged request was sent. */
    private volatile long confirmedAt;

    /**
     * Whether there are holds or waiters, so that pings must be more frequent than the grace
     * period.
     */
    private boolean urgent;

    /** Whether the timer for the end of the grace period runs. */
    private boolean watchingGrace;

    private TimerClock.@Nullable Timer pingTimer;
    private TimerClock.@Nullable Timer endTimer;
    private boolean stopped;

    /**
     * @param maxSilenceNanos how long the connection may be idle; pings are sent at a third of it
     * @param confirmedAt the time before the hello was sent
     */
    SessionHeartbeat(
            ClientSession clientSession,
            AsyncLineSocket asyncLineSocket,
            long maxSilenceNanos,
            long graceNanos,
            long confirmedAt) {
        this.clientSession = clientSession;
        this.asyncLineSocket = asyncLineSocket;
        this.maxSilenceNanos = maxSilenceNanos;
        this.graceNanos = graceNanos;
        this.confirmedAt = confirmedAt;
        armPing();
    }

    /** The response to a request that was sent at this time has arrived. */
    void confirm(long sentAt) {
        confirmedAt = Math.max(confirmedAt, sentAt);
    }

    /** Until when the server keeps the session, whatever the state of the connection. */
    long keptUntil() {
        return confirmedAt + graceNanos;
    }

    /** Whether the server is certain to have the session now. Callable on any thread. */
    boolean isKept() {
        return graceNanos == 0 || clientSession.now() - keptUntil() < 0;
    }

    /** Called when there is a waiter: at its grant the last confirmation must be recent. */
    void waiting() {
        if (graceNanos > 0 && !stopped && !urgent) {
            urgent = true;
            sendPing();
        }
    }

    /** Called when there is a hold. */
    void holding() {
        waiting();
        if (urgent && !watchingGrace) {
            watchingGrace = true;
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
        long every = urgent ? Math.min(maxSilenceNanos, graceNanos) : maxSilenceNanos;
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
            watchingGrace = false;
        } else if (!isKept()) {
            clientSession.onSilence(asyncLineSocket);
        } else {
            armEnd();
        }
    }

    private TimerClock.Timer later(long nanos, Runnable task) {
        return clientSession
                .clock()
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
