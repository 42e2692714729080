package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

/**
 * A request, and how it reacts to the response and to the events of the connection. All calls run
 * in the session's {@link SerialExecutor}.
 */
abstract class TaggedRequest {
    /** Waits for a connection without a timeout. */
    static final long NO_TIMEOUT = Long.MAX_VALUE;

    private long tag;
    private boolean repeated;
    private TimerClock.@Nullable Timer timer;
    private int timerNumber;

    /** The tag with which it was sent last; 0 if it was never sent. */
    final long tag() {
        return tag;
    }

    final boolean wasSent() {
        return tag != 0;
    }

    final boolean wasRepeated() {
        return repeated;
    }

    /** Marks it as never sent, because the server has no state of it. */
    final void unsent() {
        tag = 0;
    }

    /** The lines to send, with the times as of now; called each time it is sent. */
    final String lines(long newTag, long now) {
        repeated = tag != 0;
        tag = newTag;
        return newTag + " " + command() + "\n" + key() + "\n" + argument(now) + "\n";
    }

    /** Cancels the timer, if any; returns the number of the next one. */
    final int stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        return ++timerNumber;
    }

    final void startTimer(TimerClock.Timer next) {
        timer = next;
    }

    /** Whether the timer with that number has been neither stopped nor replaced. */
    final boolean isCurrentTimer(int number) {
        return timerNumber == number;
    }

    abstract String command();

    abstract String key();

    abstract String argument(long now);

    /** Handles the response, given without its tag. */
    abstract void onResponse(String response) throws BadLineException;

    /** Whether it need not be sent any more; checked before it is sent. */
    boolean isObsolete(long now) {
        return false;
    }

    /**
     * The connection ended before the response.
     *
     * @return whether the request is kept, to be resolved after a reconnect
     */
    abstract boolean survivesDisconnect(ServiceException why);

    /** How long it may wait for a connection; {@link #NO_TIMEOUT} for no limit. */
    abstract long offlineTimeoutNanos(long now, long connectTimeoutNanos);

    /**
     * The {@link #offlineTimeoutNanos} have passed, or the server rejects this client.
     *
     * @return whether the request is kept, to be resolved after a reconnect
     */
    abstract boolean survivesTimeout(ServiceException why);

    /**
     * The session has ended, and with it whatever was granted to this request.
     *
     * @return whether it must be sent in the next session
     */
    abstract boolean survivesSessionLoss();

    /**
     * The session was resumed, and its list of holds and waiters does not contain this request.
     * Called only for requests that were sent before.
     *
     * @return whether it must be sent again
     */
    abstract boolean shouldResend(ResumedState resumedState);

    /** The service was closed. */
    abstract void closed(ServiceException why);
}
